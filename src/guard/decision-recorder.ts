import { setImmediate as nextTurn } from "node:timers/promises";
import { foreignErrorName } from "../base/foreign-value.js";
import type { Decisions } from "./decide/decisions.js";
import { type Block, block } from "./decide/verdict.js";
import { artifactBlock, isArtifactChanged } from "./durable/log-errors.js";
import { decisionEvent } from "./guard-events.js";
import type { Listeners } from "./listeners.js";
import type { AllowVerdict, ApprovalVerdict, BlockVerdict, Verdict } from "./public.js";
import type { ResolvedOptions } from "./resolved-options.js";
import type { Ledger, Step } from "./session/ledger.js";
import type { Session } from "./session/session.js";
import { isStoreUnavailable } from "./session/store-errors.js";

/** What recording and reporting decisions needs from the guard. */
interface Parts {
  readonly decisions: Decisions;
  readonly ledger: Ledger;
  readonly listeners: Listeners;
  readonly options: ResolvedOptions;
  /** Releases a call that will not be sent. */
  release(callId: string): Promise<unknown>;
  /** Stops waiting for approvers: the session is over. */
  stopAsking(): void;
}

/** Records decisions and reports them to listeners. What cannot be recorded is refused, and after a kill nothing is allowed. */
export class DecisionRecorder {
  private isKillReported = false;

  constructor(private readonly parts: Parts) {}

  /** Reports a verdict; after a kill no allow is returned. No promise without need: every call comes here. */
  reported(tool: string | null, verdict: Verdict): Verdict | Promise<Verdict> {
    const isRefused = verdict.kind === "block";
    const isObserved = this.parts.listeners.hears("decision") && (isRefused || !this.isKilled);
    if (isObserved) this.parts.listeners.emit("decision", decisionEvent(tool, verdict));
    this.reportKill();
    return this.unlessKilled(tool, verdict);
  }

  /** A verdict, or the refusal if the session was killed meanwhile, as listeners may do. */
  unlessKilled(tool: string | null, verdict: Verdict): Verdict | Promise<Verdict> {
    return verdict.kind === "block" || !this.isKilled ? verdict : this.overtaken(tool, verdict);
  }

  /** The call will not be sent, so its reservation is released: at once, or when a slow store answers. */
  private async overtaken(tool: string | null, verdict: AllowVerdict | ApprovalVerdict): Promise<BlockVerdict> {
    const refused = this.killed();
    this.parts.listeners.emit("decision", decisionEvent(tool, refused));
    const { kind, callId, repeated } = verdict;
    if (kind === "approval_required" || repeated === true) return refused;
    const released = this.parts.release(callId).catch((cause: unknown) => {
      process.emitWarning(`${callId}, which was not executed, could not be released: ${foreignErrorName(cause)}`);
    });
    await Promise.race([released, nextTurn()]);
    return refused;
  }

  /**
   * A decision, once it is recorded; a block if it cannot be: a call that cannot be judged, for whatever reason, is refused. No
   * promise without need: every call comes here.
   */
  decided<T extends { readonly kind: string }>(
    decide: (session: Session) => Step<T | BlockVerdict>,
  ): T | BlockVerdict | Promise<T | BlockVerdict> {
    const { ledger, options } = this.parts;
    try {
      // A kill is final, so its refusals do not wait for the store, unless each of them is recorded.
      const isUnrecorded = options.recording === null || ledger.hasPendingKill;
      const over = ledger.session.isKilled && ledger.isSound && isUnrecorded ? decide(ledger.session) : null;
      if (over?.events.length === 0 && isOver(over.result)) return over.result;
      const decided = ledger.decided(decide);
      return decided instanceof Promise ? decided.catch((cause: unknown) => this.undecided(cause)) : decided;
    } catch (cause) {
      return this.undecided(cause);
    }
  }

  /** The session may have been killed while the store did not answer, or after it was moved to another artifact. */
  private undecided(cause: unknown): BlockVerdict {
    const isElsewhere = isStoreUnavailable(cause) || isArtifactChanged(cause);
    return this.isKilled && isElsewhere ? this.killed() : this.fault(cause);
  }

  /** The refusal of a call after a fault of the store or of the guard. */
  fault(cause: unknown): BlockVerdict {
    if (isArtifactChanged(cause)) return this.refusal(artifactBlock(cause));
    const reason = isStoreUnavailable(cause) ? cause.reason : "guard_fault";
    return this.refusal(block(reason, null, "a call that can be judged", foreignErrorName(cause)));
  }

  /** Whether the session was killed, by whatever scope. */
  get isKilled(): boolean {
    const { ledger, options } = this.parts;
    return ledger.session.isKilled || (options.seat !== null && options.seat.killed() !== null);
  }

  /** The refusal of a call after a kill. */
  killed(): BlockVerdict {
    const { ledger, options } = this.parts;
    const ended = options.seat === null ? null : options.seat.killed();
    if (ended !== null) return this.refusal(ended);
    return this.refusal(block("session_killed", null, "a session that has not ended", ledger.session.killedWhy));
  }

  /** A refusal as callers get it. */
  refusal(refused: Block): BlockVerdict {
    return this.parts.decisions.proposals.verdictOf(this.parts.ledger.session, refused);
  }

  /** Reports the end of the session, once. */
  reportKill(): void {
    if (this.isKillReported) return;
    const { seat } = this.parts.options;
    const { isKilled, killedWhy, killedBy } = this.parts.ledger.session;
    const ended = isKilled || seat === null ? null : seat.killed();
    const cause = ended === null ? killedBy : "workflow";
    if (cause === null) return;
    this.isKillReported = true;
    this.parts.stopAsking();
    this.parts.listeners.emit("killed", { why: ended?.found ?? killedWhy, cause });
  }
}

function isOver(verdict: { readonly kind: string; readonly reason?: string }): boolean {
  return verdict.kind === "block" && verdict.reason === "session_killed";
}
