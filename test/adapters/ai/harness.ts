import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { guardAgent } from "../../../src/adapters/ai/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { AGENT_PACK } from "../agent-pack.js";
import { chatServer, type ScriptedReply } from "../chat-server.js";

export interface Amount {
  readonly n: number;
}

const amount = jsonSchema<Amount>({ type: "object", properties: { n: { type: "number" } } });
const nothing = jsonSchema<Record<string, never>>({ type: "object", properties: {} });

/** What the tools of the tests did, in their order. */
export type Log = string[];

/** The tools of an agent; each writes down when it is executed. */
export function deskTools(log: Log) {
  return {
    look: tool({
      inputSchema: nothing,
      execute: () => {
        log.push("look");
        return { seen: true };
      },
    }),
    pay: tool({
      inputSchema: jsonSchema<Amount>(
        { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        {
          validate: (value) =>
            typeof value === "object" && value !== null && "n" in value && typeof value.n === "number"
              ? { success: true, value: { n: value.n } }
              : { success: false, error: new Error("n is not a number") },
        },
      ),
      execute: ({ n }: Amount) => {
        log.push(`pay ${n}`);
        return { ok: n !== 13 };
      },
    }),
    file: tool({
      inputSchema: nothing,
      execute: async () => {
        log.push("file");
        return "filed";
      },
    }),
    hang: tool({
      inputSchema: nothing,
      execute: (_, { abortSignal }) => {
        log.push("hang");
        return new Promise((_resolve, reject) => {
          abortSignal?.addEventListener("abort", () => reject(abortSignal.reason));
        });
      },
    }),
    fail: tool({
      inputSchema: amount,
      execute: async (): Promise<string> => {
        log.push("fail");
        throw new Error("no such order");
      },
    }),
    search: tool({
      inputSchema: nothing,
      async *execute() {
        log.push("search");
        yield "one";
        yield "two";
      },
    }),
  };
}

export type Desk = ReturnType<typeof deskTools>;

export async function deskGuard(options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(AGENT_PACK), { env: {}, approver: "manual", ...options });
}

type Options = Partial<Parameters<typeof guardAgent<Desk>>[1]>;

/** An agent on a scripted server: `run` plays it to its end and gives what the application sees. */
export async function desk(script: readonly ScriptedReply[], options: Options = {}, size?: number) {
  const log: Log = [];
  const guard = await deskGuard();
  const server = await chatServer(script, size);
  const model = createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o-2024-08-06");
  const agent = guardAgent(guard, { tools: deskTools(log), ...options });
  const settings = { model, stopWhen: stepCountIs(8), maxRetries: 2, ...agent };
  return { log, guard, server, settings, generate, stream };

  function generate(more: { abortSignal?: AbortSignal } = {}) {
    return generateText({ ...settings, prompt: "go", ...more });
  }

  async function stream(more: { abortSignal?: AbortSignal } = {}) {
    const errors: unknown[] = [];
    const types: string[] = [];
    const result = streamText({ ...settings, prompt: "go", onError: ({ error }) => void errors.push(error), ...more });
    try {
      for await (const part of result.fullStream) types.push(part.type);
    } catch (error) {
      errors.push(error);
    }
    return { result, errors, types };
  }
}
