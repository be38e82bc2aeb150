import { nanosecondsPerAwaited } from "../scenario/decisions.mjs";
import { awaitedEngine, readArtifact } from "../scenario/guard.mjs";
import { handWrittenEngine } from "../scenario/hand-written.mjs";
import { allowedCalls } from "../scenario/traffic.mjs";

/**
 * Nanoseconds of an awaited `guard.propose` and of the hand-written function behind an async one, both of which copy the
 * arguments. In a process of its own: what ran before leaves both slower, and the hand-written function more so.
 */
export async function measure({ artifact }) {
  const calls = allowedCalls();
  return nanosecondsPerAwaited({
    guard: { engine: await awaitedEngine(readArtifact(artifact)), calls },
    handWritten: { engine: handWrittenEngine({ work: "awaited" }), calls },
    handWrittenSpread: { engine: handWrittenEngine({ work: "spread" }), calls },
  });
}
