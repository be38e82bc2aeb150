import { nanosecondsPerDecision, runCalls } from "../scenario/decisions.mjs";
import { guardEngine, readArtifact } from "../scenario/guard.mjs";
import { peerEngine } from "../scenario/peer.mjs";
import { allowedCalls, mixedCalls } from "../scenario/traffic.mjs";

/** Peers say no more than yes or no. */
function withoutReasons(calls) {
  return calls.map((call) => ({ ...call, refusedBy: call.refusedBy === null ? null : "peer" }));
}

async function decideOf(peer) {
  const { makeDecide } = await import(`../peers/${peer}.mjs`);
  const decide = await makeDecide();
  // A peer that allowed everything would be fast: it has to refuse what traffic B wants refused.
  runCalls(peerEngine(decide), withoutReasons(mixedCalls()));
  return decide;
}

/** Nanoseconds per decision on traffic A: of the guard, of a peer, or of both, taking turns. */
export async function measure({ artifact: text, peer, turn }) {
  const artifact = text === undefined ? null : readArtifact(text);
  const decide = peer === undefined ? null : await decideOf(peer);
  const calls = allowedCalls();
  const compare = (work) => {
    const guard = artifact === null ? {} : { guard: { engine: guardEngine(artifact, { work }), calls } };
    const other = decide === null ? {} : { peer: { engine: peerEngine(decide, { work }), calls, turn } };
    return nanosecondsPerDecision({ ...guard, ...other });
  };
  return { core: compare("core"), copying: compare("copying"), judging: compare("judging") };
}
