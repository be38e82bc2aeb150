/** How many steps a judgement may take. */
export const MOST_STEPS = 100_000;

/** The judgement took more steps than it may: it ends at once, whatever stands around the part that did. */
export class TooManySteps extends Error {}

/** Counts one step for each node that is evaluated and one for each element that is visited. */
export class Steps {
  private taken = 0;

  take(count = 1): void {
    this.taken += count;
    if (this.taken > MOST_STEPS) throw new TooManySteps("the judgement takes too many steps");
  }
}
