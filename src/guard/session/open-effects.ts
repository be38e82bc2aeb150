import { canonicalJson } from "../../base/canonical-json.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import type { ReferenceName, Watch } from "../program/tool-effects.js";
import { readValue } from "../values/read-value.js";
import { type Call, type Possible, UNKNOWN } from "./call.js";
import { entityOf } from "./entity.js";
import { NumberBag } from "./number-bag.js";
import { OpenChanges } from "./slots/open-changes.js";

/** Counts how often each text was added and not removed again. */
function shiftCount(counts: Map<string, number>, text: string, sign: 1 | -1): void {
  const count = (counts.get(text) ?? 0) + sign;
  if (count > 0) counts.set(text, count);
  else counts.delete(text);
}

/** Distinguishes values: the canonical text, or the value itself. Numbers and unknown values need none. */
type Key = string | object | null;

/** Computed once per call, whose value does not change; with a budget of its own if there is none yet. */
function keyOf(value: Possible): Key {
  if (value === undefined || value === UNKNOWN || typeof value === "number") return null;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return withinBudget<Key>(
    () => canonicalJson(value),
    () => value,
  );
}

/** What the open calls may write to one place. */
export class OpenWrites {
  private readonly byCall = new Map<
    Call,
    { readonly value: Possible; readonly key: Key; readonly mayUnset: boolean }
  >();
  private unset = 0;
  /** Calls that leave the place unset if their output is rejected. */
  private mayUnset = 0;
  private unknown = 0;
  private readonly numbers = new NumberBag();
  private hasTextless = false;
  /** Values other than numbers, by their canonical text, or by themselves if that takes too much work. */
  private readonly others = new Map<Key, { readonly value: Json; count: number }>();

  get calls(): Iterable<Call> {
    return this.byCall.keys();
  }

  get size(): number {
    return this.byCall.size;
  }

  set(call: Call, value: Possible, mayUnset: boolean, key: Key = keyOf(value)): void {
    this.delete(call);
    this.byCall.set(call, { value, key, mayUnset });
    if (mayUnset) this.mayUnset += 1;
    this.shift(value, key, 1);
  }

  delete(call: Call): void {
    const known = this.byCall.get(call);
    if (known === undefined) return;
    if (known.mayUnset) this.mayUnset -= 1;
    this.shift(known.value, known.key, -1);
    this.byCall.delete(call);
  }

  copy(twinOf: (call: Call) => Call): OpenWrites {
    const copy = new OpenWrites();
    for (const [call, { value, key, mayUnset }] of this.byCall) copy.set(twinOf(call), value, mayUnset, key);
    return copy;
  }

  /** Every value, once. The numbers are sorted: their order must not depend on calls that have ended. */
  values(): readonly Possible[] {
    return [
      ...this.special(),
      ...[...this.numbers.counts.keys()].sort((a, b) => a - b),
      ...Array.from(this.others.values(), ({ value }) => value),
    ];
  }

  /**
   * A few values that represent all of them, for a condition that holds for an interval of numbers and for at most one other
   * value.
   */
  samples(): readonly Possible[] {
    const samples = this.special();
    const { least, greatest } = this.numbers;
    if (least !== null) samples.push(least);
    if (greatest !== null && greatest !== least) samples.push(greatest);
    let left = 2;
    for (const [key, { value }] of this.others) {
      if (typeof key === "string") left -= 1;
      // It is unknown which values without a text are equal, so none of them represents another.
      if (left >= 0 || typeof key !== "string") samples.push(value);
      else if (!this.hasTextless) break;
    }
    return samples;
  }

  private special(): Possible[] {
    const special: Possible[] = [];
    if (this.unset + this.mayUnset > 0) special.push(undefined);
    if (this.unknown > 0) special.push(UNKNOWN);
    return special;
  }

  private shift(value: Possible, key: Key, sign: 1 | -1): void {
    if (value === undefined) this.unset += sign;
    else if (value === UNKNOWN) this.unknown += sign;
    else if (typeof value === "number") this.shiftNumber(value, sign);
    else this.shiftOther(value, key, sign);
  }

  private shiftNumber(value: number, sign: 1 | -1): void {
    if (sign === 1) this.numbers.add(value);
    else this.numbers.remove(value);
  }

