import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Everything before the tests: the build, the types and the lint. Each of them keeps one processor busy, so they run side by side.
 * The build checks the types of the sources. Ends with 1 if one of them fails, after all have ended.
 */
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command; what it prints comes at its end, so that two of them do not mix. */
function run(command) {
  const child = spawn(command, { cwd: ROOT, shell: true });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      process.stdout.write(`\n> ${command}\n${Buffer.concat(output)}`);
      resolve(code === 0);
    });
  });
}

async function build() {
  return (await run("tsc")) && (await run("node .ci/build/package.mjs"));
}

// The sources import what this writes.
let isPassed = await run("node .ci/build/schemas.mjs");
if (isPassed) {
  const passed = await Promise.all([build(), run("tsc --noEmit -p test"), run("npm run --silent lint")]);
  isPassed = passed.every(Boolean);
}
if (!isPassed) process.exitCode = 1;
