import { isJsonList, type Json, type JsonObject } from "../base/json.js";
import type { JsonPath, Segment, Selector } from "../base/json-path.js";

/** The value under a key or index, own properties only. */
function childAt(value: Json, step: string | number): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (typeof step === "number") return isJsonList(value) ? value[step < 0 ? value.length + step : step] : undefined;
  if (isJsonList(value)) return undefined;
  const object: JsonObject = value;
  return Object.hasOwn(object, step) ? object[step] : undefined;
}

/** The one value a definite path names, or undefined. */
export function readDefinite(steps: readonly (string | number)[], root: Json): Json | undefined {
  let value: Json | undefined = root;
  for (let at = 0; at < steps.length && value !== undefined; at++) value = childAt(value, steps[at] ?? "");
  return value;
}

/** The name that is the whole path, if it is. */
export function nameOf(path: JsonPath): string | null {
  const [name, ...others] = path.kind === "definite" ? path.steps : [];
  return typeof name === "string" && others.length === 0 ? name : null;
}

/** RFC 9535, section 2.3.4.2.2: a step of 0 selects nothing. */
function sliceOf(list: readonly Json[], { start, end, step }: Selector & { readonly kind: "slice" }): readonly Json[] {
  if (step === 0) return [];
  const normal = (index: number) => (index >= 0 ? index : list.length + index);
  const from = normal(start ?? (step > 0 ? 0 : list.length - 1));
  const to = end === null ? (step > 0 ? list.length : -list.length - 1) : end;
  const until = end === null && step < 0 ? -1 : normal(to);
  const found: Json[] = [];
  if (step > 0) {
    for (let at = Math.max(from, 0); at < Math.min(until, list.length); at += step) found.push(list[at] ?? null);
  } else {
    for (let at = Math.min(from, list.length - 1); at > Math.max(until, -1); at += step) found.push(list[at] ?? null);
  }
  return found;
}

function select(selector: Selector, value: Json): readonly Json[] {
  switch (selector.kind) {
    case "name":
    case "index": {
      const child = childAt(value, selector.kind === "name" ? selector.name : selector.index);
      return child === undefined ? [] : [child];
    }
    case "wildcard":
      if (typeof value !== "object" || value === null) return [];
      return isJsonList(value) ? value : Object.values(value);
    case "slice":
      return isJsonList(value) ? sliceOf(value, selector) : [];
  }
}

function* withDescendants(value: Json): Generator<Json> {
  yield value;
  if (typeof value !== "object" || value === null) return;
  for (const child of isJsonList(value) ? value : Object.values(value)) yield* withDescendants(child);
}

function step({ descend, selectors }: Segment, value: Json): readonly Json[] {
  const starts = descend ? [...withDescendants(value)] : [value];
  return starts.flatMap((start) => selectors.flatMap((selector) => select(selector, start)));
}

/** Every value a path matches. */
export function readAll(path: JsonPath, root: Json): readonly Json[] {
  if (path.kind === "definite") {
    const value = readDefinite(path.steps, root);
    return value === undefined ? [] : [value];
  }
  return path.segments.reduce<readonly Json[]>(
    (values, segment) => values.flatMap((value) => step(segment, value)),
    [root],
  );
}
