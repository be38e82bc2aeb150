import { clean } from "../../base/clean.js";
import type { ShownApproval, StoredApproval } from "../../sessions/approval-view.js";
import { fields, inline, time } from "./text.js";

function approvalFields(approval: StoredApproval): (readonly [string, string])[] {
  const { id, session, tool, context, rules, because, requester, deadline, approvedBy, needed } = approval;
  return [
    ["approval", id],
    ["session", session],
    ["tool", tool],
    ...context.map(({ label, value }) => [label, inline(value)] as const),
    ["asked by", rules.map(({ file, line }) => `${file}:${line}`).join(", ")],
    ...(because === undefined ? [] : [["because", because] as const]),
    ["requester", requester ?? "-"],
    ["deadline", time(deadline)],
    ["approved by", `${approvedBy.length === 0 ? "nobody" : approvedBy.join(", ")}, ${needed} needed`],
  ];
}

/** Requests for approvals, one below the other. */
export function approvalRows(approvals: readonly StoredApproval[]): string {
  return approvals.map((approval) => `${fields(approvalFields(approval))}\n`).join("\n");
}

/** The requests of a store. */
export function approvalsText(approvals: readonly StoredApproval[]): string {
  return approvals.length === 0 ? "no approvals are pending\n" : approvalRows(approvals);
}

/** One request with what is stored of its arguments. */
export function approvalText(approval: ShownApproval): string {
  return `${fields(approvalFields(approval))}\n\nstored arguments\n${clean(inline(approval.arguments))}\n`;
}
