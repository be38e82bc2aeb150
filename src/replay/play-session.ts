import type { Artifact, CheckOf } from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import type { Reason } from "../artifact/reasons.js";
import { invariant } from "../base/invariant.js";
import type { Json } from "../base/json.js";
import { Decisions } from "../guard/decide/decisions.js";
import type { Decision } from "../guard/decide/verdict.js";
import { refusedBySchema, withoutSchema } from "../guard/durable/reduced-tool.js";
import { prepareGuard } from "../guard/guard-parts.js";
import { programOf } from "../guard/program/prepare-program.js";
import type { Program, Proposal } from "../guard/program/program.js";
import { timed } from "../guard/program/proposal.js";
import type { Violation } from "../guard/public.js";
import type { ResolvedOptions } from "../guard/resolved-options.js";
import { advance, reserveAtOnce, settleAtOnce } from "../guard/session/advance.js";
import type { SessionEvent } from "../guard/session/event.js";
import type { Outcome } from "../guard/session/outcome.js";
import { newSession, type Session, unsettledCall } from "../guard/session/session.js";
import { type Settlement, settlementOf } from "../guard/session/settlement.js";
import { parsedJson } from "../guard/values/plain-json.js";
import {
  type Beside,
  type TracedCall,
  type TracedOutcome,
  type TracedSession,
  UnreadableTrace,
} from "./traced-session.js";

/** The verdict on a recorded call. */
export type PlayedCall =
  | {
      readonly kind: "allow";
      readonly callId: string;
      readonly violation: Violation | null;
      readonly isCommitted: boolean;
    }
  | { readonly kind: "block"; readonly reason: Reason; readonly rule: Place | null; readonly because: string | null }
  /** The record shows that it was made, so that the rest of the session is judged as if it was approved. */
  | {
      readonly kind: "approval_required";
      readonly callId: string;
      readonly rules: readonly Place[];
      readonly violation: Violation | null;
      readonly isCommitted: boolean;
    };

type ReservedEvent = SessionEvent & { readonly kind: "reserved" };
type Ended = Pick<PlayedCall & { readonly kind: "allow" }, "violation" | "isCommitted">;

/** A call of which nothing is known but that it was made. */
const MADE: Outcome = { kind: "happened" };

/** Decides recorded sessions again, on the code that every guard decides with, but at once and without a store. */
export class SessionPlayer {
  private readonly program: Program;
  private readonly options: ResolvedOptions;
  private now: number | null = null;

  constructor(artifact: Artifact, env: Readonly<Record<string, string | undefined>>) {
    const clock = { now: () => this.now ?? Date.now() };
    // The principal of each session comes with its record; a pack that needs one is not asked for it here.
    const principal = artifact.packs[0]?.needs_principal === true ? {} : undefined;
    const given = { env, clock, approver: "manual" as const, ...(principal === undefined ? {} : { principal }) };
    const { program, options } = prepareGuard(artifact, given, { isAlone: true, isLenient: true });
    this.program = program;
    this.options = options;
  }

  /** The variables that rules compare with and that are not set: no guard starts without them. */
  get unsetVariables(): readonly string[] {
    const { variables, env } = this.program;
    return variables.filter((name) => !env.has(name));
  }

  /** The verdict on each call, in their order. */
  play({ principal, labels, calls }: TracedSession): readonly PlayedCall[] {
    if (principal === null && this.program.pack.needs_principal) {
      throw new UnreadableTrace("the pack has rules about the caller, and the session has no `principal`");
    }
    const { artifact, env } = this.program;
    const program = programOf(this.program, { artifact, principal, env });
    const playing = new Playing(program, this.options);
    this.now = null;
    for (const label of labels) playing.add({ kind: "label", label });
    return calls.map((call) => {
      this.now = call.at ?? this.now;
      return playing.play(call);
    });
  }
}

/** One session while it is played. */
class Playing {
  private readonly session: Session;
  private readonly decisions: Decisions;

  constructor(
    private readonly program: Program,
    private readonly options: ResolvedOptions,
  ) {
    this.session = newSession(program);
    this.decisions = new Decisions(program, options);
  }

