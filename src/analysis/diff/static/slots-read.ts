import type { CompiledPack } from "../../../artifact/compiled.js";

const slotsOf = new WeakMap<CompiledPack, ReadonlySet<string>>();

/** The slots that rules of the pack read; cached, because every tool needs them. */
export function slotsRead(pack: CompiledPack): ReadonlySet<string> {
  const known = slotsOf.get(pack);
  if (known !== undefined) return known;
  const refs = pack.tools.flatMap(({ checks }) =>
    checks.flatMap((check) => (check.kind === "ref" ? [check.slot] : [])),
  );
  const slots = new Set([...refs, ...pack.aggregates.flatMap(({ when }) => when.map(({ slot }) => slot))]);
  slotsOf.set(pack, slots);
  return slots;
}
