import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, type ToolSet, tool } from "ai";
import { guardAgent } from "../../../src/adapters/ai/public.js";
import { chatServer } from "../chat-server.js";
import { scriptOf, seenResults } from "./chat-script.js";
import type { Driver, Scene } from "./situations.js";

function toolsOf({ tools }: Scene): ToolSet {
  const inputSchema = jsonSchema<Record<string, number>>({ type: "object" });
  return Object.fromEntries(
    Object.entries(tools).map(([name, run]) => [
      name,
      tool({ inputSchema, execute: (args, { abortSignal }) => run(args, abortSignal) }),
    ]),
  );
}

/** The AI SDK: `generateText` with `guardAgent`. */
export const aiSdk: Driver = {
  framework: "ai",
  async play(scene) {
    const server = await chatServer(scriptOf(scene));
    const model = createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o-2024-08-06");
    const agent = guardAgent(scene.guard, { tools: toolsOf(scene) });
    const stopWhen = stepCountIs(6);
    const ended = generateText({ model, prompt: "go", stopWhen, abortSignal: scene.signal, ...agent }).then(
      () => "ended" as const,
      () => "threw" as const,
    );
    return { run: await ended, results: seenResults(scene, server) };
  },
};
