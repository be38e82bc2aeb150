import { type Approvals, isUsed } from "../approvals/approvals.js";
import type { AllowVerdict, ApprovalVerdict, Verdict } from "../public.js";
import { digestOf } from "../session/call-digest.js";
import type { HeldKey } from "../session/call-keys.js";
import { type PlainJson, plainJson } from "../values/plain-json.js";
import type { Proposed } from "./call-host.js";

/** What proposing such calls needs from the guard. */
interface Parts {
  readonly approvals: Approvals;
  propose(tool: unknown, plain: PlainJson, callKey: string | undefined): Promise<Proposed>;
  /** The refusal instead of a verdict if the session was killed meanwhile. */
  unlessKilled(verdict: Verdict): Verdict | Promise<Verdict>;
}

interface Given {
  readonly key: string;
  /** Of its tool and arguments. */
  readonly digest: string;
  readonly verdict: AllowVerdict | ApprovalVerdict;
}

function digestOfCall(tool: unknown, plain: PlainJson): string | null {
  return typeof tool === "string" && plain.ok ? digestOf({ tool, args: plain.value }) : null;
}

/**
 * What `propose` of this guard gave for calls that wrapped calls are to send, until one of them takes it. The session alone does not
 * tell who sends a call: a running one may be under way, here or in another process.
 */
export class CallsToSend {
  /** By the id that the caller gives back: of the approval, or of the call where it needs none. */
  private readonly given = new Map<string, Given>();
  /** The calls that a caller of this guard resumed after their approval, perhaps one that another process asked for. */
  private readonly resumed = new Set<string>();

  constructor(private readonly parts: Parts) {}

  /** Judges a call that a wrapped call will send. What is `repeated` was given to another caller. */
  async propose(tool: unknown, args: unknown, key: string | undefined): Promise<Verdict> {
    if (key === undefined) throw new TypeError("a `wrapped` call needs a `callKey`");
    const plain = plainJson(args);
    const { verdict: first, asked } = await this.parts.propose(tool, plain, key);
    const verdict = first.kind === "approval_required" && asked !== null ? await this.answered(first, asked) : first;
    const digest = digestOfCall(tool, plain);
    if (verdict.kind !== "block" && verdict.repeated !== true && digest !== null) {
      this.given.set(verdict.kind === "allow" ? verdict.callId : verdict.approvalId, { key, digest, verdict });
    }
    return this.parts.unlessKilled(verdict);
  }

  /** Notes that a caller of this guard may send a call, by itself or by a wrapped one. */
  resume(verdict: Verdict): Verdict {
    if (verdict.kind === "allow" && verdict.repeated !== true) this.resumed.add(verdict.callId);
    return verdict;
  }

  /**
   * The verdict, once; null if it was taken, was never given, or was given for another call. What was resumed is compared with what
   * the session knows of the key.
   */
  take(
    reserved: string,
    { key, held }: { readonly key: string; readonly held: HeldKey | undefined },
    tool: unknown,
    plain: PlainJson,
  ): AllowVerdict | ApprovalVerdict | null {
    const given = this.given.get(reserved);
    if (given === undefined) {
      const isSame = held?.callId === reserved && held.digest === digestOfCall(tool, plain);
      return isSame && this.resumed.delete(reserved) ? { kind: "allow", callId: reserved } : null;
    }
    if (given.key !== key || given.digest !== digestOfCall(tool, plain)) return null;
    this.given.delete(reserved);
    return given.verdict;
  }

  /** The call is settled: nobody sends it any more. */
  forget(callId: string): void {
    this.given.delete(callId);
    this.resumed.delete(callId);
  }

  /** The verdict after an approver that is a function has answered, or somebody else before it. */
  private async answered({ approvalId }: ApprovalVerdict, asked: Promise<Verdict>): Promise<Verdict> {
    const { approvals } = this.parts;
    const verdict = await asked;
    const own = isUsed(verdict) ? await approvals.claim(approvalId) : verdict;
    // Further approvals may be needed.
    if (own.kind !== "approval_required") approvals.leave(approvalId);
    return own;
  }
}
