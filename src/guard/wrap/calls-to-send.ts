import { isSameJson } from "../../base/same-json.js";
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
  /** Whether nobody may send the call of a request any more. */
  isOver(request: ApprovalVerdict): boolean;
}

interface Given {
  readonly key: string;
  readonly isFor: (tool: unknown, plain: PlainJson) => boolean;
  readonly verdict: AllowVerdict | ApprovalVerdict;
}

/** Requests that have ended, for callers that make their calls later all the same. */
const MOST_ENDED = 1000;

function digestOfCall(tool: unknown, plain: PlainJson): string | null {
  return typeof tool === "string" && plain.ok ? digestOf({ tool, args: plain.value }) : null;
}

/** A call that is sent at once is compared as it is, which takes a tenth of the time of its digest. */
function sameCall(tool: unknown, plain: PlainJson): Given["isFor"] {
  return (other, copy) => other === tool && plain.ok && copy.ok && isSameJson(plain.value, copy.value);
}

/** One that waits for an approval may wait for long, and its arguments may be large: only their digest is kept. */
function sameDigest(tool: unknown, plain: PlainJson): Given["isFor"] {
  const digest = digestOfCall(tool, plain);
  return (other, copy) => digest !== null && digest === digestOfCall(other, copy);
}

/**
 * What `propose` of this guard gave for calls that wrapped calls are to send, until one of them takes it. The session alone does not
 * tell who sends a call: a running one may be under way, here or in another process.
 */
export class CallsToSend {
  /** By the id that the caller gives back: of the approval, or of the call where it needs none. */
  private readonly given = new Map<string, Given>();
  /** The approvals among them, by the id of the call. */
  private readonly asked = new Map<string, string>();
  /** The calls that a caller of this guard resumed after their approval, perhaps one that another process asked for. */
  private readonly resumed = new Set<string>();

  constructor(private readonly parts: Parts) {}

  /** Judges a call that a wrapped call will send. What is `repeated` was given to another caller. */
  async propose(tool: unknown, args: unknown, key: string | undefined): Promise<Verdict> {
    if (key === undefined) throw new TypeError("a `wrapped` call needs a `callKey`");
    const plain = plainJson(args);
    const { verdict: first, asked } = await this.parts.propose(tool, plain, key);
    const verdict = first.kind === "approval_required" && asked !== null ? await this.answered(first, asked) : first;
    if (verdict.kind !== "block" && verdict.repeated !== true) {
      this.give({ key, isFor: verdict.kind === "allow" ? sameCall(tool, plain) : sameDigest(tool, plain), verdict });
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
    if (given.key !== key || !given.isFor(tool, plain)) return null;
    this.remove(reserved, given);
    return given.verdict;
  }

  /** The call is settled: nobody sends it any more. */
  forget(callId: string): void {
    this.abandon(this.asked.get(callId) ?? callId);
    this.resumed.delete(callId);
  }

  private give(given: Given): void {
    const { verdict } = given;
    if (verdict.kind === "allow") {
      this.given.set(verdict.callId, given);
      return;
    }
    // What approvers are shown may be large, and is of no use to a call that waits.
    this.given.set(verdict.approvalId, { ...given, verdict: { ...verdict, context: [] } });
    this.asked.set(verdict.callId, verdict.approvalId);
    if (this.asked.size > MOST_ENDED) this.review();
  }

  /** Looks at one request, so that those that have ended do not add up; one that has not is looked at again later. */
  private review(): void {
    const [oldest] = this.asked;
    if (oldest === undefined) return;
    const [callId, approvalId] = oldest;
    const verdict = this.given.get(approvalId)?.verdict;
    if (verdict?.kind !== "approval_required" || this.parts.isOver(verdict)) this.abandon(approvalId);
    else {
      this.asked.delete(callId);
      this.asked.set(callId, approvalId);
    }
  }

  /** What no wrapped call takes any more; none waits for its approval either. */
  private abandon(id: string): void {
    const given = this.given.get(id);
    if (given === undefined) return;
    this.remove(id, given);
    if (given.verdict.kind === "approval_required") this.parts.approvals.leave(id);
  }

  private remove(id: string, { verdict }: Given): void {
    this.given.delete(id);
    this.asked.delete(verdict.callId);
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
