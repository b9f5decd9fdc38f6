/** A canvas in a root of its own: to whoever looks into the panel there is one canvas, and it is the device's picture. */
export function sealed(canvas: HTMLCanvasElement, className: string): HTMLElement {
  const host = canvas.ownerDocument.createElement("div");
  host.className = className;
  host.setAttribute("aria-hidden", "true");
  canvas.style.display = "block";
  canvas.style.width = "100%";
  canvas.style.height = "100%";
  host.attachShadow({ mode: "closed" }).append(canvas);
  return host;
}
