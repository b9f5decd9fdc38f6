/** Enough XML for uiautomator's dump: elements, attributes, the five entities and character numbers. No DTD, no namespaces. */

export interface XmlNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
}

interface OpenNode extends XmlNode {
  readonly children: OpenNode[];
}

/** A screen nested deeper than this is no screen. */
const DEEPEST = 500;

/** The root element. Throws with the place when the text is not whole. */
export function parseXml(text: string): XmlNode {
  const top: OpenNode = { name: "", attributes: new Map(), children: [] };
  const open: OpenNode[] = [top];
  const tag = /<(?:\?[^>]*\?|!--[\s\S]*?--|(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?))>/g;
  for (let match = tag.exec(text); match !== null; match = tag.exec(text)) {
    const [, closing, name, attributes, empty] = match;
    if (name === undefined) continue;
    const parent = open.at(-1) ?? top;
    if (closing === "/") {
      if (parent.name !== name || open.length === 1) throw new Error(`XML: </${name}> at ${match.index} closes nothing`);
      open.pop();
      continue;
    }
    const node: OpenNode = { name, attributes: attributesOf(attributes ?? ""), children: [] };
    parent.children.push(node);
    if (empty !== "/") open.push(node);
    if (open.length > DEEPEST) throw new Error("XML: nested too deep");
  }
  const root = top.children[0];
  if (root === undefined || open.length > 1) throw new Error("XML: cut short");
  return root;
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name, double, single] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (name !== undefined) found.set(name, decoded(double ?? single ?? ""));
  }
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g,
    (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
