import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { BlockVerdict } from "../../guard/public.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { callsOf } from "../core/agent-calls.js";
import { settleProviderCall } from "../core/provider-tools.js";
import { refusalText } from "../core/refusal.js";
import { costOf } from "../core/usage-cost.js";
import { textAt } from "./body.js";
import type { ClientOptions } from "./client-options.js";
import type { Conversation } from "./conversation.js";
import type { Dialect, ProviderCall } from "./dialect.js";
import { type PermittedCall, permittedCalls, releaseCalls, whyNotMade } from "./permitted-calls.js";
import { type Stop, stopOf } from "./refused-request.js";

/** What becomes of a reply. */
export type Decision =
  /** The application gets it, perhaps without some of its calls. */
  | { readonly kind: "pass"; readonly reply: JsonObject }
  /** The model gets errors for all of its calls, and replies again. */
  | { readonly kind: "answer"; readonly answers: ReadonlyMap<string, string> }
  | { readonly kind: "stop"; readonly stop: Stop };

/** A reply, and the request that it answers. */
export interface Exchanged {
  readonly reply: JsonObject;
  readonly request: JsonObject;
  readonly signal: AbortSignal;
}

/** Judges the replies of one conversation. */
export class ReplyJudge {
  constructor(
    private readonly guard: Guard,
    private readonly dialect: Dialect,
    private readonly conversation: Conversation,
    private readonly options: ClientOptions,
  ) {}

  async decide({ reply, request, signal }: Exchanged): Promise<Decision> {
    const { guard, dialect } = this;
    const stop = (await this.addCost(reply, request)) ?? (await this.settleProviderCalls(reply));
    if (stop !== null) return { kind: "stop", stop };
    const verdict = guard.checkResponse({ provider: dialect.provider, response: reply, request: choiceIn(request) });
    if (verdict.kind === "block") return this.unusable(reply, verdict);
    const calls = await permittedCalls(guard, verdict.calls, this.options.gate ?? "reject_all", signal);
    if (signal.aborted) {
      await releaseCalls(guard, calls);
      throw signal.reason;
    }
    return this.decided(reply, calls);
  }

  private async addCost(reply: JsonObject, request: JsonObject): Promise<Stop | null> {
    const { prices } = this.options;
    if (prices === undefined) return null;
    const usage = this.dialect.usage(reply);
    const model = textAt(reply, "model") ?? textAt(request, "model") ?? "";
    const cost = usage === null ? null : (costOf(prices, model, usage) ?? this.costAsAsked(request, usage));
    if (cost === null) return { code: "cost_unknown", message: "the reply does not say what it cost" };
    await this.guard.recordCost(cost);
    return null;
  }

  /** A server may call the model otherwise than the request did. */
  private costAsAsked(request: JsonObject, usage: NonNullable<ReturnType<Dialect["usage"]>>): number | null {
    return costOf(this.options.prices ?? {}, textAt(request, "model") ?? "", usage);
  }

  /** Calls that the provider has made are counted; one that its contract refuses ends the request. */
  private async settleProviderCalls(reply: JsonObject): Promise<Stop | null> {
    for (const call of this.dialect.providerCalls(reply)) {
      const tool = this.options.providerTools?.[call.name];
      if (tool === undefined) return unlisted(call.name);
      const refused = await settleProviderCall(this.guard, tool, { ...call, outcome: outcomeOf(call) });
      if (refused !== null) return stopOf(refused);
    }
    return null;
  }

  /** A reply that breaks rules or cannot be read: the model hears of it if it has calls that can be answered. */
  private unusable(reply: JsonObject, verdict: BlockVerdict): Decision {
    const calls = this.dialect.calls(reply);
    const ids = calls.flatMap(({ id }) => (id === null ? [] : [id]));
    if (ids.length === 0 || new Set(ids).size < calls.length) return { kind: "stop", stop: stopOf(verdict) };
    return { kind: "answer", answers: new Map(ids.map((id) => [id, refusalText(verdict)])) };
  }

  private decided(reply: JsonObject, calls: readonly PermittedCall[]): Decision {
    const { guard, dialect } = this;
    const agent = callsOf(guard);
    const reasons = calls.map((each) => ({ ...each.call, text: whyNotMade(guard, each) }));
    const refused = reasons.flatMap(({ id, tool, text }) => (text === null ? [] : [{ id, tool, text }]));
    const others = refused.filter(({ tool }) => !agent.executes(tool));
    for (const { call, running } of calls) if (running !== undefined) this.conversation.expect(call.id, running);
    // Tools that pass the guard tell the model themselves why they were not executed.
    if (others.length === 0) return { kind: "pass", reply };
    if (refused.length === calls.length) {
      for (const { id } of refused) agent.forget(id);
      return { kind: "answer", answers: new Map(refused.map(({ id, text }) => [id, text])) };
    }
    const answers = new Map(others.map(({ id, text }) => [id, text]));
    const ids = new Set(answers.keys());
    const left = reasons.find(({ id }) => !ids.has(id));
    const raw = dialect.calls(reply).filter(({ id }) => id !== null && ids.has(id));
    if (left !== undefined) this.conversation.leave(left.id, { calls: raw, answers });
    return { kind: "pass", reply: dialect.without(reply, ids) };
  }
}

function outcomeOf({ output, isFailed }: ProviderCall): Outcome {
  if (isFailed) return { kind: "error" };
  return output === null ? { kind: "result" } : { kind: "result", output };
}

/** What of a request its reply is judged by: the rest need not be read again. */
function choiceIn(request: JsonObject): JsonObject {
  const { tool_choice: choice, function_call: older } = request;
  return {
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(older === undefined ? {} : { function_call: older }),
  };
}

export function unlisted(name: string): Stop {
  return {
    code: "provider_tool_refused",
    message: `\`${name}\` is run by the provider and has no contract`,
    hint: "name its contract in `providerTools`",
  };
}
