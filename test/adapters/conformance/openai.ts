import OpenAI from "openai";
import { guardClient, guardTools } from "../../../src/adapters/openai/public.js";
import { chatWire, wireServer } from "../client/wire.js";
import { DONE, type Driver, type Scene } from "./situations.js";

function definitions({ tools, signal }: Scene) {
  return Object.entries(tools).map(([name, run]) => ({
    type: "function" as const,
    function: {
      name,
      description: name,
      parameters: { type: "object" as const },
      parse: (text: string) => JSON.parse(text),
      function: (args: object) => run(args, signal),
    },
  }));
}

/** The results that the last request of the run has. */
function resultsIn(messages: unknown): readonly string[] {
  const all = Array.isArray(messages) ? messages : [];
  return all.flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []));
}

/** `runTools` of the OpenAI client. */
export const openai: Driver = {
  framework: "openai",
  async play(scene) {
    const { guard, replies, signal } = scene;
    const server = await wireServer(chatWire, [...replies.map((calls) => ({ calls })), { text: DONE }]);
    const client = guardClient(guard, new OpenAI({ apiKey: "key", baseURL: `${server.url}/v1`, maxRetries: 0 }));
    const tools = guardTools(guard, definitions(scene));
    const messages = [{ role: "user" as const, content: "go" }];
    const runner = client.chat.completions.runTools({ model: "gpt-5.2", messages, tools }, { signal });
    const run = await runner.done().then(
      () => "ended" as const,
      () => "threw" as const,
    );
    const results = resultsIn(server.received.at(-1)?.body.messages);
    return { results: replies.flat().map((_, at) => results[at] ?? null), run };
  },
};
