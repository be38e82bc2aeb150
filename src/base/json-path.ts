/** A selector of children of a node (RFC 9535, section 2.3, without filters). */
export type Selector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "wildcard" }
  | { readonly kind: "slice"; readonly start: number | null; readonly end: number | null; readonly step: number };

/** One step of a path; `descend` applies its selectors to the node and all its descendants. */
export interface Segment {
  readonly descend: boolean;
  readonly selectors: readonly Selector[];
}

/** A path that names at most one place: object keys and list indices, outermost first. */
export interface DefinitePath {
  readonly kind: "definite";
  readonly text: string;
  readonly steps: readonly (string | number)[];
}

/** A path that may match many places. */
export interface MultiPath {
  readonly kind: "multi";
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** A parsed path; `text` is its canonical spelling, so equal paths have equal texts. */
export type JsonPath = DefinitePath | MultiPath;

/** Whether a path names all there is: `$`. */
export function isWhole(path: JsonPath): boolean {
  return path.kind === "definite" && path.steps.length === 0;
}

const SHORTHAND = /^[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*$/u;

function quote(name: string): string {
  return `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function selectorText(selector: Selector): string {
  switch (selector.kind) {
    case "name":
      return quote(selector.name);
    case "index":
      return String(selector.index);
    case "wildcard":
      return "*";
    case "slice":
      return `${selector.start ?? ""}:${selector.end ?? ""}${selector.step === 1 ? "" : `:${selector.step}`}`;
  }
}

function segmentText(segment: Segment): string {
  const [only, ...others] = segment.selectors;
  const lead = segment.descend ? ".." : ".";
  if (only !== undefined && others.length === 0) {
    if (only.kind === "name" && SHORTHAND.test(only.name)) return lead + only.name;
    if (only.kind === "wildcard" && segment.descend) return "..*";
  }
  return `${segment.descend ? ".." : ""}[${segment.selectors.map(selectorText).join(",")}]`;
}

/** Builds a path from its segments, definite where only names and indices occur. */
export function jsonPath(segments: readonly Segment[]): JsonPath {
  const text = `$${segments.map(segmentText).join("")}`;
  const steps: (string | number)[] = [];
  for (const { descend, selectors } of segments) {
    const [only, ...others] = selectors;
    if (descend || only === undefined || others.length > 0) return { kind: "multi", text, segments };
    if (only.kind === "name") steps.push(only.name);
    else if (only.kind === "index") steps.push(only.index);
    else return { kind: "multi", text, segments };
  }
  return { kind: "definite", text, steps };
}
