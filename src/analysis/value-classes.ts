import { canonicalJson } from "../base/canonical-json.js";
import type { Json } from "../base/json.js";
import type { JsonPath } from "../base/json-path.js";
import { isOutside, outside } from "./other-values.js";

/** Which part of a call a path leads into. */
export type Side = "arguments" | "output";

/** What a call of a tool plainly looks like, and whether it may look otherwise. */
export interface Samples {
  /** Undefined where none is known. */
  plain(tool: string, side: Side): Json | undefined;
  /** Whether the tool's own rules let that value stand there. */
  fits(tool: string, side: Side, path: JsonPath, value: Json): boolean;
}

/** More values than these at one place bring more states than insight. */
export const MOST_CANDIDATES = 16;

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

/** What rules do with the values of one class of places. */
interface Use {
  readonly places: Map<string, Place>;
  readonly candidates: Map<string, Json>;
  /** Values that a rule of the session tells apart from others. */
  readonly telling: Map<string, Json>;
  /** Texts of places that must repeat a value, with how far from it they may be: without end where they cannot differ. */
  readonly repeating: Map<string, number>;
  isNumeric: boolean;
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
    for (const [text, tolerance] of from.repeating) into.repeating.set(text, tolerance);
    into.isNumeric ||= from.isNumeric;
    this.uses.delete(a);
  }

  /** The class of a place, with the place in it. */
  use(at: Place): Use {
    const root = this.root(at.text);
    const use = this.uses.get(root) ?? {
      places: new Map(),
      candidates: new Map(),
      telling: new Map(),
      repeating: new Map(),
      isNumeric: false,
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
    for (const value of values) if (candidates.size < MOST_CANDIDATES) candidates.set(canonicalJson(value), value);
  }

  /** What to try at each place. */
  pools(): ReadonlyMap<Place, readonly Json[]> {
    const pools = new Map<Place, readonly Json[]>();
    for (const use of this.uses.values()) {
      const pool = this.pool(use);
      for (const each of use.places.values()) pools.set(each, pool);
    }
    return pools;
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
  private pool(use: Use): readonly Json[] {
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
    const [only] = pool.values();
    if (pool.size === 1 && only !== undefined) pool.set("other", this.differing(use, only) ?? only);
    return [...pool.values()];
  }

  /** Where a place cannot fail to repeat the one value there is, another one has to come from elsewhere. */
  private differing({ places, candidates, repeating }: Use, only: Json): Json | undefined {
    const tolerance = Math.max(0, ...[...repeating.values()].filter(Number.isFinite));
    const values = [...outside(only, tolerance), ...candidates.values()].filter((value) =>
      isOutside(value, only, tolerance),
    );
    const fitting = (at: Place | undefined) => values.find((value) => at !== undefined && this.fits(at, value));
    const isFree = ([text, own]: readonly [string, number]) =>
      Number.isFinite(own) && fitting(places.get(text)) !== undefined;
    if ([...repeating].every(isFree)) return undefined;
    const sources = [...places].filter(([text]) => !repeating.has(text));
    return sources.map(([, at]) => fitting(at)).find((value) => value !== undefined);
  }
}
