import { fileURLToPath } from "node:url";
import { runTask } from "../child.mjs";
import { packOfEnvelopes } from "../envelope-pack.mjs";
import { onDisk } from "../generated-pack.mjs";
import { figure, rounded } from "../measure.mjs";
import { packOfPhases } from "../phase-pack.mjs";

const EXAMPLES = ["minimal", "refunds", "trading", "code-review"];
const PHASES = 20;
const TOOLS_A_PHASE = 10;
const ENVELOPES = 6;
const RUNS = 3;

/** The run of median length of a few, each in a process of its own: what is timed is the first time, nothing is warm. */
function medianRun(folder) {
  const runs = Array.from({ length: RUNS }, () => runTask("verify", { folder }));
  return runs.sort((a, b) => a.seconds - b.seconds)[Math.floor(RUNS / 2)];
}

/** Two versions of a pack: the sum that its calls may come to, and the amount of one tool, are higher in the second. */
function twoVersions(use) {
  const files = packOfPhases(PHASES, TOOLS_A_PHASE);
  const changed = new Map(
    [...files].map(([name, text]) => [
      name,
      name === "session.yaml" ? text.replace("lte: 500", "lte: 600") : text.replace("lte: 105 }", "lte: 106 }"),
    ]),
  );
  return onDisk(files, (before) => onDisk(changed, (after) => use({ before, after })));
}

function words(counts) {
  return Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");
}

function row(name, { seconds, megabytes, rules, states, hit }) {
  return [name, rounded(seconds), Math.round(megabytes), states, words(rules), hit.length];
}

/** How long exploring a pack takes, and how much memory the whole process had. */
export const verification = {
  title: "Exploring packs",
  figures: [
    "verify_examples_seconds",
    "verify_200x20_seconds",
    "verify_200x20_mb",
    "verify_400x20_seconds",
    "verify_envelopes_seconds",
    "diff_200_seconds",
  ],
  run(progress) {
    const examples = EXAMPLES.map((name) => {
      progress(`contracts/${name}`);
      const folder = fileURLToPath(new URL(`../../../contracts/${name}`, import.meta.url));
      return { name, ...medianRun(folder) };
    });
    progress(`${PHASES * TOOLS_A_PHASE} tools, ${PHASES} phases`);
    const large = onDisk(packOfPhases(PHASES, TOOLS_A_PHASE), (folder) => runTask("verify", { folder }));
    progress(`${PHASES * TOOLS_A_PHASE * 2} tools, ${PHASES} phases`);
    const larger = onDisk(packOfPhases(PHASES, TOOLS_A_PHASE * 2), (folder) => runTask("verify", { folder }));
    progress(`${ENVELOPES} envelopes`);
    const envelopes = onDisk(packOfEnvelopes(ENVELOPES), medianRun);
    progress("two versions");
    const difference = twoVersions((versions) => runTask("diff", versions));
    const slowest = Math.max(...examples.map(({ seconds }) => seconds));
    return {
      figures: {
        verify_examples_seconds: figure(slowest, "s", { below: 2 }),
        verify_200x20_seconds: figure(large.seconds, "s", { atMost: 10 }),
        verify_200x20_mb: figure(large.megabytes, "MB", { below: 1000 }),
        verify_400x20_seconds: figure(larger.seconds, "s", { atMost: 15 }),
        verify_envelopes_seconds: figure(envelopes.seconds, "s", { atMost: 3 }),
        diff_200_seconds: figure(difference.seconds, "s", { atMost: 10 }),
      },
      table: {
        columns: ["pack", "seconds", "MB", "states", "rules", "met"],
        rows: [
          ...examples.map((example) => row(`contracts/${example.name}`, example)),
          row(`${PHASES * TOOLS_A_PHASE} tools, ${PHASES} phases`, large),
          row(`${PHASES * TOOLS_A_PHASE * 2} tools, ${PHASES} phases`, larger),
          row(`${ENVELOPES + 1} tools, ${ENVELOPES} envelopes, ${ENVELOPES} claims`, envelopes),
        ],
      },
    };
  },
};
