import { REASONS, type Reason } from "../../artifact/reasons.js";
import { isJsonObject } from "../../base/json.js";
import { cut } from "../../base/wording.js";
import type { Program, Proposal } from "../program/program.js";
import { proposalOf } from "../program/proposal.js";
import type { BlockVerdict, Verdict } from "../public.js";
import type { ResolvedOptions } from "../resolved-options.js";
import { digestOf } from "../session/call-digest.js";
import type { SessionEvent } from "../session/event.js";
import type { Step } from "../session/ledger.js";
import type { PendingApproval } from "../session/pending-approval.js";
import { callIdOf, type Session } from "../session/session.js";
import { type PlainJson, plainJson } from "../values/plain-json.js";
import { hintFor, SESSION_OVER } from "./hint.js";
import { type Block, block, tooCostly } from "./verdict.js";

/** A verdict, and the events that record it. */
export type Decided = Step<Verdict>;

/** Arguments that are not a JSON object: other JSON, or values that could not be copied. */
export interface Unjudgeable extends Block {
  readonly isCopied: boolean;
  /** Of the call, where it has one: other JSON under the same key is another call. */
  readonly digest: string | null;
}

const NONE: readonly SessionEvent[] = [];
/** The event of every refusal; nothing changes it. */
const BLOCKED: readonly SessionEvent[] = [{ kind: "blocked" }];

function withBlock(before: readonly SessionEvent[]): readonly SessionEvent[] {
  return before.length === 0 ? BLOCKED : [...before, ...BLOCKED];
}

/** Whether a refusal says nothing about the call. Compared one by one, which takes half as long as asking a set. */
function isOfSession(reason: Reason): boolean {
  return (
    reason === "session_paused" ||
    reason === "session_closed" ||
    reason === "session_killed" ||
    reason === "workflow_killed"
  );
}

/** A map: looking up so many names in an object is slower. */
const MESSAGES: ReadonlyMap<string, string> = new Map(Object.entries(REASONS));

/** Makes proposals from the arguments of callers, and steps from the decision on them: a reservation, or a refusal. */
export class Proposals {
  constructor(
    private readonly program: Program,
    private readonly options: ResolvedOptions,
  ) {}

  /** A call ready to be judged, or why it cannot be. */
  of(toolName: string, args: unknown): Proposal | Unjudgeable {
    return this.ofCopied(toolName, plainJson(args));
  }

  /** The same for arguments that were copied before. */
  ofCopied(toolName: string, plain: PlainJson): Proposal | Unjudgeable {
    if (!plain.ok || !isJsonObject(plain.value)) {
      const found = plain.ok ? "another JSON value" : plain.what;
      const refusal = block("arguments_not_json", null, "arguments that are a JSON object", found);
      const digest = plain.ok ? digestOf({ tool: toolName, args: plain.value }) : null;
      return { ...refusal, isCopied: plain.ok, digest };
    }
    const tool = this.program.tools.get(toolName) ?? this.program.unmatched(toolName);
    const { recording } = this.options;
    if (recording === null) return proposalOf(tool, plain.value);
    const digest = digestOf({ tool: toolName, args: plain.value });
    if (digest === null) return { ...tooCostly(null), isCopied: true, digest };
    return { ...proposalOf(tool, plain.value), digest };
  }

  /** The call of a request, ready to be judged again. */
  again({ tool: name, args, digest }: PendingApproval): Proposal | Unjudgeable {
    const { recording } = this.options;
    if (digest === undefined || recording === null || !isJsonObject(args)) return this.of(name, args);
    const tool = this.program.tools.get(name) ?? this.program.unmatched(name);
    // By the arguments, and not by what this guard stores: another one may have asked.
    const isReduced = digestOf({ tool: name, args }) !== digest;
    return { ...proposalOf(isReduced ? recording.judgedTool(tool) : tool, args), digest };
  }

  /** The refusal of a tool without a contract; null if it has one, or needs none. */
  unmatched({ tool }: Proposal): Block | null {
    if (tool.compiled !== null || this.options.unmatched === "allow") return null;
    return block("unmatched_tool", null, "a tool with a contract", `\`${cut(tool.name)}\``);
  }

  /** Reserves a call: from now on it counts. */
  reserve(session: Session, proposal: Proposal, key: string | undefined, approved?: PendingApproval): Decided {
    const callId = approved?.callId ?? callIdOf(session.issued + 1);
    const isApproved = approved !== undefined;
    const { tool, args, digest } = proposal;
    const { recording } = this.options;
    const reserved: SessionEvent =
      key === undefined
        ? { kind: "reserved", callId, tool: tool.name, args, isApproved }
        : {
            kind: "reserved",
            callId,
            tool: tool.name,
            args,
            isApproved,
            key,
            ...(digest === undefined ? {} : { digest }),
          };
    const event = recording === null ? reserved : recording.reserved(reserved, proposal);
    return { events: [event], result: { kind: "allow", callId } };
  }

  /** Refuses a call, which counts for the circuit breaker unless it only has to wait, or the session is over. */
  refuse(session: Session, refusal: Block, before: readonly SessionEvent[] = NONE): Decided {
    const verdict = this.verdictOf(session, refusal, before);
    if (!this.counts(session, refusal)) return { events: before, result: verdict };
    const most = this.program.pack.circuit_breaker.consecutive_blocks;
    const isLast = most !== null && session.blocksInRow + 1 >= most;
    return { events: withBlock(before), result: isLast ? { ...verdict, hint: SESSION_OVER } : verdict };
  }

  /** The events of a refusal that nobody is told of. */
  refusalEvents(session: Session, refusal: Block): readonly SessionEvent[] {
    return this.counts(session, refusal) ? BLOCKED : NONE;
  }

  private counts({ isKilled }: Session, { reason }: Block): boolean {
    return this.options.mode === "enforce" && !isKilled && !isOfSession(reason);
  }

  /** A refusal in the form that callers get; the events come before it. */
  verdictOf(session: Session, refusal: Block, before: readonly SessionEvent[] = NONE): BlockVerdict {
    const { reason, at, required, found, because } = refusal;
    const message = MESSAGES.get(reason) ?? reason;
    const hint = this.hint(session, refusal, before);
    if (at === null) return { kind: "block", reason, message, required, found, hint };
    // A copy: a caller must not change the rule.
    const rule = { file: at.file, line: at.line };
    if (because === undefined) return { kind: "block", reason, message, rule, required, found, hint };
    return { kind: "block", reason, message, rule, because, required, found, hint };
  }

  /** Where the workflow refuses every call, no other one helps. */
  private hint(session: Session, refusal: Block, before: readonly SessionEvent[]): string {
    const { seat, approver } = this.options;
    const limit = seat === null ? null : seat.refuseAll(session);
    return hintFor(this.program, session, limit ?? refusal, {
      now: this.surelyNow(session),
      hasApprover: approver !== undefined,
      // Without a closure for the most common case, in which nothing came before.
      endedApproval:
        before.length === 0 ? undefined : before.find((event) => event.kind === "approval_ended")?.approvalId,
      proposed: (tool, args) => {
        const proposal = this.ofCopied(tool, { ok: true, value: args });
        return proposal.kind === "call" ? proposal : null;
      },
    });
  }

  /** The time, read only if it matters: a clock costs as much as several checks. */
  now({ approval }: Session): number {
    return approval === null ? 0 : this.options.clock.now();
  }

  /** The time for hints and lists; if the clock fails, a pending approval counts as pending. */
  surelyNow(session: Session): number {
    try {
      return this.now(session);
    } catch {
      return 0;
    }
  }
}
