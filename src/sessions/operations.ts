import type { Reason } from "../artifact/reasons.js";
import { Decisions } from "../guard/decide/decisions.js";
import type { Note, Operator } from "../guard/durable/note.js";
import { acknowledgementStep, settlementStep } from "../guard/durable/settlement-steps.js";
import { preparedOf } from "../guard/expression/of-pack.js";
import { variablesIn } from "../guard/program/prepare-program.js";
import type { Program } from "../guard/program/program.js";
import type { ToolEffects } from "../guard/program/tool-effects.js";
import type { Acknowledgement, RecordedAnswer, SettleResult } from "../guard/public.js";
import type { ResolvedOptions } from "../guard/resolved-options.js";
import type { Step } from "../guard/session/ledger.js";
import { checkedOutcome } from "../guard/session/outcome.js";
import { unsettledCall } from "../guard/session/session.js";
import { copyOfOutput } from "../guard/session/settlement.js";
import { OPERATOR, type OperatedSession } from "./operated-session.js";
import { SessionError } from "./session-error.js";

/** What an operator found out about a call. */
export interface Finding {
  readonly as: "happened" | "did_not_happen";
  /** What the tool answered; undefined if that is not known. */
  readonly output?: unknown;
}

/** What became of an answer to a request for an approval. */
export type StoredAnswer = RecordedAnswer | { readonly kind: "refused"; readonly reason: Reason };

/** The same step, with who took it and why. */
function signed<T>(step: Step<T>, operator: Operator): Step<T> & { readonly note: Note } {
  return { ...step, note: { ...step.note, operator } };
}

/** What the rules on the output of a call need that is not here; null if they can be judged. */
function missingFor({ compiled }: ToolEffects, { pack, env }: Program): string | null {
  const variable = variablesIn(compiled?.output_invariants).find((name) => !env.has(name));
  if (variable !== undefined) return `compare it with the variable \`${variable}\`, which is not set here`;
  const readsPrincipal = compiled?.ensures?.some(({ that }) => preparedOf(that, pack).reads.principal);
  return readsPrincipal === true ? "read the principal, which only its guards know" : null;
}

/** An output that cannot be judged would be rejected for good, whatever it is. */
function checkJudgeable({ ledger, program }: OperatedSession, callId: string): void {
  const call = unsettledCall(ledger.session, callId);
  const missing = call === undefined ? null : missingFor(call.tool, program);
  if (missing === null) return;
  const what = `the output of \`${callId}\` cannot be judged: rules ${missing}`;
  throw new SessionError("output_unjudgeable", `${what}; settle the call through a guard, or without its output`);
}

/** Settles a call; a refusal is recorded too. */
export async function settleCall(
  operated: OperatedSession,
  callId: string,
  { as, output }: Finding,
  operator: Operator,
): Promise<SettleResult> {
  if (as === "did_not_happen" && output !== undefined) throw new TypeError("a call that did not happen has no output");
  const { ledger, program, recording, clock } = operated;
  const outcome = checkedOutcome(output === undefined ? { kind: as } : { kind: as, output });
  if (output !== undefined) checkJudgeable(operated, callId);
  const copied = output === undefined ? undefined : copyOfOutput(output);
  const now = () => clock.now();
  const settlement = await ledger.transact((session) =>
    signed(settlementStep({ program, session, judges: true, copied, now }, recording, callId, outcome), operator),
  );
  if (!settlement.accepted) return { accepted: false, reason: settlement.reason };
  return settlement.violation === null
    ? { accepted: true }
    : { accepted: true, reason: settlement.violation.reason, violation: settlement.violation };
}

/** Records whether a call happened whose result came late; a refusal is recorded too. */
export function acknowledgeResult(
  { ledger }: OperatedSession,
  callId: string,
  found: Acknowledgement,
): Promise<SettleResult> {
  return ledger.transact((session) => acknowledgementStep(session, callId, found));
}

/** Ends a session. One that was ended before stays so for the reason it had. */
export function killSession({ ledger }: OperatedSession, operator: Operator): Promise<void> {
  const event = { kind: "killed", why: operator.why } as const;
  return ledger.transact(({ isKilled }) => signed({ events: isKilled ? [] : [event], result: undefined }, operator));
}

/** Adds a label to a session. */
export function labelSession({ ledger }: OperatedSession, label: string, operator: Operator): Promise<void> {
  if (typeof label !== "string" || label === "") throw new TypeError("a label is a text that is not empty");
  return ledger.transact(() => signed({ events: [{ kind: "label_added", label }], result: undefined }, operator));
}

/** Answers are judged as those that come through a guard of another process. */
function decisionsOf({ id, program, recording, clock, seat }: OperatedSession): Decisions {
  const options: ResolvedOptions = {
    ...{ sessionId: id, principal: null, mode: "enforce", unmatched: "block", approver: "manual" },
    ...{ clock, guardId: OPERATOR, requester: null, recording },
    approvals: { quorum: 1, notRequester: true },
    seat,
  };
  return new Decisions(program, options);
}

/** Answers a request for an approval; whatever becomes of the answer is recorded. */
export async function answerApproval(
  operated: OperatedSession,
  approvalId: string,
  end: "approved" | "denied",
  operator: Operator,
): Promise<StoredAnswer> {
  const { approvals } = decisionsOf(operated);
  const { ledger, recording } = operated;
  const answer = { by: operator.by, note: operator.why };
  const verdict = await ledger.transact((session) => {
    const step = approvals.answer(session, approvalId, end, answer);
    return signed({ ...step, note: recording.answered({ approvalId, end, ...answer }, step.result) }, operator);
  });
  if (verdict.kind === "recorded") return verdict;
  // Only the guard that proposed gets a verdict other than a refusal.
  return { kind: "refused", reason: verdict.kind === "block" ? verdict.reason : "approval_mismatch" };
}
