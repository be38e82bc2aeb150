import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { narrowerThan, weakerThan } from "../../operators/index.js";

type Entry = { readonly operators: readonly CompiledOperator[] };

/** An entry with one operator changed, or with one less where it has several. */
function changedEntry<E extends Entry>(changed: typeof weakerThan, entry: E, canDrop: boolean): readonly E[] {
  const { operators } = entry;
  return operators.flatMap((operator, at) => {
    const fewer = canDrop && operators.length > 1 ? [operators.filter((_, other) => other !== at)] : [];
    const others = changed(operator).map((next) => operators.map((each, index) => (index === at ? next : each)));
    return [...fewer, ...others].map((next) => ({ ...entry, operators: next }));
  });
}

/** Entries that more values meet. */
export function weakerEntries<E extends Entry>(entry: E): readonly E[] {
  return changedEntry(weakerThan, entry, true);
}

/** Entries that fewer values meet; for conditions under which something is denied or an approval is asked for. */
export function narrowerEntries<E extends Entry>(entry: E): readonly E[] {
  return changedEntry(narrowerThan, entry, false);
}
