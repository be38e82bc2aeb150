import type { CompiledAggregate } from "../../artifact/compiled.js";
import { canonicalKey } from "../../base/canonical-json.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import { readDefinite } from "../values/read-path.js";
import { addContribution, countedContribution, shiftOpen } from "./aggregate.js";
import { type AggregatePart, type AggregateState, newAggregate } from "./session.js";

/** So many values an aggregate counts apart; none is forgotten, because that would count too little. */
export const MOST_VALUES = 10_000;

/** The value that a call is counted under; undefined if it has none, or one that is no text, number or boolean. */
export function perValue({ per }: CompiledAggregate, args: Json): string | number | boolean | undefined {
  const value = per?.kind === "definite" ? readDefinite(per.steps, args) : undefined;
  return typeof value === "object" ? undefined : value;
}

/** The key of such a value: its canonical JSON, so that 1 and "1" are different ones, or the hash of a long text. */
export const partKey: (value: string | number | boolean) => string = canonicalKey;

/** The key of a call that was reserved. One that takes too much work to make has none: no such call can be judged. */
export function partOf(aggregate: CompiledAggregate, args: Json): string | undefined {
  const value = perValue(aggregate, args);
  if (value === undefined) return undefined;
  return withinBudget<string | undefined>(
    () => partKey(value),
    () => undefined,
  );
}

/** The part that a call counts in, which is made if need be, also for one that adds nothing; undefined if it has no value. */
function partFor(
  aggregate: CompiledAggregate,
  parts: Map<string, AggregatePart>,
  args: Json,
): AggregatePart | undefined {
  const key = partOf(aggregate, args);
  if (key === undefined) return undefined;
  const part = parts.get(key) ?? { key, state: newAggregate(false), isKept: false, open: 0 };
  parts.set(key, part);
  return part;
}

/** Adds to (1), or subtracts from (-1), what unsettled calls may still change; a value that only they had is free again. */
export function shiftOpenPart(
  aggregate: CompiledAggregate,
  parts: Map<string, AggregatePart>,
  args: Json,
  sign: 1 | -1,
): void {
  const part = partFor(aggregate, parts, args);
  if (part === undefined) return;
  shiftOpen(aggregate, part.state, args, sign);
  part.open += sign;
  if (part.open === 0 && !part.isKept) parts.delete(part.key);
}

/** Adds a call that surely counts. */
export function addCall(aggregate: CompiledAggregate, state: AggregateState, args: Json): void {
  const part = state.parts === null ? null : partFor(aggregate, state.parts, args);
  if (part === undefined) return;
  if (part !== null) part.isKept = true;
  const contribution = countedContribution(aggregate, args);
  if (contribution !== null) addContribution(aggregate, part?.state ?? state, contribution);
}
