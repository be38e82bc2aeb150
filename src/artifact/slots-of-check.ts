import { type CompiledCheck, expressionsOf } from "./compiled.js";
import { slotsIn } from "./expression-parts.js";

/** The slots that a check reads by itself; the conditions of aggregates are part of the pack. */
export function slotsOfCheck(check: CompiledCheck): ReadonlySet<string> {
  if (check.kind === "ref") return new Set([check.slot]);
  return new Set(expressionsOf(check).flatMap(({ tree }) => [...slotsIn(tree)]));
}
