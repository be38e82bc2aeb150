import { withDefaults } from "./reference/additions.js";
import { Approvals } from "./reference/approvals.js";
import { holderOf, isHolder, KEPT_KEYS, readKey } from "./reference/call-keys.js";
import type { Situation } from "./reference/check.js";
import { type Decision, decide, visibleTools } from "./reference/decide.js";
import {
  type Calls,
  type CallText,
  currentStep,
  type Event,
  isBroken,
  isKilled,
  readCalls,
} from "./reference/history.js";
import { isJsonArguments } from "./reference/json.js";
import { canBeLate, hasLateResult, isLate } from "./reference/late-results.js";
import {
  type Acknowledgement,
  type Allowed,
  type Block,
  block,
  contractOf,
  needsPrincipal,
  type Options,
  type Pack,
  type Proposal,
  type Reason,
  type Recorded,
  type Settlement,
  type State,
  type Verdict,
  type Visibility,
} from "./reference/model.js";
import { readOutcome } from "./reference/outcome.js";
import { type ApprovalRequest, isPaused, rulesOfAnswers } from "./reference/requests.js";
import { settle } from "./reference/settle.js";
import { stateOf, stepsSoFar, unsettledIn } from "./reference/state.js";
import { type World, worldsOf } from "./reference/worlds.js";

/** What the guards of one session have in common. */
class Log {
  readonly events: Event[] = [];
  ids = 0;
  guards = 0;
  private last: { readonly calls: Calls; readonly worlds: readonly World[] } | null = null;

  /** The same calls leave the same worlds. */
  worldsOf(pack: Pack, calls: Calls): readonly World[] {
    if (this.last?.calls !== calls) this.last = { calls, worlds: worldsOf(pack, calls) };
    return this.last.worlds;
  }
}

/**
 * The guard as semantics.md and decision 0007 say it, slowly: it keeps nothing but the events of the session and reads
 * all of them again for every answer.
 */
export class ReferenceGuard {
  private readonly events: Event[];
  /** Its number among the guards of the session: who asks for an approval matters for its answer. */
  readonly self: number;
  private readonly approvals: Approvals;

  private readonly pack: Pack;

  constructor(
    pack: Pack,
    private readonly options: Options,
    private readonly log = new Log(),
  ) {
    this.pack = withDefaults(pack);
    if (needsPrincipal(this.pack) && options.principal === null) throw new Error("the pack needs a principal");
    this.events = log.events;
    log.guards += 1;
    this.self = log.guards;
    this.approvals = new Approvals(this.self, {
      events: log.events,
      clock: options.clock,
      record: (event) => this.record(event),
      decideAnew: (request) => this.decideAnew(request),
      unsettled: () => this.unsettled(),
      ended: () => this.ended(),
      isSeated: options.seat !== undefined,
    });
  }

  /** Another guard of the same session: beside this one, or after it. */
  another(options: Options): ReferenceGuard {
    return new ReferenceGuard(this.pack, options, this.log);
  }

  propose({ tool, args, callKey }: Proposal): Verdict {
    const key = readKey(callKey);
    // In every mode and whatever the state: what is no name of a tool is no call of one, and counts as nothing.
    if (typeof tool !== "string") return block("unmatched_tool");
    const { mode } = this.options;
    // So it is with what cannot be copied, but that where calls are judged it counts.
    if (!isJsonArguments(args)) {
      if (mode === "enforce") this.record({ kind: "blocked" });
      return block("arguments_not_json");
    }
    const call = { tool, args };
    const ended = this.ended();
    if (mode === "log-only") return ended === null ? this.allow(call, key) : block(ended);
    return this.answerAgain(call, key) ?? this.answer(call, key, decide(this.situation(tool, args), null));
  }

