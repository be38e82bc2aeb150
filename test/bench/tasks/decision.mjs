import { nanosecondsPerDecision } from "../scenario/decisions.mjs";
import { guardEngine, readArtifact } from "../scenario/guard.mjs";
import { handWrittenEngine } from "../scenario/hand-written.mjs";
import { allowedCalls, mixedCalls } from "../scenario/traffic.mjs";

/** The guard and the hand-written function with the same calls, on sessions that are new to both. */
function contestants(artifact, calls, work) {
  return {
    guard: { engine: guardEngine(artifact, { work }), calls },
    handWritten: { engine: handWrittenEngine({ work }), calls },
  };
}

export function measure({ artifact: text }) {
  const artifact = readArtifact(text);
  const allowed = allowedCalls();
  return {
    allowed: nanosecondsPerDecision(contestants(artifact, allowed, "core")),
    copying: nanosecondsPerDecision(contestants(artifact, allowed, "copying")),
    judging: nanosecondsPerDecision(contestants(artifact, allowed, "judging")),
    mixed: nanosecondsPerDecision(contestants(artifact, mixedCalls(), "core")),
  };
}
