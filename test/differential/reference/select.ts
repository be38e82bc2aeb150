import type { Json } from "../../../src/base/json.js";
import type { JsonPath, Segment, Selector } from "../../../src/base/json-path.js";
import { parseJsonPath } from "../../../src/language/json-path.js";
import { isList, isObject } from "./json.js";

const parsed = new Map<string, JsonPath>();

function parse(text: string): JsonPath {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const result = parseJsonPath(text);
  if (!result.ok) throw new Error(`not a path: ${text}`);
  parsed.set(text, result.path);
  return result.path;
}

/** The one spelling that all spellings of a path share. */
export function canonicalPath(text: string): string {
  return parse(text).text;
}

/** Whether a path leads to one value at most. */
export function isDefinite(text: string): boolean {
  return parse(text).kind !== "multi";
}

function segmentsOf(path: JsonPath): readonly Segment[] {
  if (path.kind === "multi") return path.segments;
  return path.steps.map((step) => ({
    descend: false,
    selectors: [typeof step === "string" ? { kind: "name", name: step } : { kind: "index", index: step }],
  }));
}

/** A value and its place; two places of a document are two nodes, even if both hold the same value. */
interface Node {
  readonly value: Json;
  readonly place: string;
}

function childAt({ place }: Node, key: string | number, value: Json | undefined): Node {
  // The length keeps a key that looks like two of them apart from two.
  return { value: value ?? null, place: `${place}/${String(key).length}:${key}` };
}

function children(node: Node): readonly Node[] {
  const { value } = node;
  if (isList(value)) return value.map((item, at) => childAt(node, at, item));
  return isObject(value) ? Object.entries(value).map(([key, item]) => childAt(node, key, item)) : [];
}

/** RFC 9535, section 2.3.4.2.2: a negative bound counts from the end, then bounds are cut to the list. */
function slice(length: number, { start, end, step }: Extract<Selector, { kind: "slice" }>): readonly number[] {
  if (step === 0) return [];
  const normal = (bound: number): number => (bound >= 0 ? bound : length + bound);
  const from = normal(start ?? (step > 0 ? 0 : length - 1));
  const to = end === null ? (step > 0 ? length : -1) : normal(end);
  const picked: number[] = [];
  if (step > 0) {
    for (let at = Math.max(from, 0); at < Math.min(to, length); at += step) picked.push(at);
  } else {
    for (let at = Math.min(from, length - 1); at > Math.max(to, -1); at += step) picked.push(at);
  }
  return picked;
}

function pick(node: Node, selector: Selector): readonly Node[] {
  const { value } = node;
  switch (selector.kind) {
    case "name": {
      const { name } = selector;
      return isObject(value) && Object.hasOwn(value, name) ? [childAt(node, name, value[name])] : [];
    }
    case "index": {
      if (!isList(value)) return [];
      const at = selector.index < 0 ? value.length + selector.index : selector.index;
      return at >= 0 && at < value.length ? [childAt(node, at, value[at])] : [];
    }
    case "wildcard":
      return children(node);
    case "slice":
      return isList(value) ? slice(value.length, selector).map((at) => childAt(node, at, value[at])) : [];
  }
}

/** The node itself and everything below it. */
function descendants(node: Node): readonly Node[] {
  return [node, ...children(node).flatMap(descendants)];
}

/** Each node once, however many ways lead to it. */
function once(nodes: readonly Node[]): readonly Node[] {
  if (nodes.length < 2) return nodes;
  return [...new Map(nodes.map((node) => [node.place, node])).values()];
}

/** Every value that the path matches, once for each place, however often and by however many ways it is matched. */
export function select(text: string, root: Json): readonly Json[] {
  const nodes = segmentsOf(parse(text)).reduce<readonly Node[]>(
    (from, { descend, selectors }) => {
      const reached = descend ? once(from.flatMap(descendants)) : from;
      return once(reached.flatMap((node) => selectors.flatMap((selector) => pick(node, selector))));
    },
    [{ value: root, place: "" }],
  );
  return nodes.map(({ value }) => value);
}

/** The value at a definite path; undefined where there is none. */
export function valueAt(text: string, root: Json): Json | undefined {
  return select(text, root)[0];
}
