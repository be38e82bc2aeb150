#!/usr/bin/env node
import { main } from "../dist/bundle/cli.js";

const { argv, env } = process;
const opened = new Map();

/** Node sets a stream up when it is first asked for, which a clean run does with one of the two. */
function output(name) {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const stream = process[name];
  opened.set(name, stream);
  // The reader of the output may stop reading it: `contracts … | head`.
  stream.on("error", (error) => {
    if (error.code === "EPIPE") return;
    if (name === "stdout") output("stderr").write(`contracts: cannot write the output: ${error.code}\n`);
    process.exit(2);
  });
  return stream;
}

process.exitCode = await main(argv.slice(2), {
  cwd: process.cwd(),
  env,
  get stdout() {
    return output("stdout");
  },
  get stderr() {
    return output("stderr");
  },
});
