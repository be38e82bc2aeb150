/** Why a verdict, a part of it or a record cannot be decided anew. */
export type Why =
  /** Only the parts of the arguments are stored that other rules read, so the JSON Schema was not judged. */
  | "schema"
  /** The policy was not judged: the principal with the recorded digest was not given. */
  | "principal"
  /** A rule was not judged: it compares with an environment variable that is not set. */
  | "environment"
  /** The verdict was that judging takes too much work, which depends on values that are not stored. */
  | "cost"
  /** The arguments were no JSON object, or too large: nothing of them is stored. */
  | "arguments"
  /** The rules on outputs were not judged: outputs are not stored whole. */
  | "output"
  /** The guard refused because of an answer that was given and not recorded yet. */
  | "unrecorded_answer"
  /** The record is sealed, or comes after one that is. */
  | "sealed"
  /** The record is of another artifact. */
  | "artifact"
  /** The session was migrated, and its state at that time is not stored any more. */
  | "migration"
  /** A record before it cannot be read or does not fit. */
  | "broken"
  /** The log of the workflow that it was judged by cannot be read that far. */
  | "workflow";

/** Counts by reason what was not decided anew. */
export class Skipped {
  private readonly counts = new Map<Why, number>();

  add(why: Why, count = 1): void {
    this.counts.set(why, (this.counts.get(why) ?? 0) + count);
  }

  get all(): Readonly<Partial<Record<Why, number>>> {
    return Object.fromEntries([...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
