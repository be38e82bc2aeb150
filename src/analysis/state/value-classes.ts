import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { isOutside, others, outside } from "../calls/other-values.js";
import { first, isBeyond } from "../model/caps.js";

/** Which part of a call a path leads into. */
export type Side = "arguments" | "output";

/** What a call of a tool plainly looks like, and whether it may look otherwise. */
export interface Samples {
  /** Undefined where none is known. */
  plain(tool: string, side: Side): Json | undefined;
  /** Whether the tool's own rules let that value stand there. */
  fits(tool: string, side: Side, path: JsonPath, value: Json): boolean;
}

/** How many values are tried at a place: one that does, others where rules ask whether two are equal, or many. */
export type Wealth = "few" | "enough" | "many";

/** A place that a value flows through. */
export interface Place {
  readonly text: string;
  /** Null for what only connects others. */
  readonly value: { readonly tool: string; readonly side: Side; readonly path: JsonPath } | null;
}

/** A place in the calls of a tool. */
export function place(tool: string, side: Side, path: JsonPath): Place {
  return { text: `${side} ${tool} ${path.text}`, value: { tool, side, path } };
}

/** What only connects other places. */
export function junction(text: string): Place {
  return { text, value: null };
}

/** What flows through a slot. */
export const slotPlace = (slot: string): Place => junction(`slot ${slot}`);

/** Values that would all serve a rule at a place which has to repeat what was said elsewhere; the likeliest first. */
interface Wanted {
  readonly at: Place;
  readonly values: readonly Json[];
  /** Texts of the places that it is to come from; null for any other. */
  readonly sources: ReadonlySet<string> | null;
}

/** What rules do with the values of one class of places. */
interface Use {
  readonly places: Map<string, Place>;
  readonly candidates: Map<string, Json>;
  /** Values that a rule of the session tells apart from others. */
  readonly telling: Map<string, Json>;
  /** By what asks for it and where: values of which one has to come from elsewhere. */
  readonly wanted: Map<string, Wanted>;
  /** Places at which two different values are needed, by their texts. */
  readonly plural: Map<string, Place>;
  /** Texts of places that must repeat a value, with how far from it they may be: without end where they cannot differ. */
  readonly repeating: Map<string, number>;
  isNumeric: boolean;
  /** Whether it matters how many different values there are, wherever. */
  isCounted: boolean;
}

/** Places joined by rules that compare what flows through them. */
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
    for (const [text, value] of from.telling) into.telling.set(text, value);
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
      telling: new Map(),
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

  /** Asks for one of some values at a place, to be had from the places that it is compared with. */
  want(at: Place, values: readonly Json[], sources: ReadonlySet<string> | null = null): void {
    const { wanted } = this.use(at);
    if (values.length > 0) wanted.set(`${at.text} ${canonicalJson(values)}`, { at, values, sources });
  }

  /** What to try at each place. */
  pools(wealth: Wealth): ReadonlyMap<Place, readonly Json[]> {
    const pools = new Map<Place, readonly Json[]>();
    for (const use of this.uses.values()) {
      const pool = wealth === "many" ? this.richPool(use) : [...this.pool(use, wealth).values()];
      for (const each of use.places.values()) pools.set(each, pool);
    }
    return pools;
  }

  /** Whatever fits anywhere, and numbers between and beside those that do. */
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

  /** As few values as let every place have one that fits, with those that a rule tells apart. */
  private pool(use: Use, wealth: Wealth): ReadonlyMap<string, Json> {
    const { places, candidates, telling, isNumeric } = use;
    const open = new Set(places.values());
    const rated = [...telling.values(), ...candidates.values()].map((value) => ({
      value,
      fitting: [...open].filter((each) => this.fits(each, value)),
    }));
    const pool = new Map<string, Json>();
    for (const { value, fitting } of rated.sort((a, b) => b.fitting.length - a.fitting.length)) {
      if (!fitting.some((each) => open.has(each)) && !telling.has(canonicalJson(value))) continue;
      pool.set(canonicalJson(value), value);
      for (const each of fitting) open.delete(each);
    }
    if (isNumeric) {
      const numbers = rated.filter(({ fitting }) => fitting.length > 0).map(({ value }) => value);
      const sorted = numbers.filter((value) => typeof value === "number").sort((a, b) => a - b);
      for (const value of [sorted[0], sorted.at(-1)]) if (value !== undefined) pool.set(canonicalJson(value), value);
    }
    for (const one of use.wanted.values()) this.serve(one, places, pool);
    if (wealth !== "few") this.vary(use, pool);
    return pool;
  }

  /** Adds values where it matters that there is another one. */
  private vary(use: Use, pool: Map<string, Json>): void {
    const places = [...use.places.values()];
    for (const at of use.plural.values()) this.double([at], pool);
    // Where each place has others, calls are varied anyhow.
    if (use.isCounted && places.some((at) => this.isSole(at, pool))) this.double(places, pool);
    for (const text of use.repeating.keys()) this.differ(use, text, pool);
  }

  /** Adds the value that fits most of the other places, unless the pool has one that will do. */
  private serve({ at, values, sources }: Wanted, places: Use["places"], pool: Map<string, Json>): void {
    const others = [...places.values()].filter(({ text }) => text !== at.text && sources?.has(text) !== false);
    const fitting = (value: Json) => others.filter((each) => this.fits(each, value)).length;
    if (values.some((value) => pool.has(canonicalJson(value)) && fitting(value) > 0)) return;
    const rated = values.map((value) => ({ value, count: fitting(value) })).filter(({ count }) => count > 0);
    const [best] = rated.sort((a, b) => b.count - a.count);
    if (best !== undefined) pool.set(canonicalJson(best.value), best.value);
  }

  /** Whether a place takes no other value than one of the pool. */
  private isSole(at: Place, pool: ReadonlyMap<string, Json>): boolean {
    const [one, two] = [...pool.values()].filter((value) => this.fits(at, value));
    return one !== undefined && two === undefined && !others(one, 2).some((value) => this.fits(at, value));
  }

  /** Adds another value for places that only one of the pool fits. */
  private double(places: readonly Place[], pool: Map<string, Json>): void {
    const isFit = (value: Json) => places.some((at) => this.fits(at, value));
    const [one, two] = [...pool.values()].filter(isFit);
    if (one === undefined || two !== undefined) return;
    const other = others(one, 2).find(isFit);
    if (other !== undefined) pool.set(canonicalJson(other), other);
  }

  /** Adds a value where a place cannot fail to repeat those there are: another one has to come from elsewhere. */
  private differ({ places, candidates, repeating }: Use, text: string, pool: Map<string, Json>): void {
    const at = places.get(text);
    const own = repeating.get(text) ?? 0;
    const sources = [...places.values()].filter((each) => !repeating.has(each.text));
    if (at === undefined || sources.length === 0) return;
    const tolerance = Number.isFinite(own) ? own : 0;
    const known = [...pool.values()];
    const near = (value: Json) => (Number.isFinite(own) ? outside(value, tolerance) : []);
    // The tolerance is measured by what was said before.
    const isMissed = (said: Json) =>
      [...known, ...near(said)].some((value) => isOutside(value, said, tolerance) && this.fits(at, value));
    const isSaid = (value: Json) => sources.some((source) => this.fits(source, value));
    if (known.some((value) => isSaid(value) && isMissed(value))) return;
    const others = [...known.flatMap((value) => outside(value, tolerance)), 0, ...candidates.values()];
    const other = others.find((value) => isSaid(value) && isMissed(value));
    if (other !== undefined) pool.set(canonicalJson(other), other);
  }
}
