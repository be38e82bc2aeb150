import { performance } from "node:perf_hooks";
import { verify } from "../../../dist/analysis/verify.js";
import { compileFolder } from "../../../dist/compiler/compile-pack.js";

function tally(results) {
  const counts = {};
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Explores one pack in this process of its own; its memory is the most the process ever had. */
export async function measure({ folder }) {
  const { artifact, claims } = compileFolder(folder);
  const start = performance.now();
  const found = await verify(artifact, claims);
  const seconds = (performance.now() - start) / 1000;
  return {
    seconds,
    megabytes: process.resourceUsage().maxRSS / 1024,
    rules: tally(found.flatMap(({ rules }) => rules)),
    tools: tally(found.flatMap(({ tools }) => tools)),
    states: found.reduce((sum, { bounds }) => sum + bounds.explored, 0),
    hit: [...new Set(found.flatMap(({ bounds }) => bounds.hit))],
  };
}
