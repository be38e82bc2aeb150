import { runTask } from "../child.mjs";
import { installPeers } from "../install-peers.mjs";
import { figure, median, middleOf, rounded, skippedFigure } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/**
 * `turn` is how many batches of calls a turn has, fewer for slow peers.
 * `apart`: cedar-wasm 4.13 and the guard in one process bring down Node 20 (V8's deoptimiser).
 */
const PEERS = [
  { peer: "cel", name: "@marcbachmann/cel-js", turn: 8, atLeast: 4 },
  { peer: "casbin", name: "casbin, enforceSync", turn: 4, atLeast: 10 },
  { peer: "agt", name: "@microsoft/agent-governance-sdk, 10 rules", turn: 1, atLeast: 40 },
  { peer: "cedar", name: "@cedar-policy/cedar-wasm, pre-parsed", turn: 1, atLeast: 200, apart: true },
];

/** Each comparison is made in so many processes, or pairs of them. */
const ROUNDS = 5;

/** In processes of their own the two take turns process by process. */
function measureApart(artifact, input) {
  const rounds = Array.from({ length: ROUNDS }, () => [runTask("peer", { artifact }), runTask("peer", input)]);
  const medians = (work) => ({
    guard: median(rounds.map(([own]) => own[work].guard)),
    peer: median(rounds.map(([, other]) => other[work].peer)),
  });
  return { core: medians("core"), copying: medians("copying"), judging: medians("judging") };
}

/** In one process they take turns call by call; each kind of work counts where its ratio lies in the middle. */
function measureTogether(artifact, input) {
  const rounds = Array.from({ length: ROUNDS }, () => runTask("peer", { artifact, ...input }));
  const middle = (work) =>
    middleOf(
      rounds.map((round) => round[work]),
      "peer",
      "guard",
    );
  return { core: middle("core"), copying: middle("copying"), judging: middle("judging") };
}

function skipped({ peer, name, atLeast }, reason) {
  return { peer, value: skippedFigure("ratio", { atLeast }, reason), row: [name, ..."-------"] };
}

function measurePeer(contestant, artifact) {
  const { peer, name, turn, atLeast, apart = false } = contestant;
  try {
    const { core, copying, judging } = (apart ? measureApart : measureTogether)(artifact, { peer, turn });
    const columns = [core.peer, ...[core, copying, judging].flatMap(({ guard, peer: ns }) => [guard, ns / guard])];
    const value = figure(core.peer / core.guard, "ratio", { atLeast });
    return { peer, value, row: [name, ...columns.map(rounded)] };
  } catch (cause) {
    return skipped(contestant, cause.message);
  }
}

/** How many times longer other engines take for a decision on the same content. */
export const peers = {
  title: "The same decisions by other engines, traffic A",
  figures: PEERS.map(({ peer }) => `${peer}_vs_decision`),
  run(progress) {
    const artifact = scenarioArtifact();
    const failure = installPeers(progress);
    const measured = PEERS.map((peer) => {
      if (failure !== null) return skipped(peer, failure);
      progress(peer.name);
      return measurePeer(peer, artifact);
    });
    return {
      figures: Object.fromEntries(measured.map(({ peer, value }) => [`${peer}_vs_decision`, value])),
      table: {
        columns: ["engine", "ns", "guard ns", "ratio", "copying: ns", "ratio", "deciding only: ns", "ratio"],
        rows: measured.map(({ row }) => row),
      },
    };
  },
};
