import type { CheckKind } from "../../artifact/check-order.js";
import type { CheckOf, CompiledCheck } from "../../artifact/compiled.js";
import type { Program } from "../../guard/program/program.js";
import type { Watch } from "../../guard/program/tool-effects.js";

/** The checks of one kind. */
export function checksOf<K extends CompiledCheck["kind"]>(
  checks: readonly CompiledCheck[],
  kind: K,
): readonly CheckOf<K>[] {
  return checks.filter((check): check is CheckOf<K> => check.kind === kind);
}

/** The kinds of checks that read only the arguments. */
export const ARGUMENT_KINDS = [
  "schema",
  "input_invariant",
  "execution_constraint",
  "argument_invariant",
  "derived_invariant",
  "capture",
] as const satisfies readonly CheckKind[];

/** The same as a set. */
export const OF_ARGUMENTS: ReadonlySet<CheckKind> = new Set(ARGUMENT_KINDS);

/** The watch that records the earlier calls that a precondition requires. */
export function watchOf(
  { watches }: Program,
  { tool, with_output: withOutput, resource }: NonNullable<CheckOf<"precondition">["prior"]>,
): Watch | undefined {
  return watches.find((watch) => watch.tool === tool && watch.withOutput === withOutput && watch.resource === resource);
}
