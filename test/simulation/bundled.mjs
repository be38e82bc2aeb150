import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = `${ROOT}node_modules/.cache/contract-guard`;

/** For the process: most objects live for one step; with room for more of them, half of the collections do not take place. */
export const OPTIONS = ["--enable-source-maps", "--max-semi-space-size=64"];

/** Bundles a simulation into a file for this process: several processes may run one at once. */
export async function bundled(isWorkflow) {
  const outfile = `${FOLDER}/simulation${isWorkflow ? "-workflow" : ""}-${process.pid}.mjs`;
  mkdirSync(FOLDER, { recursive: true });
  await build({
    entryPoints: [`${ROOT}test/simulation/${isWorkflow ? "workflow/" : ""}main.ts`],
    outfile,
    ...{ bundle: true, platform: "node", format: "esm", packages: "external", sourcemap: "inline", logLevel: "error" },
  });
  return outfile;
}
