import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { guardAgent } from "../../../dist/adapters/ai/public.js";
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

const inputSchema = jsonSchema({ type: "object" });
const tools = { submit_live_order: tool({ inputSchema, execute: async () => ({ accepted: true }) }) };

/** Microseconds that the process works for each call of a run. */
async function turn(model, agent, first) {
  const start = process.cpuUsage();
  const { text } = await generateText({
    model,
    prompt: `${first} ${CALLS}`,
    stopWhen: stepCountIs(CALLS + 1),
    ...agent,
  });
  const { user, system } = process.cpuUsage(start);
  if (text !== "done") throw new Error("not the end of the script");
  return (user + system) / CALLS;
}

/** The median microseconds of a call with the SDK alone and with the guard, which take turns. */
export async function measure({ artifact }) {
  const server = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [port] = await once(server.stdout, "data");
    const baseURL = `http://127.0.0.1:${String(port).trim()}/v1`;
    const model = createOpenAI({ baseURL, apiKey: "key" }).chat("m-2026-01-01");
    const guard = await createGuard(readArtifact(artifact), { principal: PRINCIPAL });
    await guard.wrap(async () => ({ approved: true }))("approve_risk_check", {});
    const sides = { bare: { tools }, guarded: guardAgent(guard, { tools }) };
    const times = { bare: [], guarded: [] };
    for (let round = -WARM_UPS; round < TURNS; round++) {
      for (const [name, agent] of Object.entries(sides)) {
        const taken = await turn(model, agent, Math.abs(round) * CALLS);
        if (round >= 0) times[name].push(taken);
      }
    }
    if (guard.state().toolCalls < CALLS * TURNS) throw new Error("calls were refused");
    return { bare: median(times.bare), guarded: median(times.guarded) };
  } finally {
    server.stdin.end();
  }
}
