import { type CompiledCheck, type CompiledTool, expressionsOf } from "./compiled.js";
import { slotsIn } from "./expression-parts.js";

/** The slots that a check reads by itself; the conditions of aggregates are part of the pack. */
export function slotsOfCheck(check: CompiledCheck): ReadonlySet<string> {
  if (check.kind === "ref") return new Set([check.slot]);
  return new Set(expressionsOf(check).flatMap(({ tree }) => [...slotsIn(tree)]));
}

/** The slots that the rules of a tool read, on its calls and on its results. */
export function slotsOfTool({ checks, ensures = [] }: CompiledTool): ReadonlySet<string> {
  const ensured = ensures.flatMap(({ that }) => [...slotsIn(that.tree)]);
  return new Set([...checks.flatMap((check) => [...slotsOfCheck(check)]), ...ensured]);
}
