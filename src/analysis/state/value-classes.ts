import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { isOutside, others, outside } from "../calls/other-values.js";
import { first, isBeyond } from "../model/caps.js";

/** The part of a call that a path reads. */
export type Side = "arguments" | "output";

/** A plain call of each tool, and which values fit into it. */
export interface Samples {
  /** Undefined if none is known. */
  plain(tool: string, side: Side): Json | undefined;
  /** Whether the tool's own rules accept the value at the path. */
  fits(tool: string, side: Side, path: JsonPath, value: Json): boolean;
}

/** How many samples are tried at a place: a fitting one, and for numbers also the bounds of those, different ones if rules compare for equality, or many. */
export type ValueBudget = "one" | "few" | "enough" | "many";

/** A place that a value flows through. */
export interface Place {
  readonly text: string;
  /** Null for a place that only connects others. */
  readonly value: { readonly tool: string; readonly side: Side; readonly path: JsonPath } | null;
}

/** A place in the calls of a tool. */
export function place(tool: string, side: Side, path: JsonPath): Place {
  return { text: `${side} ${tool} ${path.text}`, value: { tool, side, path } };
}

/** A place that only connects others. */
export function junction(text: string): Place {
  return { text, value: null };
}

/** The place of a slot. */
export const slotPlace = (slot: string): Place => junction(`slot ${slot}`);

/** Values, of which a rule needs one at a place that repeats values of other places; the likeliest first. */
interface Wanted {
  readonly at: Place;
  readonly values: readonly Json[];
  /** Texts of the places it may come from; null for any other place. */
  readonly sources: ReadonlySet<string> | null;
}

/** How rules use the values of one class of places. */
interface Use {
  readonly places: Map<string, Place>;
  readonly candidates: Map<string, Json>;
  /** Values that a rule of the session distinguishes from others. */
  readonly distinguishing: Map<string, Json>;
  /** By place and values: values of which one has to come from another place. */
  readonly wanted: Map<string, Wanted>;
  /** Places at which two different values are needed, by their texts. */
  readonly plural: Map<string, Place>;
  /** Texts of places that must repeat a value, with their tolerance; infinite for places that cannot differ. */
  readonly repeating: Map<string, number>;
  isNumeric: boolean;
  /** Whether distinct values are counted. */
  isCounted: boolean;
}

/** Places joined by rules that compare their values. */
export class ValueClasses {
  private readonly parents = new Map<string, string>();
  private readonly uses = new Map<string, Use>();
  private readonly byTool = new Map<string, readonly NonNullable<Place["value"]>[]>();

  constructor(private readonly samples: Samples) {}

  join(one: Place, other: Place): void {
    const [a, b] = [this.root(one.text), this.root(other.text)];
    const [from, into] = [this.use(one), this.use(other)];
    if (a === b) return;
    this.parents.set(a, b);
    for (const [text, each] of from.places) into.places.set(text, each);
    for (const [text, value] of from.candidates) into.candidates.set(text, value);
    for (const [text, value] of from.distinguishing) into.distinguishing.set(text, value);
    for (const [text, one] of from.wanted) into.wanted.set(text, one);
    for (const [text, each] of from.plural) into.plural.set(text, each);
    for (const [text, tolerance] of from.repeating) into.repeating.set(text, tolerance);
    into.isNumeric ||= from.isNumeric;
    into.isCounted ||= from.isCounted;
    this.uses.delete(a);
  }

  /** The class of a place, with the place in it. */
  use(at: Place): Use {
    const root = this.root(at.text);
    const use = this.uses.get(root) ?? {
      places: new Map(),
      candidates: new Map(),
      distinguishing: new Map(),
      wanted: new Map(),
      plural: new Map(),
      repeating: new Map(),
      isNumeric: false,
      isCounted: false,
    };
    this.uses.set(root, use);
    if (at.value !== null && !use.places.has(at.text)) {
      use.places.set(at.text, at);
      this.byTool.set(at.value.tool, [...this.placesOf(at.value.tool), at.value]);
    }
    return use;
  }

  /** The places in calls of a tool. */
  placesOf(tool: string): readonly NonNullable<Place["value"]>[] {
    return this.byTool.get(tool) ?? [];
  }

  isKnown(at: Place): boolean {
    return this.parents.has(at.text) || this.uses.has(at.text);
  }

  suggest(at: Place, values: readonly Json[]): void {
    const { candidates } = this.use(at);
    for (const value of values) {
      if (isBeyond(candidates.size + 1, "values_linked")) return;
      candidates.set(canonicalJson(value), value);
    }
  }

  /** Requests one of some values at a place, to come from the places that it is compared with. */
  want(at: Place, values: readonly Json[], sources: ReadonlySet<string> | null = null): void {
    const { wanted } = this.use(at);
    if (values.length > 0) wanted.set(`${at.text} ${canonicalJson(values)}`, { at, values, sources });
  }

  /** The samples for each place. */
  pools(budget: ValueBudget): ReadonlyMap<Place, readonly Json[]> {
    const pools = new Map<Place, readonly Json[]>();
    for (const use of this.uses.values()) {
      const pool = budget === "many" ? this.richPool(use) : [...this.pool(use, budget).values()];
      for (const each of use.places.values()) pools.set(each, pool);
    }
    return pools;
  }

