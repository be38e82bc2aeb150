import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { median } from "../measure.mjs";

const SERVER = fileURLToPath(new URL("chat-server.mjs", import.meta.url));
/** The calls of one run of an SDK, each in a reply of its own. */
export const CALLS = 8;
/**
 * Runs before the first that is measured. The engine compiles what runs often, SDK and guard alike, while the first thousands of calls
 * are made: that is work of the process too, and grows with the size of the code, not with the calls.
 */
const WARM_UPS = 600;
const TURNS = 200;

/** Gives the address of a server that answers as a model would, in a process of its own, as long as the work takes. */
export async function besideModel(work) {
  const server = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [port] = await once(server.stdout, "data");
    return await work(`http://127.0.0.1:${String(port).trim()}/v1`);
  } finally {
    server.stdin.end();
  }
}

/**
 * The median microseconds of the processor that a call takes on each side. The sides make the same calls in turns, and each of them
 * begins every other turn.
 */
export async function medianPerCall(sides, run) {
  const names = Object.keys(sides);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -WARM_UPS; round < TURNS; round++) {
    const first = (round + WARM_UPS) * CALLS;
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const start = process.cpuUsage();
      await run(sides[name], first);
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) times[name].push((user + system) / CALLS);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
}
