import OpenAI from "openai";
import { guardClient, guardTools } from "../../../dist/adapters/openai/public.js";
import { createGuard } from "../../../dist/guard/guard.js";
import { besideModel, CALLS, medianPerCall } from "../scenario/agent-turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";
import { PRINCIPAL } from "../scenario/traffic.mjs";

const tool = {
  name: "submit_live_order",
  description: "submits an order",
  parameters: { type: "object" },
  parse: JSON.parse,
  function: async () => ({ accepted: true, order_id: "o_1" }),
};
const TOOLS = [{ type: "function", function: tool }];

async function run({ client, tools }, first) {
  const messages = [{ role: "user", content: `${first} ${CALLS}` }];
  const runner = client.chat.completions.runTools({ model: "m-2026-01-01", messages, tools });
  if ((await runner.finalContent()) !== "done") throw new Error("not the end of the script");
  const results = runner.messages.filter(({ role }) => role === "tool");
  const refused = results.find(({ content }) => !content.includes("accepted"));
  if (refused !== undefined) throw new Error(refused.content);
}

/** The median microseconds of a call with the SDK alone and with the guard. */
export function measure({ artifact }) {
  return besideModel(async (baseURL) => {
    const bare = new OpenAI({ apiKey: "key", baseURL });
    const guard = await createGuard(readArtifact(artifact), { principal: PRINCIPAL });
    await guard.wrap(async () => ({ approved: true }))("approve_risk_check", {});
    const sides = {
      bare: { client: bare, tools: TOOLS },
      guarded: { client: guardClient(guard, bare), tools: guardTools(guard, TOOLS) },
    };
    return medianPerCall(sides, run);
  });
}