  /** All values that fit some place, and numbers between and next to them. */
  private richPool(use: Use): readonly Json[] {
    const known = [...this.pool(use, "enough").values(), ...use.candidates.values()];
    const numbers = known.filter((value) => typeof value === "number");
    const between = numbers.flatMap((value) => [value / 2, value + 1]);
    const unlike = known.filter((value) => typeof value !== "number").flatMap((value) => others(value, 1));
    const fitting = [...known, ...between, ...unlike].filter((value) =>
      [...use.places.values()].some((at) => this.fits(at, value)),
    );
    const distinct = new Map(fitting.map((value) => [canonicalJson(value), value]));
    return first([...distinct.values()], "values_rich");
  }

  private root(text: string): string {
    let at = text;
    for (let up = this.parents.get(at); up !== undefined; up = this.parents.get(at)) at = up;
    return at;
  }

  private fits({ value: at }: Place, value: Json): boolean {
    return at !== null && this.samples.fits(at.tool, at.side, at.path, value);
  }

  /** As few values as possible so that every place has a fitting one, and those that a rule distinguishes. */
  private pool(use: Use, budget: ValueBudget): ReadonlyMap<string, Json> {
    const { places, candidates, distinguishing, isNumeric } = use;
    const open = new Set(places.values());
    const rated = [...distinguishing.values(), ...candidates.values()].map((value) => ({
      value,
      fitting: [...open].filter((each) => this.fits(each, value)),
    }));
    const pool = new Map<string, Json>();
    for (const { value, fitting } of rated.sort((a, b) => b.fitting.length - a.fitting.length)) {
      const isAsked = distinguishing.has(canonicalJson(value)) && (budget !== "one" || typeof value !== "number");
      if (!fitting.some((each) => open.has(each)) && !isAsked) continue;
      pool.set(canonicalJson(value), value);
      for (const each of fitting) open.delete(each);
    }
    if (isNumeric && budget !== "one") {
      const numbers = rated.filter(({ fitting }) => fitting.length > 0).map(({ value }) => value);
      const sorted = numbers.filter((value) => typeof value === "number").sort((a, b) => a - b);
      for (const value of [sorted[0], sorted.at(-1)]) if (value !== undefined) pool.set(canonicalJson(value), value);
    }
    if (budget !== "one") for (const one of use.wanted.values()) this.serve(one, places, pool);
    if (budget === "enough") this.vary(use, pool);
    return pool;
  }

  /** Adds different values where rules compare for equality. */
  private vary(use: Use, pool: Map<string, Json>): void {
    const places = [...use.places.values()];
    for (const at of use.plural.values()) this.double([at], pool);
    // If each place accepts other values, calls are varied anyway.
    if (use.isCounted && places.some((at) => this.hasOnlyOne(at, pool))) this.double(places, pool);
    for (const text of use.repeating.keys()) this.differ(use, text, pool);
  }

  /** Adds the wanted value that fits most of the other places, unless the pool has one that fits. */
  private serve({ at, values, sources }: Wanted, places: Use["places"], pool: Map<string, Json>): void {
    const others = [...places.values()].filter(({ text }) => text !== at.text && sources?.has(text) !== false);
    const fitting = (value: Json) => others.filter((each) => this.fits(each, value)).length;
    if (values.some((value) => pool.has(canonicalJson(value)) && fitting(value) > 0)) return;
    const rated = values.map((value) => ({ value, count: fitting(value) })).filter(({ count }) => count > 0);
    const [best] = rated.sort((a, b) => b.count - a.count);
    if (best !== undefined) pool.set(canonicalJson(best.value), best.value);
  }

  /** Whether a place accepts only a single value of the pool. */
  private hasOnlyOne(at: Place, pool: ReadonlyMap<string, Json>): boolean {
    const [one, two] = [...pool.values()].filter((value) => this.fits(at, value));
    return one !== undefined && two === undefined && !others(one, 2).some((value) => this.fits(at, value));
  }

  /** Adds a second value for places that only one value of the pool fits. */
  private double(places: readonly Place[], pool: Map<string, Json>): void {
    const isFit = (value: Json) => places.some((at) => this.fits(at, value));
    const [one, two] = [...pool.values()].filter(isFit);
    if (one === undefined || two !== undefined) return;
    const other = others(one, 2).find(isFit);
    if (other !== undefined) pool.set(canonicalJson(other), other);
  }

  /** Adds a value if a place cannot differ from those in the pool: the different one has to come from another place. */
  private differ({ places, candidates, repeating }: Use, text: string, pool: Map<string, Json>): void {
    const at = places.get(text);
    const own = repeating.get(text) ?? 0;
    const sources = [...places.values()].filter((each) => !repeating.has(each.text));
    if (at === undefined || sources.length === 0) return;
    const tolerance = Number.isFinite(own) ? own : 0;
    const known = [...pool.values()];
    const near = (value: Json) => (Number.isFinite(own) ? outside(value, tolerance) : []);
    // The tolerance is relative to the earlier value.
    const isMissed = (said: Json) =>
      [...known, ...near(said)].some((value) => isOutside(value, said, tolerance) && this.fits(at, value));
    const isSaid = (value: Json) => sources.some((source) => this.fits(source, value));
    if (known.some((value) => isSaid(value) && isMissed(value))) return;
    const others = [...known.flatMap((value) => outside(value, tolerance)), 0, ...candidates.values()];
    const other = others.find((value) => isSaid(value) && isMissed(value));
    if (other !== undefined) pool.set(canonicalJson(other), other);
  }
}
