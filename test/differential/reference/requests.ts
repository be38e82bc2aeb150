import type { Reason } from "../../../src/artifact/reasons.js";
import type { Checkpoint } from "../../../src/language/schema/shared.js";
import type { CallText, Event } from "./history.js";
import type { Options } from "./model.js";

/** What was asked, bound to one call, until when, what silence means, and who may answer. */
export interface ApprovalRequest {
  readonly approvalId: string;
  readonly callId: string;
  readonly call: CallText;
  readonly deadline: number;
  readonly onTimeout: "allow" | "deny";
  /** The words of the checkpoint that asks, where it has any. */
  readonly because: string | undefined;
  /** The checkpoints that asked for it. */
  readonly asking: readonly Checkpoint[];
  readonly key: string | null;
  /** The guard that proposed the call. */
  readonly guard: number;
  /** How many different people have to approve. */
  readonly quorum: number;
  /** Who is none of them; null where anybody may be. */
  readonly excluded: string | null;
}

/** An answer of a person, or the caller gave up. */
export type Answer = "approve" | "deny" | "withdraw";

/** Names are compared without case and surrounding space. */
export function plainName(by: string): string {
  return by.trim().toLowerCase();
}

/** Who may answer what is asked now. */
export function rulesOfAnswers({ requester, approvals }: Options): Pick<ApprovalRequest, "quorum" | "excluded"> {
  const { quorum = 1, notRequester = true } = approvals ?? {};
  return { quorum, excluded: requester !== undefined && notRequester ? plainName(requester) : null };
}

export function requestsOf(events: readonly Event[]): readonly ApprovalRequest[] {
  return events.flatMap((event) => (event.kind === "asked" ? [event.request] : []));
}

function answersTo(events: readonly Event[], { approvalId }: ApprovalRequest) {
  return events.flatMap((event) => (event.kind === "answered" && event.approvalId === approvalId ? [event] : []));
}

/** Who has approved so far. */
export function approversOf(events: readonly Event[], request: ApprovalRequest): readonly string[] {
  return answersTo(events, request).flatMap(({ answer, by }) => (answer === "approve" ? [by] : []));
}

/** How a request ended before its deadline: enough people approved, one denied, or the caller gave up; null if it has not. */
export function answerTo(events: readonly Event[], request: ApprovalRequest): Answer | null {
  const ending = answersTo(events, request).find(({ answer }) => answer !== "approve");
  if (ending !== undefined) return ending.answer;
  return approversOf(events, request).length >= request.quorum ? "approve" : null;
}

/** Whether the call of the request was decided anew, which happens once. */
export function isDecided(events: readonly Event[], { approvalId }: ApprovalRequest): boolean {
  return events.some((event) => event.kind === "decided" && event.approvalId === approvalId);
}

/** At the deadline it has expired. */
export function isPast({ deadline }: ApprovalRequest, now: number): boolean {
  return now >= deadline;
}

/** Paused while a request, other than `own`, is neither answered nor past its deadline. */
export function isPaused(events: readonly Event[], now: number, own: string | null = null): boolean {
  return requestsOf(events)
    .filter((request) => request.approvalId !== own && !isPast(request, now))
    .some((request) => answerTo(events, request) === null);
}

/** Why no answer to the request is accepted any more; null if answers are. */
export function refusalOfAll(events: readonly Event[], request: ApprovalRequest, now: number): Reason | null {
  const answer = answerTo(events, request);
  if (answer === "withdraw") return "approval_withdrawn";
  if (answer !== null) return "approval_used";
  return isPast(request, now) ? "approval_expired" : null;
}

/** Whether this person asked for the approval and so cannot answer it. */
export function isRequester({ excluded }: ApprovalRequest, by: string): boolean {
  return plainName(by) === excluded;
}

/** Why this person cannot approve the call; null if they can. */
export function refusalOfPerson(events: readonly Event[], request: ApprovalRequest, by: string): Reason | null {
  const name = plainName(by);
  const { quorum, excluded } = request;
  if (name === "" && (quorum > 1 || excluded !== null)) return "approver_unnamed";
  if (isRequester(request, by)) return "approver_is_requester";
  return approversOf(events, request).some((known) => plainName(known) === name) ? "approver_repeated" : null;
}
