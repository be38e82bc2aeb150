import type { Proposal } from "../program/program.js";
import { digestOf } from "../session/call-digest.js";
import { type PendingApproval, waitingCall } from "../session/pending-approval.js";
import { type Session, unsettledCall } from "../session/session.js";
import { type Block, block, tooCostly } from "./verdict.js";

/** What the key of a proposed call means: nothing, or that the call is refused, or that it was proposed before. */
export type KeyStanding =
  | { readonly kind: "free" }
  /** Whether it is the same call as before cannot be judged. */
  | { readonly kind: "unjudgeable"; readonly refusal: Block }
  /** The key belongs to another call, or to one that has settled. */
  | { readonly kind: "refused"; readonly refusal: Block }
  | { readonly kind: "repeated"; readonly callId: string; readonly waiting: PendingApproval | null };

const FREE: KeyStanding = { kind: "free" };

export function standingOf(session: Session, proposal: Proposal, key: string, now: number): KeyStanding {
  const digest = digestOfProposal(proposal);
  if (digest === null) return { kind: "unjudgeable", refusal: tooCostly(null) };
  const held = session.keys?.find(session, key);
  if (held === undefined) return FREE;
  const { callId } = held;
  const waiting = waitingCall(session, callId);
  // The approval expired with `on_timeout: deny`: the key is free. One that was granted in time does not expire.
  const isPending = waiting !== null && waiting.id === session.approval?.id;
  if (isPending && now >= waiting.deadline && waiting.onTimeout === "deny") return FREE;
  if (held.digest !== digest) {
    const required = "the tool and the arguments that came with the key first";
    return { kind: "refused", refusal: block("call_key_mismatch", null, required, "others") };
  }
  if (waiting !== null || unsettledCall(session, callId) !== undefined) return { kind: "repeated", callId, waiting };
  const used = block("call_key_used", null, "a key that no settled call has", `the key of ${callId}`);
  return { kind: "refused", refusal: used };
}

/** Where arguments are reduced, the digest is that of all of them. */
function digestOfProposal({ tool, args, digest }: Proposal): string | null {
  return digest ?? digestOf({ tool: tool.name, args });
}
