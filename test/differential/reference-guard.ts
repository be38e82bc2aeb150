import type { Reason } from "../../src/artifact/reasons.js";
import type { Json } from "../../src/base/json.js";
import type { Situation } from "./reference/check.js";
import { type Decision, decide, visibleTools } from "./reference/decide.js";
import { sum, toNumber } from "./reference/decimal.js";
import {
  type ApprovalRequest,
  answerTo,
  blocksInARow,
  type CallText,
  costsOf,
  currentStep,
  type Event,
  errorsInARow,
  isCounted,
  isDecided,
  isKilled,
  labelsOf,
  readCalls,
  requestsOf,
} from "./reference/history.js";
import { isJsonArguments } from "./reference/json.js";
import { stepsIn } from "./reference/limit-checks.js";
import {
  type Block,
  contractOf,
  type Options,
  type Outcome,
  type Pack,
  type Proposal,
  type Settlement,
  type State,
  type Verdict,
  type Visibility,
} from "./reference/model.js";
import { settle } from "./reference/settle.js";
import { aggregateValue } from "./reference/value-checks.js";
import { phaseIn, slotIn, type World, worldsOf } from "./reference/worlds.js";

function block(reason: Reason): Block {
  return { kind: "block", reason };
}

function needsPrincipal({ tools, session }: Pack): boolean {
  const rules = (session?.policy?.rules ?? []).flatMap(({ allow, deny }) => [allow, deny]);
  const own = tools.flatMap(({ policy }) => [...(policy?.allow ?? []), ...(policy?.deny ?? [])]);
  return [...rules, ...own].some((entry) => entry?.principal !== undefined);
}

/**
 * The guard as semantics.md and decision 0007 say it, slowly: it keeps nothing but the events of the session and reads
 * all of them again for every answer.
 */
export class ReferenceGuard {
  private readonly events: Event[] = [];
  private ids = 0;

  constructor(
    private readonly pack: Pack,
    private readonly options: Options,
  ) {
    if (needsPrincipal(pack) && options.principal === null) throw new Error("the pack needs a principal");
  }

  propose({ tool, args }: Proposal): Verdict {
    const { mode } = this.options;
    if (mode === "log-only") {
      const call = { tool, args: isJsonArguments(args) ? args : {} };
      return isKilled(this.events) ? block("session_killed") : this.allow(call);
    }
    if (!isJsonArguments(args)) return this.refuse("arguments_not_json", { tool, args: {} });
    return this.answer({ tool, args }, decide(this.situation(tool, args), "ask"));
  }

  settle(callId: string, outcome: Outcome): Settlement {
    const calls = readCalls(this.pack, this.events);
    const call = calls.all.find((candidate) => candidate.callId === callId);
    if (call === undefined) return { accepted: false, reason: "unknown_call" };
    const made = settle({ pack: this.pack, options: this.options, calls, call }, outcome);
    if (typeof made === "string") return { accepted: false, reason: made };
    for (const event of made) this.record(event);
    const isViolated = made.some((event) => event.kind === "settled" && event.end.kind === "violated");
    return isViolated ? { accepted: true, violation: true } : { accepted: true };
  }

  approve(approvalId: string, _: { readonly by: string }): Verdict {
    const request = this.request(approvalId);
    if (request === undefined) return block("approval_mismatch");
    const refusal = this.refuseAnswer(request);
    if (refusal !== null) return refusal;
    this.record({ kind: "answered", approvalId, answer: "approve" });
    return this.decideAnew(request);
  }

  deny(approvalId: string, _: { readonly by: string }): Verdict {
    const request = this.request(approvalId);
    if (request === undefined) return block("approval_mismatch");
    const refusal = this.refuseAnswer(request);
    if (refusal !== null) return refusal;
    this.record({ kind: "answered", approvalId, answer: "deny" });
    this.record({ kind: "blocked" });
    return block("approval_denied");
  }

  resume(approvalId: string): Verdict {
    const request = this.request(approvalId);
    if (request === undefined) return block("approval_mismatch");
    // Deciding anew happens once: the verdict is told again only while its call is still running.
    const isRunning = this.unsettled().some(({ callId, status }) => callId === request.callId && status === "running");
    if (isRunning) return { kind: "allow", callId: request.callId };
    if (isDecided(this.events, approvalId)) return block("approval_used");
    if (answerTo(this.events, approvalId) === "deny") return block("approval_denied");
    if (isKilled(this.events)) return block("session_killed");
    if (!this.isPast(request)) return { kind: "approval_required", approvalId, callId: request.callId };
    return request.onTimeout === "deny" ? block("approval_expired") : this.decideAnew(request);
  }

  beginStep(): { readonly kind: "allow" } | Block {
    if (isKilled(this.events)) return block("session_killed");
    const max = this.pack.session?.session_limits?.max_steps;
    const isFull = max !== undefined && this.steps() + 1 > max;
    if (isFull && this.options.mode === "enforce") return block("session_limit_exceeded");
    this.record({ kind: "step" });
    return { kind: "allow" };
  }

  recordCost(usd: number): void {
    this.record({ kind: "cost", usd });
  }

