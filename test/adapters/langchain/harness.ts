import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { guardMiddleware, type MiddlewareOptions } from "../../../src/adapters/langchain/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { AGENT_PACK } from "../agent-pack.js";
import { chatServer, type ScriptedReply } from "../chat-server.js";

/** What the tools of the tests did, in their order. */
export type Log = string[];

const amount = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
const nothing = { type: "object", properties: {} } as const;

/** The tools of an agent; each writes down when it is executed. */
export function deskTools(log: Log) {
  const noted = <T>(word: string, result: T): T => {
    log.push(word);
    return result;
  };
  return [
    tool(() => noted("look", { seen: true }), { name: "look", description: "looks", schema: nothing }),
    tool(({ n }: { n: number }) => noted(`pay ${n}`, { ok: n !== 13 }), {
      name: "pay",
      description: "pays",
      schema: amount,
    }),
    tool(() => noted("file", "filed"), { name: "file", description: "files", schema: nothing }),
    tool(
      (_, { signal }) =>
        noted(
          "hang",
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
          }),
        ),
      { name: "hang", description: "hangs", schema: nothing },
    ),
    tool(() => noted("fail", Promise.reject(new Error("no such order"))), {
      name: "fail",
      description: "fails",
      schema: amount,
    }),
    tool(() => noted("search", ["one", "two"]), { name: "search", description: "searches", schema: nothing }),
  ];
}

export async function deskGuard(options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(AGENT_PACK), { env: {}, approver: "manual", ...options });
}

/** An agent on a scripted server. */
export async function desk(script: readonly ScriptedReply[], options: MiddlewareOptions = {}, size?: number) {
  const log: Log = [];
  const guard = await deskGuard();
  const server = await chatServer(script, size);
  const settings = { configuration: { baseURL: server.url }, apiKey: "none", maxRetries: 2 };
  const model = new ChatOpenAI({ model: "gpt-4o-2024-08-06", ...settings });
  const agent = createAgent({
    model,
    tools: deskTools(log),
    middleware: [guardMiddleware(guard, options)],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "one" }, recursionLimit: 30 };
  const input = { messages: [{ role: "user", content: "go" }] };
  return { log, guard, server, agent, model, config, input, run: () => agent.invoke(input, config) };
}
