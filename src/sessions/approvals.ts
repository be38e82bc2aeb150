import type { Operator } from "../guard/durable/note.js";
import type { DurableStore } from "../guard/durable-store.js";
import type { Session } from "../guard/session/session.js";
import { type ShownApproval, type StoredApproval, shownApproval, storedApproval } from "./approval-view.js";
import { type OperatedSession, operate } from "./operated-session.js";
import { answerApproval, type StoredAnswer } from "./operations.js";
import { checkedOperator } from "./operator.js";
import { SessionError } from "./session-error.js";
import { Skipped } from "./skipped.js";
import { type OperatorOptions, StoreAccess } from "./store-access.js";

/** The requests for approvals in a store. */
export interface StoredApprovals {
  /** Those that wait for an answer. Rejects if a session cannot be read. */
  list(): Promise<readonly StoredApproval[]>;
  /** One of them, with what is stored of the arguments; also one that was approved or has expired and may still be resumed. */
  show(approvalId: string): Promise<ShownApproval>;
  /** Records an approval; with the last one that is needed the call can be resumed. */
  approve(approvalId: string, operator: Operator): Promise<StoredAnswer>;
  /** Records a denial. */
  deny(approvalId: string, operator: Operator): Promise<StoredAnswer>;
}

/** The session that an id of an approval names. */
function sessionIn(approvalId: string): string {
  const [, sessionId] = /^approval_[1-9][0-9]*@(.+)$/su.exec(approvalId) ?? [];
  if (sessionId !== undefined) return sessionId;
  throw new SessionError(
    "unknown_approval",
    `\`${approvalId}\` is no id of an approval: \`approval_<number>@<session>\``,
  );
}

function requestIn({ approval, resumable, answered }: Session, approvalId: string) {
  const request = approval?.id === approvalId ? approval : resumable.get(approvalId);
  if (request !== undefined) return request;
  const end = answered.get(approvalId)?.end;
  const what = end === undefined ? "was never asked for" : `waits no longer: it is ${end}`;
  throw new SessionError("unknown_approval", `the approval \`${approvalId}\` ${what}`);
}

/** What a session that has not ended waits for. */
function waitingIn({ ledger, seat }: OperatedSession) {
  return seat !== null && seat.admit() !== null ? null : ledger.session.approval;
}

/** The requests of all sessions that wait for an answer now; sessions that cannot be read are added to `skipped`. */
export async function waitingApprovals(access: StoreAccess, skipped: Skipped): Promise<readonly StoredApproval[]> {
  const found: StoredApproval[] = [];
  for await (const { id, head } of access.sessions(skipped)) {
    if (!(await access.isWaiting(head))) continue;
    const request = await skipped.unless(id, () => operate(access, id, async (session) => waitingIn(session)));
    if (request !== null) found.push(storedApproval(id, request));
  }
  return found;
}

/** Shows and answers the requests for approvals of all sessions in a store. */
export function openApprovals(store: DurableStore, options: OperatorOptions = {}): StoredApprovals {
  const access = new StoreAccess(store, options);
  const answer = async (approvalId: string, end: "approved" | "denied", given: unknown) => {
    const operator = checkedOperator(given);
    return operate(access, sessionIn(approvalId), (session) => answerApproval(session, approvalId, end, operator));
  };
  return {
    async list() {
      const skipped = new Skipped();
      const approvals = await waitingApprovals(access, skipped);
      skipped.demandNone();
      return approvals;
    },
    async show(approvalId) {
      const sessionId = sessionIn(approvalId);
      return operate(access, sessionId, async ({ ledger }) =>
        shownApproval(sessionId, requestIn(ledger.session, approvalId)),
      );
    },
    approve: (approvalId, operator) => answer(approvalId, "approved", operator),
    deny: (approvalId, operator) => answer(approvalId, "denied", operator),
  };
}
