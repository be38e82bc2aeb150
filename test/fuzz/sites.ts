import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/** A stretch of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** An entry of a mapping or an item of a list, with all that is needed to cut it out and to write it elsewhere. */
export interface Site {
  /** The keys that lead to it, for people. */
  readonly trail: string;
  /** The key with its quotes, of an entry only. */
  readonly key: (Range & { readonly name: string }) | null;
  readonly value: Range;
  /** The value as JSON text, which is YAML in any place. */
  readonly json: string;
  /** The whole of it: with its key, or with the dash in front. */
  readonly whole: Range;
  /** What parts it from a neighbour put in front of it. */
  readonly separator: string;
}

interface Text {
  readonly text: string;
  readonly document: Document;
}

function rangeOf(node: Node): Range {
  const [start = 0, end = start] = node.range ?? [];
  return { start, end };
}

function jsonOf(node: Node, { document }: Text): string {
  return JSON.stringify(node.toJS(document)) ?? "null";
}

/** A neighbour comes after a comma in flow style, and on its own line, equally indented, in block style. */
function separatorAt({ text }: Text, isFlow: boolean, start: number): string {
  return isFlow ? ", " : `\n${" ".repeat(start - text.lastIndexOf("\n", start - 1) - 1)}`;
}

function entrySites(map: YAMLMap, trail: string, from: Text): readonly Site[] {
  return map.items.flatMap(({ key: keyNode, value: valueNode }) => {
    if (!isScalar(keyNode) || !isNode(valueNode)) return [];
    const name = String(keyNode.value);
    const key = { ...rangeOf(keyNode), name };
    const value = rangeOf(valueNode);
    const separator = separatorAt(from, map.flow === true, key.start);
    const here = trail === "" ? name : `${trail}.${name}`;
    const whole = { start: key.start, end: value.end };
    return [
      { trail: here, key, value, json: jsonOf(valueNode, from), whole, separator },
      ...sitesIn(valueNode, here, from),
    ];
  });
}

function itemSites(list: YAMLSeq, trail: string, from: Text): readonly Site[] {
  return list.items.flatMap((node, index) => {
    if (!isNode(node)) return [];
    const value = rangeOf(node);
    const start = list.flow === true ? value.start : from.text.lastIndexOf("-", value.start - 1);
    const separator = separatorAt(from, list.flow === true, start);
    const here = `${trail}[${index}]`;
    const whole = { start, end: value.end };
    return [
      { trail: here, key: null, value, json: jsonOf(node, from), whole, separator },
      ...sitesIn(node, here, from),
    ];
  });
}

function sitesIn(node: unknown, trail: string, from: Text): readonly Site[] {
  if (isMap(node)) return entrySites(node, trail, from);
  return isSeq(node) ? itemSites(node, trail, from) : [];
}

/** Every entry and item of a YAML or JSON text, at every depth. */
export function sitesOf(text: string): readonly Site[] {
  const document = parseDocument(text, { uniqueKeys: false });
  return sitesIn(document.contents, "", { text, document });
}
