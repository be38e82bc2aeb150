// Three agents review a pull request under contracts/code-review, scripted: no model, no key. The timeline shows every verdict.
//   node contracts/code-review/demo/run.mjs [--store URL] [--workflow ID] [--processes]
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compilePack } from "contract-guard";
import { inOneProcess } from "./one-process.mjs";
import { inOwnProcesses } from "./own-processes.mjs";
import { SCRIPT } from "./script.mjs";

const INDENT = " ".repeat(14);

function lineOf(by, { what, outcome, details }) {
  const first = `${by.padEnd(13)} ${what.padEnd(24)} ${outcome}`;
  return [first, ...details.map((text) => `${INDENT}${text}`), ""].join("\n");
}

const CRASHED = { what: "crash", outcome: "killed while its call was running", details: [] };

async function play(agents) {
  for (const { by, does, ...step } of SCRIPT) {
    if (does === "crash") await agents.crash(by);
    const result = does === "crash" ? CRASHED : await agents.perform({ by, does, ...step });
    process.stdout.write(lineOf(by, result));
  }
}

const OPTIONS = {
  store: { type: "string", default: "memory:" },
  workflow: { type: "string", default: `review-${Date.now()}` },
  processes: { type: "boolean", default: false },
};

async function run() {
  const { store: url, workflow: workflowId, processes } = parseArgs({ options: OPTIONS }).values;
  if (processes && url === "memory:")
    throw new Error("other processes need a store that they can open: name one with --store");
  const { artifact } = await compilePack(fileURLToPath(new URL("..", import.meta.url)));
  const agents = await (processes ? inOwnProcesses : inOneProcess)({ artifact, url, workflowId });
  try {
    process.stdout.write(`contracts/code-review, ${artifact.hash.slice(0, 19)}…\n\n`);
    await play(agents);
  } finally {
    await agents.close();
  }
}

try {
  await run();
} catch (cause) {
  process.stderr.write(`the demo failed: ${cause.message}\n`);
  process.exitCode = 1;
}
