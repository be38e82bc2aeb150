import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { guardClient, guardTools } from "../../../dist/adapters/openai/public.js";
import { createGuard } from "../../../dist/guard/guard.js";
import { median } from "../measure.mjs";
import { readArtifact } from "../scenario/guard.mjs";
import { PRINCIPAL } from "../scenario/traffic.mjs";

const SERVER = fileURLToPath(new URL("../scenario/chat-server.mjs", import.meta.url));
/** The calls of one run of the SDK, each in a reply of its own. */
const CALLS = 8;
// What the engine compiles only after a few thousand calls is most of what is measured.
const WARM_UPS = 200;
const TURNS = 151;

const tool = {
  name: "submit_live_order",
  description: "submits an order",
  parameters: { type: "object" },
  parse: JSON.parse,
  function: async () => ({ accepted: true, order_id: "o_1" }),
};
const TOOLS = [{ type: "function", function: tool }];

/** Microseconds that the process works for each call of a run. */
async function turn({ client, tools }, first) {
  const messages = [{ role: "user", content: `${first} ${CALLS}` }];
  const start = process.cpuUsage();
  const runner = client.chat.completions.runTools({ model: "m-2026-01-01", messages, tools });
  if ((await runner.finalContent()) !== "done") throw new Error("not the end of the script");
  const { user, system } = process.cpuUsage(start);
  const results = runner.messages.filter(({ role }) => role === "tool");
  if (results.some(({ content }) => !content.includes("accepted"))) throw new Error(results[0].content);
  return (user + system) / CALLS;
}

/** The median microseconds of a call with the SDK alone and with the guard, which take turns. */
export async function measure({ artifact }) {
  const server = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [port] = await once(server.stdout, "data");
    const bare = new OpenAI({ apiKey: "key", baseURL: `http://127.0.0.1:${String(port).trim()}/v1` });
    const guard = await createGuard(readArtifact(artifact), { principal: PRINCIPAL });
    await guard.wrap(async () => ({ approved: true }))("approve_risk_check", {});
    const sides = {
      bare: { client: bare, tools: TOOLS },
      guarded: { client: guardClient(guard, bare), tools: guardTools(guard, TOOLS) },
    };
    const times = { bare: [], guarded: [] };
    for (let round = -WARM_UPS; round < TURNS; round++) {
      for (const [name, side] of Object.entries(sides)) {
        const taken = await turn(side, Math.abs(round) * CALLS);
        if (round >= 0) times[name].push(taken);
      }
    }
    return { bare: median(times.bare), guarded: median(times.guarded) };
  } finally {
    server.stdin.end();
  }
}
