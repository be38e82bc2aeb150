/** How far a proof is tried. Beyond each of these bounds less is proved, and nothing else changes. */
export const MOST = {
  /** States that are explored for one view and one kind of principal. */
  states: 1500,
  /** Views of one kind of principal: each refines the one before. */
  views: 40,
  /** Comparisons of states for one goal. */
  effort: 200_000,
  /** Kinds of principals; the path with the most values is otherwise taken to hold anything. */
  kinds: 512,
  /** Ways in which checkpoints do not ask; further conditions are not looked at. */
  ways: 64,
  /** The share of a bound by which sums may exceed it: rounding must never refuse what the guard allows. */
  rounding: 1e-9,
} as const;
