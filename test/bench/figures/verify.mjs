import { fileURLToPath } from "node:url";
import { runTask } from "../child.mjs";
import { onDisk } from "../generated-pack.mjs";
import { figure, rounded } from "../measure.mjs";
import { packOfPhases } from "../phase-pack.mjs";

const EXAMPLES = ["minimal", "refunds", "trading", "code-review"];
const PHASES = 20;
const TOOLS_A_PHASE = 10;
const RUNS = 3;

/** The run of median length of a few, each in a process of its own: what is timed is the first time, nothing is warm. */
function medianRun(folder) {
  const runs = Array.from({ length: RUNS }, () => runTask("verify", { folder }));
  return runs.sort((a, b) => a.seconds - b.seconds)[Math.floor(RUNS / 2)];
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
  figures: ["verify_examples_seconds", "verify_200x20_seconds", "verify_200x20_mb"],
  run(progress) {
    const examples = EXAMPLES.map((name) => {
      progress(`contracts/${name}`);
      const folder = fileURLToPath(new URL(`../../../contracts/${name}`, import.meta.url));
      return { name, ...medianRun(folder) };
    });
    progress(`${PHASES * TOOLS_A_PHASE} tools, ${PHASES} phases`);
    const large = onDisk(packOfPhases(PHASES, TOOLS_A_PHASE), (folder) => runTask("verify", { folder }));
    const slowest = Math.max(...examples.map(({ seconds }) => seconds));
    return {
      figures: {
        verify_examples_seconds: figure(slowest, "s", { below: 2 }),
        verify_200x20_seconds: figure(large.seconds, "s", { below: 30 }),
        verify_200x20_mb: figure(large.megabytes, "MB", { below: 1000 }),
      },
      table: {
        columns: ["pack", "seconds", "MB", "states", "rules", "met"],
        rows: [
          ...examples.map((example) => row(`contracts/${example.name}`, example)),
          row(`${PHASES * TOOLS_A_PHASE} tools, ${PHASES} phases`, large),
        ],
      },
    };
  },
};
