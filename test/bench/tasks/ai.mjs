import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { guardAgent } from "../../../dist/adapters/ai/public.js";
import { createGuard } from "../../../dist/guard/guard.js";
import { besideModel, CALLS, medianPerCall } from "../scenario/agent-turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";
import { PRINCIPAL } from "../scenario/traffic.mjs";

const inputSchema = jsonSchema({ type: "object" });
const tools = { submit_live_order: tool({ inputSchema, execute: async () => ({ accepted: true }) }) };

/** The median microseconds of a call with the SDK alone and with the guard. */
export function measure({ artifact }) {
  return besideModel(async (baseURL) => {
    const model = createOpenAI({ baseURL, apiKey: "key" }).chat("m-2026-01-01");
    const guard = await createGuard(readArtifact(artifact), { principal: PRINCIPAL });
    await guard.wrap(async () => ({ approved: true }))("approve_risk_check", {});
    const sides = { bare: { tools }, guarded: guardAgent(guard, { tools }) };
    return medianPerCall(sides, async (agent, first) => {
      const prompt = `${first} ${CALLS}`;
      const { text, steps } = await generateText({ model, prompt, stopWhen: stepCountIs(CALLS + 1), ...agent });
      if (text !== "done") throw new Error("not the end of the script");
      const failed = steps.flatMap(({ content }) => content).find(({ type }) => type === "tool-error");
      if (failed !== undefined) throw failed.error;
    });
  });
}
