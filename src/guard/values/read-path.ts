import { memberCost, spend } from "../../base/cost.js";
import { isJsonList, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath, Segment, Selector } from "../../base/json-path.js";

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

/** The name in a path of one name; null for other paths. */
export function nameOf(path: JsonPath): string | null {
  const [name, ...others] = path.kind === "definite" ? path.steps : [];
  return typeof name === "string" && others.length === 0 ? name : null;
}

/** A value with children. */
export type Container = readonly Json[] | JsonObject;
/** The name or the index of a child. */
export type Key = string | number;

/** Whether a value may have children. */
export function isContainer(value: Json | undefined): value is Container {
  return typeof value === "object" && value !== null;
}

/** RFC 9535, section 2.3.4.2.2: a step of 0 selects nothing. */
function sliceKeys(length: number, { start, end, step }: Selector & { readonly kind: "slice" }): readonly number[] {
  if (step === 0) return [];
  const normal = (index: number) => (index >= 0 ? index : length + index);
  const from = normal(start ?? (step > 0 ? 0 : length - 1));
  const until = end === null ? (step > 0 ? length : -1) : normal(end);
  const keys: number[] = [];
  if (step > 0) for (let at = Math.max(from, 0); at < Math.min(until, length); at += step) keys.push(at);
  else for (let at = Math.min(from, length - 1); at > Math.max(until, -1); at += step) keys.push(at);
  return keys;
}

/** The keys or indices of the children that a selector picks. */
function selectedKeys(selector: Selector, value: Container): readonly Key[] {
  switch (selector.kind) {
    case "name":
      return isJsonList(value) || !Object.hasOwn(value, selector.name) ? [] : [selector.name];
    case "index": {
      if (!isJsonList(value)) return [];
      const at = selector.index < 0 ? value.length + selector.index : selector.index;
      return at >= 0 && at < value.length ? [at] : [];
    }
    case "wildcard":
      return isJsonList(value) ? value.map((_, at) => at) : Object.keys(value);
    case "slice":
      return isJsonList(value) ? sliceKeys(value.length, selector) : [];
  }
}

/** The key of a child, with an index that counted from the end counting from the start. */
function fromStart(key: Key, place: Container): Key {
  return typeof key === "number" && key < 0 && isJsonList(place) ? place.length + key : key;
}

/** The cost of remembering that a child was picked. */
const PICKED_COST = 32;

/** Visits each child that a segment picks, once, however many of its selectors pick it; an index counts from the start. */
export function forEachPicked({ selectors }: Segment, place: Container, give: (key: Key, child: Json) => void): void {
  const picked = selectors.length > 1 ? new Set<Key>() : null;
  for (const selector of selectors) {
    spend(4);
    if (picked === null && (selector.kind === "name" || selector.kind === "index")) {
      const key = selector.kind === "name" ? selector.name : selector.index;
      const child = childAt(place, key);
      if (child !== undefined) give(fromStart(key, place), child);
      continue;
    }
    const keys = selectedKeys(selector, place);
    spend(isJsonList(place) ? 4 * keys.length : memberCost(keys.length));
    if (picked !== null) spend(PICKED_COST * keys.length);
    for (const key of keys) {
      if (picked === null || picked.size < picked.add(key).size) give(key, childAt(place, key) ?? null);
    }
  }
}

/** The indices of the segments that may continue from a place; in rising order, each once. */
type Active = readonly number[];

/** Sets of active segments, each made once and shared by the places of a walk. */
class ActiveSets {
  private readonly byText = new Map<string, Active>();
  private readonly unions = new Map<Active, Map<Active, Active>>();
  private readonly remains = new Map<Active, Active>();

  constructor(private readonly segments: readonly Segment[]) {}

  of(indices: Iterable<number>): Active {
    const active = [...new Set(indices)].sort((a, b) => a - b);
    const text = active.join();
    const known = this.byText.get(text) ?? active;
    this.byText.set(text, known);
    return known;
  }

  union(one: Active, other: Active): Active {
    const unions = this.unions.get(one) ?? new Map<Active, Active>();
    this.unions.set(one, unions);
    const known = unions.get(other) ?? this.of([...one, ...other]);
    unions.set(other, known);
    return known;
  }