  settle(callId: string, said: unknown): Settlement {
    const outcome = readOutcome(said);
    const calls = readCalls(this.pack, this.events);
    const call = calls.all.find((candidate) => candidate.callId === callId);
    if (call === undefined) return { accepted: false, reason: "unknown_call" };
    const made = settle({ pack: this.pack, options: this.options, events: this.events, calls, call }, outcome);
    if (typeof made === "string") {
      const isLateResult = outcome.kind === "result" && canBeLate(this.events, callId);
      if (isLateResult) this.record({ kind: "late_result", callId });
      return { accepted: false, reason: made };
    }
    for (const event of made) this.record(event);
    const [violation] = made.flatMap((event) =>
      event.kind === "settled" && event.end.kind === "violated" ? [event.end.by] : [],
    );
    return violation === undefined ? { accepted: true } : { accepted: true, violation };
  }

  acknowledge(callId: string, { happened }: Acknowledgement): Settlement {
    if (!isLate(this.events, callId)) return { accepted: false, reason: "no_late_result" };
    this.record({ kind: "acknowledged", callId, happened });
    return { accepted: true };
  }

  approve(approvalId: string, { by }: { readonly by: string }): Verdict | Recorded {
    return this.approvals.approve(approvalId, by);
  }

  deny(approvalId: string, { by }: { readonly by: string }): Verdict | Recorded {
    return this.approvals.deny(approvalId, by);
  }

  withdraw(approvalId: string): void {
    this.approvals.withdraw(approvalId);
  }

  resume(approvalId: string): Verdict {
    return this.approvals.resume(approvalId);
  }

  beginStep(): { readonly kind: "allow"; readonly would?: Block } | Block {
    const { options, events, pack } = this;
    const ended = this.ended();
    if (ended !== null) return block(ended);
    const refusal = options.mode === "log-only" ? null : this.stepRefusal(pack, events);
    if (refusal !== null && options.mode === "enforce") return block(refusal);
    this.record({ kind: "step" });
    return refusal === null ? { kind: "allow" } : { kind: "allow", would: block(refusal) };
  }

  private stepRefusal(pack: Pack, events: readonly Event[]): Reason | null {
    if (hasLateResult(events)) return "late_result_unacknowledged";
    const max = pack.session?.session_limits?.max_steps;
    if (max !== undefined && stepsSoFar(pack, events) + 1 > max) return "session_limit_exceeded";
    return this.options.seat?.stepLimit() ?? null;
  }

  recordCost(usd: number): void {
    this.record({ kind: "cost", usd });
  }

  addLabel(label: unknown): void {
    if (typeof label !== "string" || label === "") throw new TypeError("a label must be a text that is not empty");
    this.record({ kind: "label", label });
  }

  /** Whatever it is given, it kills. */
  kill(_: unknown): void {
    this.record({ kind: "killed" });
  }

  state(): State {
    return stateOf(this.pack, this.events);
  }

  unsettled(): State["unsettled"] {
    return unsettledIn(this.pack, this.events);
  }

  /** Does something and takes it back: what it gave, and whether it would have changed anything. */
  whatIf<T>(act: () => T): { readonly given: T; readonly changes: boolean } {
    const { ids } = this.log;
    const { length } = this.events;
    const given = act();
    const changes = this.events.length > length;
    this.events.length = length;
    this.log.ids = ids;
    return { given, changes };
  }

  /** How much has happened to the session. */
  revision(): number {
    return this.events.length;
  }

  isKilled(): boolean {
    return isKilled(this.events);
  }

  /** Everything that happened to the session. */
  history(): readonly Event[] {
    return this.events;
  }

  visibleTools(): Visibility {
    const names = this.pack.tools.map(({ tool }) => tool);
    // Outside enforce mode nothing is blocked but by a kill, so nothing else is hidden.
    if (this.options.mode !== "enforce" && this.ended() === null) return { visible: names, hidden: [] };
    const now = this.situation("", {});
    return visibleTools(names.map((tool) => ({ ...now, tool, contract: contractOf(this.pack, tool) })));
  }

  /** The first reason to refuse a call now, whatever the mode does with it; null if there is none. */
  refusal(tool: string, args: unknown): Reason | null {
    if (!isJsonArguments(args)) return "arguments_not_json";
    const decision = decide(this.situation(tool, args), null);
    return decision.kind === "block" ? decision.reason : null;
  }

