/** A world in which the simulation found a bug. */
export interface KeptSeed {
  /** What went wrong there. */
  readonly bug: string;
  readonly seed: number;
  readonly world: number;
}

/** Every bug that the simulation found; each of these worlds finds its bug again if it is put back. */
export const KEPT_SEEDS: readonly KeptSeed[] = [
  {
    bug: "while an approver was asked, each announced record queued a look at the store, and calls waited behind them",
    seed: 5,
    world: 36,
  },
  {
    bug: "an append of several records whose answer was lost was followed up once for each of them, and the guard failed for good",
    seed: 1,
    world: 38,
  },
  {
    bug: "a guard that was killed while its store was away kept its own reason where another kill was recorded first",
    seed: 2,
    world: 1,
  },
  {
    bug: "a request for an approval that nobody waited for stayed usable if it was granted before its guard knew of it",
    seed: 1,
    world: 44,
  },
  {
    bug: "an append that was recorded after a conflict was reported for it was decided again, and its call was reserved twice",
    seed: 100,
    world: 634,
  },
  {
    bug: "such an append was not marked as unanswered where its caller was told that the store is unavailable",
    seed: 200,
    world: 709,
  },
];
