import type { PackRule } from "../../artifact/pack-rules.js";
import type { Scenario } from "../../artifact/scenario.js";

/** A mutant that no test notices. */
export interface Survivor {
  readonly rule: PackRule;
  readonly change: string;
  /** A session that would have noticed it; null if none was found. */
  readonly noticing: { readonly scenario: Scenario; readonly env: Readonly<Record<string, string>> } | null;
}

/** What became of the mutants of a pack. */
export interface Mutation {
  readonly killed: number;
  readonly survivors: readonly Survivor[];
  /** Mutants that provably mean the same as the pack. */
  readonly redundant: number;
  /** Rules that provably refuse nothing that no other rule refuses; without those that nobody wrote. */
  readonly redundantRules: readonly PackRule[];
}

/** Killed mutants of those that could be, in percent; rounded down, so that 100 is all of them. */
export function mutationScore({ killed, survivors }: Pick<Mutation, "killed" | "survivors">): number {
  const all = killed + survivors.length;
  return all === 0 ? 100 : Math.floor((100 * killed) / all);
}