  private shiftOther(value: Json, key: Key, sign: 1 | -1): void {
    const known = this.others.get(key) ?? { value, count: 0 };
    known.count += sign;
    if (known.count > 0) this.others.set(key, known);
    else this.others.delete(key);
    if (typeof key !== "string") this.hasTextless = true;
  }
}

/** What open calls may still change. Invariant: without calls that were committed at dispatch; they have written already. */
export class OpenEffects {
  /** Phases that open calls may lead to. */
  readonly phases = new Map<string, number>();
  private readonly priors = new Map<string, number>();
  private readonly writes = new Map<string, OpenWrites>();
  /** By the keyed slot or union. */
  private readonly changes = new Map<string, OpenChanges>();

  get isEmpty(): boolean {
    return this.phases.size === 0 && this.priors.size === 0 && this.writes.size === 0 && this.changes.size === 0;
  }

  collection(slot: string): OpenChanges | undefined {
    return this.changes.get(slot);
  }

  slot(name: string): OpenWrites | undefined {
    return this.writes.get(slotPlace(name));
  }

  reference(envelope: number, name: ReferenceName): OpenWrites | undefined {
    return this.writes.get(referencePlace(envelope, name));
  }

  /** Whether a call that a precondition waits for is open. */
  hasPrior(watch: Watch, entity: string): boolean {
    return this.priors.has(`${watch.index} ${entity}`);
  }

  /** Adds a call (1), or removes it (-1). */
  shift(call: Call, sign: 1 | -1): void {
    const { tool, args } = call;
    if (tool.advancesTo !== null) shiftCount(this.phases, tool.advancesTo, sign);
    for (const watch of tool.watches) {
      const entity = entityOf(watch, args);
      if (entity !== null) shiftCount(this.priors, `${watch.index} ${entity}`, sign);
    }
    for (const bind of tool.binds) this.write(slotPlace(bind.slot), call, sign, bind, tool.rebinds.includes(bind.slot));
    for (const slot of tool.unbinds) this.write(slotPlace(slot), call, sign, null);
    for (const effect of tool.collections) this.change(effect, call, sign);
    for (const { envelope, stage, writes } of tool.stages) {
      if (writes !== null) this.write(referencePlace(envelope, writes), call, sign, stage);
    }
  }

  copy(twinOf: (call: Call) => Call): OpenEffects {
    const copy = new OpenEffects();
    for (const [phase, count] of this.phases) copy.phases.set(phase, count);
    for (const [prior, count] of this.priors) copy.priors.set(prior, count);
    for (const [place, writes] of this.writes) copy.writes.set(place, writes.copy(twinOf));
    for (const [slot, changes] of this.changes) copy.changes.set(slot, changes.copy(twinOf));
    return copy;
  }

  /** A place without a source is unbound. */
  private write(place: string, call: Call, sign: 1 | -1, from: Source | null, mayUnset = false) {
    const writes = this.writes.get(place) ?? new OpenWrites();
    if (sign === 1) writes.set(call, from === null ? undefined : writtenValue(call, from), mayUnset);
    else writes.delete(call);
    if (writes.size > 0) this.writes.set(place, writes);
    else this.writes.delete(place);
  }

  private change(effect: Call["tool"]["collections"][number], call: Call, sign: 1 | -1) {
    const changes = this.changes.get(effect.slot) ?? new OpenChanges();
    if (sign === 1) changes.add(call, effect);
    else changes.delete(call);
    if (changes.size > 0) this.changes.set(effect.slot, changes);
    else this.changes.delete(effect.slot);
  }
}

/** Where the value of a slot or a reference is read from. */
type Source = Pick<Call["tool"]["binds"][number], "source" | "path" | "decode">;

/** The value that a call writes if it happens; an output that has not arrived may be anything. */
export function writtenValue({ args }: Call, { source, path, decode }: Source): Possible {
  if (source === "output") return UNKNOWN;
  return readValue({ path, decode }, args);
}

function slotPlace(slot: string): string {
  return `slot ${slot}`;
}

function referencePlace(envelope: number, name: ReferenceName): string {
  return `reference ${envelope} ${name}`;
}

/** Whether a call of a tool changes anything of that kind while it is open. */
export function hasOpenEffects({ advancesTo, watches, binds, unbinds, collections, stages }: Call["tool"]): boolean {
  if (advancesTo !== null || watches.length > 0 || binds.length > 0 || stages.length > 0) return true;
  return unbinds.length > 0 || collections.length > 0;
}
