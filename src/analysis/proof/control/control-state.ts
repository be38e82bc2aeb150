/**
 * A set of sessions: those in the phase, in which no other calls of the view's tools were committed, allowed or are open than
 * these, and in which its counters are at least this high.
 */
export interface ControlState {
  /** Null where phases are not looked at. */
  readonly phase: string | null;
  /** What the goal remembers, exactly: 1 once `other` was committed, or the calls that may have happened. */
  readonly past: number;
  readonly committed: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
  /** How many calls of each tool may be open. */
  readonly open: ReadonlyMap<string, number>;
  /** By the counters of the view. */
  readonly counts: readonly number[];
}

function isPart(inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean {
  for (const name of inner) if (!outer.has(name)) return false;
  return true;
}

/** Whether all sessions of one state are among those of another. */
export function isWithin(inner: ControlState, outer: ControlState): boolean {
  if (inner.phase !== outer.phase || inner.past !== outer.past) return false;
  if (!isPart(inner.committed, outer.committed) || !isPart(inner.allowed, outer.allowed)) return false;
  for (const [name, most] of inner.open) if (most > (outer.open.get(name) ?? 0)) return false;
  return inner.counts.every((count, at) => count >= (outer.counts[at] ?? 0));
}

export function placeOf({ phase, past }: ControlState): string {
  return JSON.stringify([phase, past]);
}
