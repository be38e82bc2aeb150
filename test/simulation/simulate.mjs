/**
 * `npm run simulate -- [--seed N] [--steps M] [--world K] [--break NAME | --prove | --kept] [--trace] [--format json]`: guards, store,
 * clock, tool and operators in one process under virtual time. A process of its own, because time and chance are replaced in it; bundled, because
 * Node does not run the sources. With `workflow` as the first word the same for sessions of a workflow.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { bundled, OPTIONS } from "./bundled.mjs";

const given = process.argv.slice(2);
const isWorkflow = given[0] === "workflow";

const file = await bundled(isWorkflow);
const { status } = spawnSync(process.execPath, [...OPTIONS, file, ...given.slice(isWorkflow ? 1 : 0)], {
  stdio: "inherit",
});
rmSync(file, { force: true });
process.exit(status ?? 3);
