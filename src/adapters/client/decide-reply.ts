import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { BlockVerdict } from "../../guard/public.js";
import { callsOf } from "../core/agent-calls.js";
import { judgeReply } from "../core/judge-reply.js";
import { refusalText } from "../core/refusal.js";
import { textAt } from "./body.js";
import type { ClientOptions } from "./client-options.js";
import type { Conversation } from "./conversation.js";
import type { Dialect } from "./dialect.js";
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

/** Decides about the replies of one conversation. */
export class ReplyDecider {
  constructor(
    private readonly guard: Guard,
    private readonly dialect: Dialect,
    private readonly conversation: Conversation,
    private readonly options: ClientOptions,
  ) {}

  async decide({ reply, request, signal }: Exchanged): Promise<Decision> {
    const { guard, dialect, options } = this;
    const { prices = null, providerTools = {}, gate = "reject_all" } = options;
    const judged = await judgeReply(
      guard,
      {
        given: { provider: dialect.provider, response: reply, request: choiceIn(request), parsed: true },
        models: prices === null ? [] : [reply, request].flatMap((body) => textAt(body, "model") ?? []),
        usage: prices === null ? null : dialect.usage(reply),
        made: dialect.providerCalls(reply),
        signal,
      },
      {
        ...{ prices, providerTools },
        judge: (calls) => permittedCalls(guard, calls, gate, signal),
        release: (calls) => releaseCalls(guard, calls),
      },
    );
    return judged.kind === "block" ? this.unusable(reply, judged) : this.decided(reply, judged.calls);
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
    // Mostly all of them are made.
    if (calls.every(({ fate }) => fate.kind === "reserved")) return { kind: "pass", reply };
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

/** What of a request its reply is judged by: the rest need not be read again. */
function choiceIn(request: JsonObject): JsonObject {
  const { tool_choice: choice, function_call: older } = request;
  return {
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(older === undefined ? {} : { function_call: older }),
  };
}