  /** Why nothing new may happen in the session; the word of its workflow comes first. */
  private ended(): Reason | null {
    return this.options.seat?.ended() ?? (isKilled(this.events) ? "session_killed" : null);
  }

  private situation(tool: string, args: CallText["args"]): Situation {
    const { pack, options, events } = this;
    const calls = readCalls(pack, events);
    return {
      pack,
      options,
      events,
      tool,
      args,
      calls,
      worlds: this.log.worldsOf(pack, calls),
      contract: contractOf(pack, tool),
    };
  }

  private allow({ tool, args }: CallText, key: string | null, callId = this.nextId("call")): Allowed {
    this.record({ kind: "allowed", callId, call: { tool, args }, step: currentStep(this.events), key });
    return { kind: "allow", callId };
  }

  /** The answer to a proposal whose key is held; null where it must be judged: kill, and a pause by another call, come first. */
  private answerAgain(call: CallText, key: string | null): Verdict | null {
    const { events, options } = this;
    const now = options.clock.now();
    if (key === null || this.ended() !== null || hasLateResult(events)) return null;
    const calls = readCalls(this.pack, events).all;
    const held = holderOf(key, { events, calls, now }, options.keptKeys ?? KEPT_KEYS);
    if (held === null) return null;
    const { state, callId, approvalId } = held;
    const isSame = isHolder(held, call);
    if (isPaused(events, now, isSame ? approvalId : null)) return null;
    if (!isSame) return this.refuse("call_key_mismatch", call, key);
    if (state === "settled") return this.refuse("call_key_used", call, key);
    const waiting = approvalId === null ? null : this.approvals.waiting(approvalId);
    if (waiting !== null) return { ...waiting, repeated: true };
    return { kind: "allow", callId, repeated: true };
  }

  /** In shadow mode the state goes on as if allowed; only the end of a session acts. */
  private refuse(reason: Reason, call: CallText, key: string | null, because?: string): Verdict {
    if (this.options.mode === "shadow" && this.ended() === null) {
      return { ...this.allow(call, key), would: block(reason, because) };
    }
    if (reason !== "session_paused" && this.options.mode !== "shadow") this.record({ kind: "blocked" });
    return block(reason, because);
  }

  private answer(call: CallText, key: string | null, decision: Decision): Verdict {
    if (decision.kind === "allow") return this.allow(call, key);
    if (decision.kind === "block") return this.refuse(decision.reason, call, key, decision.because);
    const { because } = decision;
    if (this.options.mode === "shadow")
      return { ...this.allow(call, key), would: { kind: "approval_required", because } };
    const approvalId = this.nextId("approval");
    const callId = this.nextId("call");
    const deadline = this.options.clock.now() + decision.timeoutSeconds * 1000;
    const { onTimeout, asking } = decision;
    const rules = { onTimeout, asking, because, guard: this.self, ...rulesOfAnswers(this.options) };
    this.record({ kind: "asked", request: { approvalId, callId, call, deadline, key, ...rules } });
    return { kind: "approval_required", approvalId, callId, because };
  }

  /** But for the checkpoints that asked, against the state of this moment. */
  private decideAnew({ approvalId, call, callId, key, asking }: ApprovalRequest): Verdict {
    const decision = decide(this.situation(call.tool, call.args), asking);
    this.record({ kind: "decided", approvalId });
    if (decision.kind !== "block") return this.allow(call, key, callId);
    return this.refuse(decision.reason, call, key, decision.because);
  }

  /** A session that is only asked to cancel is not over yet. */
  private isOver(): boolean {
    const ended = this.ended();
    return ended !== null && ended !== "cancel_requested";
  }

  private nextId(kind: string): string {
    this.log.ids += 1;
    return `${kind}-${this.log.ids}`;
  }

  /** Every event may be the one that opens the circuit breaker. */
  private record(event: Event): void {
    // Nothing follows from a refusal in a session that is over.
    if (event.kind === "blocked" && this.isOver()) return;
    this.events.push(event);
    if (isBroken(this.pack, this.events) && !isKilled(this.events)) this.events.push({ kind: "killed" });
  }
}
