#!/usr/bin/env node
import { main } from "../dist/bundle/cli.js";

const { argv, env, stdout, stderr } = process;
// The reader of the output may stop reading it: `contracts … | head`.
for (const stream of [stdout, stderr]) {
  stream.on("error", (error) => {
    if (error.code === "EPIPE") return;
    if (stream === stdout) stderr.write(`contracts: cannot write the output: ${error.code}\n`);
    process.exit(2);
  });
}
process.exitCode = await main(argv.slice(2), { cwd: process.cwd(), env, stdout, stderr });
