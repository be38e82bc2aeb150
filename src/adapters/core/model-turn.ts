import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { BlockVerdict } from "../../guard/public.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { callsOf } from "./agent-calls.js";
import { type Gate, judgeCalls, releaseAll } from "./gate.js";
import { costOf, hasPrice, type Prices, type Usage } from "./usage-cost.js";

/** A call of a reply. Its arguments are null where the framework does not execute it. */
export interface ReplyCall {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject | null;
  /** The arguments as the model wrote them, where the framework executes what it could read of them. */
  readonly written?: string;
}

/** A reply as a framework read it, which need not say what the provider sent. */
export interface AgentReply {
  /** The model that was asked. */
  readonly model: string;
  /** The name that the reply gives its model; the same where it gives none. */
  readonly answeredBy: string;
  readonly text: string;
  readonly calls: readonly ReplyCall[];
  /** In the words of the provider, or those of the framework. */
  readonly finish: string | null;
  /** The tool that the request asked for by its name. */
  readonly choice: string | null;
  readonly usage: Usage | null;
  /** The application has given up when this aborts. */
  readonly signal: AbortSignal | undefined;
}

/** What decides about a reply. */
export interface ReplyRules {
  readonly gate: Gate;
  readonly prices: Prices | null;
}

const REQUEST = "a request to the model";
const REPLY = "a reply of the model";

/** Begins a step for a request, which has to be for a model whose price is known. What the last reply left is given up before. */
export async function beginTurn(guard: Guard, model: string, prices: Prices | null): Promise<void> {
  if (prices !== null && !hasPrice(prices, model)) {
    throw new TypeError(`no price is given for the model \`${model}\`: add it to \`prices\``);
  }
  await callsOf(guard).endReply();
  const verdict = await guard.beginStep();
  if (verdict.kind === "block") throw new ContractViolation(REQUEST, verdict);
}

/** The body of a chat completion that says the same as the reply. */
function bodyOf({ text, calls, finish }: AgentReply): JsonObject {
  const made = calls.map(({ id, tool, args, written }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: written ?? JSON.stringify(args ?? {}) },
  }));
  const message = { role: "assistant", content: text, tool_calls: made };
  return { choices: [{ index: 0, message, finish_reason: finish }] };
}

async function recordCost(guard: Guard, { model, answeredBy, usage }: AgentReply, prices: Prices): Promise<void> {
  if (usage === null) throw new Error("the reply does not say what it used, so its cost cannot be counted");
  const cost = costOf(prices, answeredBy, usage) ?? costOf(prices, model, usage);
  await guard.recordCost(cost ?? 0);
}

function judged(guard: Guard, { calls, choice }: AgentReply, body: JsonObject): BlockVerdict | null {
  const asked = choice === null ? {} : { request: { tool_choice: { type: "function", function: { name: choice } } } };
  const verdict = guard.checkResponse({ provider: "openai", response: body, ...asked });
  if (verdict.kind !== "block") return null;
  if (calls.length === 0) throw new ContractViolation(REPLY, verdict);
  return verdict;
}

/**
 * Judges a reply before any of its calls is made: as a whole, and then each call in its order. A reply that is refused has its calls
 * refused, so that the model reads why; one without calls is an error.
 */
export async function judgeReply(guard: Guard, reply: AgentReply, { gate, prices }: ReplyRules): Promise<void> {
  if (prices !== null) await recordCost(guard, reply, prices);
  const readable = reply.calls.flatMap(({ id, tool, args }) => (args === null ? [] : [{ id, tool, args }]));
  const verdict = judged(guard, reply, bodyOf(reply));
  const calls =
    verdict === null
      ? await judgeCalls(guard, readable, gate)
      : readable.map((call) => ({ call, fate: { kind: "refused", verdict } as const }));
  if (reply.signal?.aborted === true) {
    await releaseAll(guard, calls);
    throw reply.signal.reason;
  }
  callsOf(guard).add(calls);
}
