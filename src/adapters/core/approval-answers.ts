import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import type { ApprovalVerdict, BlockVerdict } from "../../guard/public.js";
import { callsOf } from "./agent-calls.js";

/** What the user of a framework said of a call that waits. */
export interface UserAnswer {
  readonly isYes: boolean;
  readonly by: string;
  readonly note?: string | undefined;
}

/** The approval that a call waits for; null if it needs none. A call that nobody judged is judged now. */
export async function awaitedApproval(guard: Guard, call: ModelCall): Promise<ApprovalVerdict | null> {
  const calls = callsOf(guard);
  const known = calls.find(call.id);
  if (known !== undefined) return known.fate.kind === "waiting" ? known.fate.request : null;
  const verdict = await guard.propose({ tool: call.tool, args: call.args, callKey: call.id, wrapped: true });
  if (verdict.kind === "approval_required") {
    // Asked by another process, or by this one before it was started again: whoever has the answer makes the call.
    calls.add([{ call, fate: { kind: "waiting", request: verdict } }]);
    return verdict;
  }
  if (verdict.kind === "block") calls.add([{ call, fate: { kind: "refused", verdict } }]);
  else if (verdict.repeated !== true) calls.add([{ call, fate: { kind: "reserved", callId: verdict.callId } }]);
  return null;
}

/** Records an answer: why the call is not made, or null if it may go on. Somebody else may have answered before. */
export async function answerApproval(
  guard: Guard,
  call: ModelCall,
  { isYes, by, note }: UserAnswer,
): Promise<BlockVerdict | null> {
  const calls = callsOf(guard);
  const request = await awaitedApproval(guard, call);
  if (request === null) return null;
  const answer = { by, ...(note === undefined ? {} : { note }) };
  const { approvalId } = request;
  const verdict = await (isYes ? guard.approve(approvalId, answer) : guard.deny(approvalId, answer));
  if (verdict.kind === "block" && verdict.reason !== "approval_used") {
    calls.forget(call.id);
    return verdict;
  }
  if (request.repeated !== true) return null;
  const resumed = await guard.resume(approvalId);
  calls.forget(call.id);
  if (resumed.kind === "block") return resumed;
  if (resumed.kind === "approval_required") calls.add([{ call, fate: { kind: "waiting", request: resumed } }]);
  else if (resumed.repeated !== true) calls.add([{ call, fate: { kind: "reserved", callId: resumed.callId } }]);
  return null;
}
