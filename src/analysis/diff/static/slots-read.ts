import type { CompiledPack } from "../../../artifact/compiled.js";
import { expressionSlots } from "../../model/expression-slots.js";

const slotsOf = new WeakMap<CompiledPack, ReadonlySet<string>>();

/** The slots that rules of the pack read; cached, because every tool needs them. */
export function slotsRead(pack: CompiledPack): ReadonlySet<string> {
  const known = slotsOf.get(pack);
  if (known !== undefined) return known;
  const refs = pack.tools.flatMap(({ checks }) =>
    checks.flatMap((check) => (check.kind === "ref" ? [check.slot] : [])),
  );
  const conditions = pack.aggregates.flatMap(({ when }) => when.map(({ slot }) => slot));
  const inExpressions = pack.tools.flatMap(expressionSlots);
  const slots = new Set([...refs, ...conditions, ...inExpressions]);
  slotsOf.set(pack, slots);
  return slots;
}
