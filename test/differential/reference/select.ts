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

function segmentsOf(path: JsonPath): readonly Segment[] {
  if (path.kind === "multi") return path.segments;
  return path.steps.map((step) => ({
    descend: false,
    selectors: [typeof step === "string" ? { kind: "name", name: step } : { kind: "index", index: step }],
  }));
}

function children(value: Json): readonly Json[] {
  if (isList(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** RFC 9535, section 2.3.4.2.2: a negative bound counts from the end, then bounds are cut to the list. */
function slice(list: readonly Json[], { start, end, step }: Extract<Selector, { kind: "slice" }>): readonly Json[] {
  if (step === 0) return [];
  const length = list.length;
  const normal = (bound: number): number => (bound >= 0 ? bound : length + bound);
  const from = normal(start ?? (step > 0 ? 0 : length - 1));
  const to = end === null ? (step > 0 ? length : -1) : normal(end);
  const picked: Json[] = [];
  if (step > 0) {
    for (let at = Math.max(from, 0); at < Math.min(to, length); at += step) picked.push(list[at] ?? null);
  } else {
    for (let at = Math.min(from, length - 1); at > Math.max(to, -1); at += step) picked.push(list[at] ?? null);
  }
  return picked;
}

function pick(value: Json, selector: Selector): readonly Json[] {
  switch (selector.kind) {
    case "name":
      return isObject(value) && Object.hasOwn(value, selector.name) ? [value[selector.name] ?? null] : [];
    case "index": {
      if (!isList(value)) return [];
      const at = selector.index < 0 ? value.length + selector.index : selector.index;
      return at >= 0 && at < value.length ? [value[at] ?? null] : [];
    }
    case "wildcard":
      return children(value);
    case "slice":
      return isList(value) ? slice(value, selector) : [];
  }
}

/** The value itself and everything below it. */
function descendants(value: Json): readonly Json[] {
  return [value, ...children(value).flatMap(descendants)];
}

/** Every value that the path matches, in the order of RFC 9535, repeated where it is matched twice. */
export function select(text: string, root: Json): readonly Json[] {
  return segmentsOf(parse(text)).reduce<readonly Json[]>(
    (nodes, { descend, selectors }) => {
      const reached = descend ? nodes.flatMap(descendants) : nodes;
      return reached.flatMap((node) => selectors.flatMap((selector) => pick(node, selector)));
    },
    [root],
  );
}

/** The value at a definite path; undefined where there is none. */
export function valueAt(text: string, root: Json): Json | undefined {
  return select(text, root)[0];
}
