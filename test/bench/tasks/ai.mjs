import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { guardAgent } from "../../../dist/bundle/ai.js";
import { createGuard, decodeArtifact } from "../../../dist/bundle/guard.js";
import { median } from "../measure.mjs";
import { chatServer } from "../scenario/chat-server.mjs";
import { allowedCalls, PRINCIPAL } from "../scenario/traffic.mjs";

const CALLS = 8;
// What the engine compiles after a few thousand calls only is most of what is measured.
const WARM_UPS = 250;
const TURNS = 151;

/** Microseconds that the process works for a run of an agent. */
async function turn(model, agent) {
  const start = process.cpuUsage();
  const { text } = await generateText({ model, prompt: "go", stopWhen: stepCountIs(CALLS + 1), ...agent() });
  const { user, system } = process.cpuUsage(start);
  if (text !== "done") throw new Error("the model did not end");
  return user + system;
}

/**
 * The median microseconds for each call of an agent by the bare SDK and by a guarded one, which take turns. The server is in the same
 * process and does the same for both.
 */
export async function measure({ artifact }) {
  const guard = await createGuard(decodeArtifact(artifact).artifact, { principal: PRINCIPAL });
  const calls = allowedCalls().slice(0, CALLS);
  const inputSchema = jsonSchema({ type: "object" });
  const names = [...new Set(calls.map((call) => call.tool))];
  const execute = async () => ({ accepted: true });
  const tools = Object.fromEntries(names.map((name) => [name, tool({ inputSchema, execute })]));
  await guard.wrap(execute)("approve_risk_check", {});
  const guarded = guardAgent(guard, { tools });
  const agents = { bare: () => ({ tools }), guarded: () => guarded };
  const server = await chatServer(calls);
  const model = createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o-2024-08-06");
  const times = { bare: [], guarded: [] };
  for (let round = -WARM_UPS; round < TURNS; round++) {
    for (const [name, agent] of Object.entries(agents)) {
      const taken = await turn(model, agent);
      if (round >= 0) times[name].push(taken / CALLS);
    }
  }
  server.close();
  if (guard.state().toolCalls < CALLS * TURNS) throw new Error("calls were refused");
  return { bare: median(times.bare), guarded: median(times.guarded) };
}
