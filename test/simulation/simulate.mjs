/**
 * `npm run simulate -- [--seed N] [--steps M] [--world K] [--break NAME | --prove | --kept] [--trace] [--format json]`: guards, store,
 * clock, tool and operators in one process under virtual time. A process of its own, because time and chance are replaced in it; bundled, because
 * Node does not run the sources. With `workflow` as the first word the same for sessions of a workflow.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = `${ROOT}node_modules/.cache/contract-guard`;
/** One for each process: several simulations may run at once. */
const OUTPUT = `${FOLDER}/simulation-${process.pid}.mjs`;

const given = process.argv.slice(2);
const isWorkflow = given[0] === "workflow";

mkdirSync(FOLDER, { recursive: true });
await build({
  entryPoints: [`${ROOT}test/simulation/${isWorkflow ? "workflow/" : ""}main.ts`],
  outfile: OUTPUT,
  ...{ bundle: true, platform: "node", format: "esm", packages: "external", sourcemap: "inline", logLevel: "error" },
});
// Most objects live for one step: with room for more of them, half of the collections do not take place.
const args = ["--enable-source-maps", "--max-semi-space-size=64", OUTPUT, ...given.slice(isWorkflow ? 1 : 0)];
const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
rmSync(OUTPUT, { force: true });
process.exit(status ?? 3);
