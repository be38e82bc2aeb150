import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs a task of tasks/ in a process of its own: nothing else has run there before, least of all the compiler, as beside
 * an agent. Input and result are JSON; what goes wrong, a crash included, becomes an error.
 */
export function runTask(name, input, { flags = [] } = {}) {
  const file = fileURLToPath(new URL("child.mjs", import.meta.url));
  const { error, status, signal, stdout } = spawnSync(process.execPath, [...flags, file, name], {
    input: JSON.stringify(input),
    stdio: ["pipe", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`the task \`${name}\` ended with ${signal ?? `exit code ${status}`}`);
  return JSON.parse(stdout.toString());
}

async function readInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { measure } = await import(`./tasks/${process.argv[2]}.mjs`);
  process.stdout.write(JSON.stringify(await measure(await readInput())));
}
