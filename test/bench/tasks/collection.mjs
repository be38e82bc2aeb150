import { collectedPerDecision } from "../scenario/decisions.mjs";
import { guardEngine, readArtifact } from "../scenario/guard.mjs";
import { handWrittenEngine } from "../scenario/hand-written.mjs";
import { allowedCalls } from "../scenario/traffic.mjs";

/** Garbage collection per decision of the guard, or without an artifact of the hand-written function, on a heap of its own. */
export async function measure({ artifact }) {
  const engine = artifact === undefined ? handWrittenEngine() : guardEngine(readArtifact(artifact));
  return collectedPerDecision({ engine, calls: allowedCalls() });
}
