/** Styles set one by one on an element: a style attribute would be refused by a page whose policy allows no inline style. */
import { noChange } from "lit";
import { Directive, type ElementPart, type PartInfo, PartType, directive } from "lit/directive.js";

type Styles = Readonly<Record<string, string>>;

class StylesDirective extends Directive {
  #before: Styles = {};

  constructor(info: PartInfo) {
    super(info);
    if (info.type !== PartType.ELEMENT) throw new Error("styles() stands in an element's tag.");
  }

  override render(_styles: Styles): typeof noChange {
    return noChange;
  }

  override update(part: ElementPart, [styles]: [Styles]): typeof noChange {
    const { style } = part.element as HTMLElement;
    for (const name of Object.keys(this.#before)) if (!(name in styles)) style.removeProperty(name);
    for (const [name, value] of Object.entries(styles)) if (this.#before[name] !== value) style.setProperty(name, value);
    this.#before = styles;
    return noChange;
  }
}

/** In a tag: `<div ${styles({ top: "4px" })}>`. Names as CSS writes them. */
export const styles = directive(StylesDirective);
