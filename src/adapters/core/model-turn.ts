import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { callsOf } from "./agent-calls.js";
import { type Gate, type JudgedCall, judgeCalls, releaseAll } from "./gate.js";
import { judgeReply } from "./judge-reply.js";
import type { ProviderCall, ProviderTools } from "./provider-tools.js";
import { hasPrice, type Prices, type Usage } from "./usage-cost.js";

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
  /** The calls that the provider has run itself. */
  readonly made: readonly ProviderCall[];
  /** In the words of the provider, or those of the framework. */
  readonly finish: string | null;
  /** The tool that the request asked for by its name. */
  readonly choice: string | null;
  readonly usage: Usage | null;
  /** The application has given up when this aborts. */
  readonly signal: AbortSignal | undefined;
}

/** What decides about the replies of an agent. */
export interface TurnRules {
  readonly gate: Gate;
  readonly prices: Prices | null;
  readonly providerTools: ProviderTools;
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

/**
 * The body of a chat completion that says the same as the reply. It is judged as a whole only; arguments that were read are judged when
 * their calls are proposed.
 */
function bodyOf({ text, calls, finish }: AgentReply): JsonObject {
  const made = calls.map(({ id, tool, written = "{}" }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: written },
  }));
  const message = { role: "assistant", content: text, tool_calls: made };
  return { choices: [{ index: 0, message, finish_reason: finish }] };
}

/**
 * Judges the reply of a turn. One that is refused has its calls refused, so that the model reads why; one without calls is an error.
 */
export async function endTurn(
  guard: Guard,
  reply: AgentReply,
  { gate, prices, providerTools }: TurnRules,
): Promise<void> {
  const { model, answeredBy, usage, made, signal, choice, calls } = reply;
  const asked = choice === null ? {} : { request: { tool_choice: { type: "function", function: { name: choice } } } };
  const readable = calls.flatMap(({ id, tool, args }) => (args === null ? [] : [{ id, tool, args }]));
  const judged = await judgeReply(
    guard,
    {
      given: { provider: "openai", response: bodyOf(reply), ...asked, parsed: true },
      models: [answeredBy, model],
      ...{ usage, made, signal },
    },
    {
      ...{ prices, providerTools },
      judge: () => judgeCalls(guard, readable, gate),
      release: (reserved) => releaseAll(guard, reserved),
    },
  );
  if (judged.kind === "judged") return callsOf(guard).add([...judged.calls, ...notRepaired(calls, judged.calls, gate)]);
  if (calls.length === 0) throw new ContractViolation(REPLY, judged);
  callsOf(guard).add(calls.map((call) => ({ call: unread(call), fate: { kind: "refused", verdict: judged } })));
}

/** A call whose arguments may be none. */
function unread({ id, tool, args }: ReplyCall): ModelCall {
  return { id, tool, args: args ?? {} };
}

/**
 * Calls whose arguments could not be read: a framework may repair and execute them, and judges them then. Beside a refused one they are
 * not made either.
 */
function notRepaired(all: readonly ReplyCall[], judged: readonly JudgedCall[], gate: Gate): readonly JudgedCall[] {
  const refused = judged.find(({ fate }) => fate.kind === "refused");
  if (refused?.fate.kind !== "refused" || gate === "strip_blocked") return [];
  const { verdict } = refused.fate;
  const from = gate === "reject_all" ? 0 : all.findIndex(({ id }) => id === refused.call.id);
  const left = all.slice(from).filter(({ args }) => args === null);
  return left.map((call) => ({ call: unread(call), fate: { kind: "skipped", refused: refused.call.tool, verdict } }));
}
