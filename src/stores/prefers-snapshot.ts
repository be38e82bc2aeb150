/** A reader that is behind by fewer records than this gets them: a snapshot is about as long, and has to be read as a whole. */
const SNAPSHOT_GAP = 64;

/** Whether a snapshot is the cheaper way from a revision to the present. */
export function prefersSnapshot(snapshot: { readonly revision: number } | null, after: number | undefined): boolean {
  return snapshot !== null && snapshot.revision >= leastSnapshot(after);
}

/** The oldest snapshot that is worth reading for a reader at a revision. */
export function leastSnapshot(after: number | undefined): number {
  return after === undefined ? 0 : after + SNAPSHOT_GAP;
}