  /** Records what happened beside the calls; returns the refusal of a step. */
  add(beside: Beside): PlayedCall | null {
    switch (beside.kind) {
      case "label":
        advance(this.program, this.session, { kind: "label_added", label: beside.label });
        return null;
      case "cost":
        advance(this.program, this.session, { kind: "cost_recorded", usd: beside.usd });
        return null;
      case "step": {
        const { events, result } = this.decisions.beginStep(this.session);
        for (const event of events) advance(this.program, this.session, event);
        if (result.kind === "allow") return null;
        const { reason, rule = null, because = null } = result;
        return { kind: "block", reason, rule, because };
      }
    }
  }

  play(call: TracedCall): PlayedCall {
    let refused: PlayedCall | null = null;
    for (const beside of call.before) refused = this.add(beside) ?? refused;
    // The turn of the model could not begin, so that none of its calls could be made.
    return refused ?? this.decided(call);
  }

  private decided(call: TracedCall): PlayedCall {
    const { tool, args, outcome, digest } = call;
    const { program, session, decisions } = this;
    const made = decisions.proposals.ofCopied(tool, parsedJson(args));
    const proposal = made.kind === "block" ? made : timed(asStored(made, call), this.options.clock);
    const decision: Decision =
      proposal.kind === "block" ? proposal : decisions.decide(session, proposal, decisions.proposals.now(session));
    if (decision.kind === "block" || proposal.kind === "block") {
      invariant(decision.kind === "block", "a call that cannot be judged is refused");
      for (const event of decisions.proposals.refusalEvents(session, decision)) advance(program, session, event);
      return { kind: "block", reason: decision.reason, rule: decision.at, because: decision.because ?? null };
    }
    const { events, result } = decisions.proposals.reserve(session, proposal, undefined);
    const [reserved] = events;
    invariant(result.kind === "allow" && reserved?.kind === "reserved", "an allowed call is reserved");
    const { callId } = result;
    const { violation, isCommitted } = this.ended(digest === undefined ? reserved : { ...reserved, digest }, outcome);
    if (decision.kind === "allow") return { kind: "allow", callId, violation, isCommitted };
    const rules = decision.checkpoints.map(placeOf);
    return { kind: "approval_required", callId, rules, violation, isCommitted };
  }

  /** Reserves an allowed call, which then ends as the record says. */
  private ended(reserved: ReservedEvent, outcome: TracedOutcome = MADE): Ended {
    const { program, session } = this;
    const { callId } = reserved;
    if (outcome.kind !== "recorded") {
      reserveAtOnce(program, session, reserved);
      const { event, violation } = this.settled(callId, outcome);
      return { violation, isCommitted: event.ending === "committed" };
    }
    advance(program, session, reserved);
    for (const ending of outcome.endings) {
      // Under another pack than that of the record the call may have been committed at once, so that no result is late.
      const isOpen =
        ending.kind === "settled" ? unsettledCall(session, callId) !== undefined : session.denied.has(callId);
      if (isOpen) advance(program, session, { ...ending, callId });
    }
    const isCommitted = outcome.endings.some((each) => each.kind === "settled" && each.ending === "committed");
    return { violation: null, isCommitted };
  }

  private settled(callId: string, outcome: Outcome): Settlement & { readonly accepted: true } {
    const { program, session } = this;
    const copied = outcome.kind === "result" ? parsedJson(outcome.output as Json) : undefined;
    const now = () => this.options.clock.now();
    const settlement = settlementOf({ program, session, judges: true, copied, now }, callId, outcome);
    invariant(settlement.accepted, "a call that was just reserved can be settled");
    settleAtOnce(program, session, settlement.event);
    return settlement;
  }
}

/** A call of which a store has only those arguments that rules read: its JSON Schema was judged on all of them. */
function asStored(proposal: Proposal, { digest, isMismatch }: TracedCall): Proposal {
  if (digest === undefined) return proposal;
  const judged = isMismatch === true ? refusedBySchema : withoutSchema;
  return { ...proposal, tool: judged(proposal.tool), digest };
}

function placeOf({ at }: CheckOf<"checkpoint">): Place {
  return at;
}
