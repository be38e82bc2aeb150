import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { expect, vi } from "vitest";
import { guardMiddleware } from "../../../src/adapters/langchain/public.js";
import { chatServer } from "../chat-server.js";
import { scriptOf, seenResults } from "./chat-script.js";
import type { Driver, Scene } from "./situations.js";

function toolsOf({ tools }: Scene) {
  const schema = { type: "object", properties: {} } as const;
  return Object.entries(tools).map(([name, run]) =>
    tool((args, { signal }) => run(args, signal), { name, description: name, schema }),
  );
}

/** LangChain: an agent with `guardMiddleware`. */
export const langchain: Driver = {
  framework: "langchain",
  async play(scene) {
    const server = await chatServer(scriptOf(scene));
    const model = new ChatOpenAI({
      model: "gpt-4o-2024-08-06",
      configuration: { baseURL: server.url },
      apiKey: "none",
      maxRetries: 0,
    });
    const agent = createAgent({ model, tools: toolsOf(scene), middleware: [guardMiddleware(scene.guard)] });
    const input = { messages: [{ role: "user", content: "go" }] };
    const ended = agent.invoke(input, { signal: scene.signal }).then(
      () => "ended" as const,
      () => "threw" as const,
    );
    const run = await ended;
    // An agent that is told to stop does not wait for its tools.
    await vi.waitFor(() => expect(scene.guard.unsettled().filter(({ status }) => status === "running")).toEqual([]));
    return { run, results: seenResults(scene, server) };
  },
};