  /** Those that continue in all places below as well. */
  descending(active: Active): Active {
    const known = this.remains.get(active) ?? this.of(active.filter((index) => this.segments[index]?.descend));
    this.remains.set(active, known);
    return known;
  }
}

/** One walk down from some places: each place below is visited once, with all segments that may continue from there. */
class Walk {
  readonly found: Json[] = [];
  private readonly places: Container[] = [];
  private readonly actives: Active[] = [];
  /** Of the visited place: the segments that single children continue with, and those that all children continue with. */
  private readonly onward = new Map<Key, Active>();
  private everywhere: Active = [];
  private readonly sets: ActiveSets;
  /** For each segment, the set of only the next one. */
  private readonly ahead: readonly Active[];

  constructor(private readonly segments: readonly Segment[]) {
    this.sets = new ActiveSets(segments);
    this.ahead = segments.map((_, index) => this.sets.of([index + 1]));
  }

  /** The first segment descends: everything below the places may matter. */
  from(roots: readonly Json[]): readonly Json[] {
    const first = this.sets.of([0]);
    for (const root of roots) {
      this.enter(root, first);
      for (let place = this.places.pop(); place !== undefined; place = this.places.pop()) {
        this.visit(place, this.actives.pop() ?? first);
      }
    }
    return this.found;
  }

  private enter(child: Json | undefined, active: Active): void {
    if (!isContainer(child)) return;
    this.places.push(child);
    this.actives.push(active);
  }

  private visit(place: Container, active: Active): void {
    spend(24 + 12 * active.length);
    if (this.onward.size > 0) this.onward.clear();
    this.everywhere = this.sets.descending(active);
    for (const index of active) this.select(place, index);
    this.descend(place);
  }

  /** Picks children by one segment: those of the last one are found, the others continue with the next. */
  private select(place: Container, index: number): void {
    const segment = this.segments[index];
    if (segment === undefined) return;
    if (index + 1 === this.segments.length) {
      forEachPicked(segment, place, (_, child) => this.found.push(child));
      return;
    }
    const ahead = this.ahead[index] ?? [];
    if (segment.selectors[0]?.kind === "wildcard") {
      this.everywhere = this.sets.union(this.everywhere, ahead);
      return;
    }
    forEachPicked(segment, place, (key, child) => {
      if (!isContainer(child)) return;
      spend(64);
      const known = this.onward.get(key);
      this.onward.set(key, known === undefined ? ahead : this.sets.union(known, ahead));
    });
  }

  /** Visits all children, in the order of the document: the one pushed last is visited first. */
  private descend(place: Container): void {
    const { onward, everywhere } = this;
    const keys = isJsonList(place) || onward.size === 0 ? null : Object.keys(place);
    const children = isJsonList(place) ? place : Object.values(place);
    spend(isJsonList(place) ? 2 * children.length : memberCost(children.length));
    let last: Active | undefined;
    let both = everywhere;
    for (let at = children.length - 1; at >= 0; at--) {
      const own = onward.size === 0 ? undefined : onward.get(keys?.[at] ?? at);
      if (own !== last) both = own === undefined ? everywhere : this.sets.union(own, everywhere);
      last = own;
      this.enter(children[at], both);
    }
  }
}

function readMulti(segments: readonly Segment[], root: Json): readonly Json[] {
  let values: readonly Json[] = [root];
  for (const [index, segment] of segments.entries()) {
    // Up to here no place is below another, so that nothing is visited twice.
    if (segment.descend) return new Walk(segments.slice(index)).from(values);
    const next: Json[] = [];
    for (const value of values) {
      if (isContainer(value)) forEachPicked(segment, value, (_, child) => next.push(child));
    }
    values = next;
  }
  return values;
}

/** Every value a path matches: each place once, also where RFC 9535 would list it several times. */
export function readAll(path: JsonPath, root: Json): readonly Json[] {
  if (path.kind === "multi") return readMulti(path.segments, root);
  const value = readDefinite(path.steps, root);
  return value === undefined ? [] : [value];
}