  addLabel(label: string): void {
    this.record({ kind: "label", label });
  }

  kill(_: string): void {
    this.record({ kind: "killed" });
  }

  /** What is committed, and what is counted. */
  state(): State {
    const { pack, events } = this;
    const calls = readCalls(pack, events);
    const counted = calls.all.filter(isCounted);
    const committed: World = { commits: calls.commits, counted };
    const slots = new Set(pack.tools.flatMap(({ binds = [] }) => binds.map(({ name }) => name)));
    const bindings = [...slots].flatMap((slot): [string, Json][] => {
      const held = slotIn(pack, committed, slot);
      return held.kind === "set" ? [[slot, held.value]] : [];
    });
    const aggregates = (pack.session?.aggregates ?? []).map((aggregate): [string, number | null] => {
      const value = aggregateValue(aggregate, counted);
      return [aggregate.name, value === null ? null : toNumber(value)];
    });
    return {
      phase: phaseIn(pack, committed),
      steps: this.steps(),
      toolCalls: counted.length,
      bindings: new Map(bindings),
      aggregates: new Map(aggregates),
      labels: labelsOf(events),
      killed: isKilled(events),
      unsettled: this.unsettled(),
      cost: toNumber(sum(costsOf(events))),
    };
  }

  /** Every call that was allowed and is not settled, in the order of the verdicts. */
  unsettled(): State["unsettled"] {
    const { all } = readCalls(this.pack, this.events);
    return all.flatMap(({ callId, tool, open }) => (open === null ? [] : [{ callId, tool, status: open }]));
  }

  isKilled(): boolean {
    return isKilled(this.events);
  }

  visibleTools(): Visibility {
    const names = this.pack.tools.map(({ tool }) => tool);
    // Outside enforce mode nothing is blocked but by a kill, so nothing else is hidden.
    if (this.options.mode !== "enforce" && !isKilled(this.events)) return { visible: names, hidden: [] };
    const now = this.situation("", {});
    return visibleTools(names.map((tool) => ({ ...now, tool, contract: contractOf(this.pack, tool) })));
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
      worlds: worldsOf(pack, calls),
      contract: contractOf(pack, tool),
    };
  }

  private steps(): number {
    const counted = readCalls(this.pack, this.events).all.filter(isCounted);
    return stepsIn(this.events, { commits: [], counted });
  }

  private allow({ tool, args }: CallText, callId = this.nextId("call")): Verdict & { readonly kind: "allow" } {
    this.record({ kind: "allowed", callId, call: { tool, args }, step: currentStep(this.events) });
    return { kind: "allow", callId };
  }

  /** In shadow mode the state goes on as if allowed; only a kill acts. */
  private refuse(reason: Reason, call: CallText): Verdict {
    if (this.options.mode === "shadow" && reason !== "session_killed") {
      return { ...this.allow(call), would: block(reason) };
    }
    if (reason !== "session_paused" && this.options.mode !== "shadow") this.record({ kind: "blocked" });
    return block(reason);
  }

  private answer(call: CallText, decision: Decision): Verdict {
    if (decision.kind === "allow") return this.allow(call);
    if (decision.kind === "block") return this.refuse(decision.reason, call);
    if (this.options.mode === "shadow") return { ...this.allow(call), would: { kind: "approval_required" } };
    const approvalId = this.nextId("approval");
    const callId = this.nextId("call");
    const deadline = this.options.clock.now() + decision.timeoutSeconds * 1000;
    this.record({ kind: "asked", request: { approvalId, callId, call, deadline, onTimeout: decision.onTimeout } });
    return { kind: "approval_required", approvalId, callId };
  }

  /** Checkpoints aside, against the state of this moment. */
  private decideAnew({ approvalId, call, callId }: ApprovalRequest): Verdict {
    const decision = decide(this.situation(call.tool, call.args), "answered");
    this.record({ kind: "decided", approvalId });
    return decision.kind === "block" ? this.refuse(decision.reason, call) : this.allow(call, callId);
  }

  private request(approvalId: string): ApprovalRequest | undefined {
    return requestsOf(this.events).find((candidate) => candidate.approvalId === approvalId);
  }

  private isPast({ deadline }: ApprovalRequest): boolean {
    return this.options.clock.now() >= deadline;
  }

  private refuseAnswer(request: ApprovalRequest): Block | null {
    if (answerTo(this.events, request.approvalId) !== null) return block("approval_used");
    return this.isPast(request) ? block("approval_expired") : null;
  }

  private nextId(kind: string): string {
    this.ids += 1;
    return `${kind}-${this.ids}`;
  }

  /** Every event may be the one that opens the circuit breaker. */
  private record(event: Event): void {
    this.events.push(event);
    const breaker = this.pack.session?.session_limits?.circuit_breaker;
    const { consecutive_blocks: blocks, consecutive_errors: errors } = breaker ?? {};
    const isBroken =
      (blocks !== undefined && blocksInARow(this.events, readCalls(this.pack, this.events)) >= blocks) ||
      (errors !== undefined && errorsInARow(this.events) >= errors);
    if (isBroken && !isKilled(this.events)) this.events.push({ kind: "killed" });
  }
}
