import Anthropic from "@anthropic-ai/sdk";
import { guardClient, guardTools } from "../../../src/adapters/anthropic/public.js";
import { messagesWire, type Received, wireServer } from "../client/wire.js";
import { DONE, type Driver, type Scene } from "./situations.js";

function runnable({ tools }: Scene) {
  return Object.entries(tools).map(([name, run]) => ({
    name,
    description: name,
    input_schema: { type: "object" as const },
    parse: (content: unknown) => content,
    run: async (args: unknown, context?: { readonly signal?: AbortSignal | null }) => {
      return JSON.stringify(await run(args, context?.signal ?? undefined));
    },
  }));
}

/** The results that a request has; the runner sends each once, because the server keeps what came before. */
function resultsIn({ messages }: Received["body"]): readonly string[] {
  const all = Array.isArray(messages) ? messages : [];
  return all.flatMap(({ content }) => {
    const blocks = Array.isArray(content) ? content : [];
    return blocks.flatMap((block) => (block.type === "tool_result" ? [JSON.stringify(block.content)] : []));
  });
}

/** `toolRunner` of the Anthropic client. */
export const anthropic: Driver = {
  framework: "anthropic",
  async play(scene) {
    const { guard, replies, signal } = scene;
    const server = await wireServer(messagesWire, [...replies.map((calls) => ({ calls })), { text: DONE }]);
    const client = guardClient(guard, new Anthropic({ apiKey: "key", baseURL: server.url, maxRetries: 0 }));
    const messages = [{ role: "user" as const, content: "go" }];
    const given = { model: "claude-sonnet-5", max_tokens: 100, messages, tools: guardTools(guard, runnable(scene)) };
    const run = await client.beta.messages.toolRunner(given, { signal }).then(
      () => "ended" as const,
      () => "threw" as const,
    );
    const results = server.received.flatMap(({ body }) => resultsIn(body)).map((text) => text.replaceAll('\\"', '"'));
    return { results: replies.flat().map((_, at) => results[at] ?? null), run };
  },
};
