import type { JsonObject } from "../../src/base/json.js";
import type { Guard } from "./adapter.js";
import { reasonOfViolation, triedLater } from "./answers.js";
import type { Answer, Both } from "./both.js";
import type { Names } from "./names.js";

/** A whole call whose caller gives up where somebody is asked first: at once, or a little later. */
export interface WrappedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly output: JsonObject;
  readonly promptly: boolean;
}

/** How the call of the real guard ended, and the approval that was asked for. */
interface Ended {
  /** `done`, `withdrawn`, or the reason of a refusal. */
  readonly word: string;
  readonly approvalId: string | null;
}

/** Makes the call through the real guard. */
async function makeWrapped(guard: Guard, { tool, args, output, promptly }: WrappedCall): Promise<Ended> {
  const caller = new AbortController();
  let asked: string | null = null;
  guard.on("approval_requested", ({ approvalId }) => {
    asked ??= approvalId;
    if (promptly) caller.abort();
    else setImmediate(() => caller.abort());
  });
  const call = guard.wrap(async () => structuredClone(output));
  const ended = await triedLater(() => call(tool, structuredClone(args), { signal: caller.signal }), true);
  if (ended.ok) return { word: "done", approvalId: asked };
  if (caller.signal.aborted) return { word: "withdrawn", approvalId: asked };
  const { cause } = ended;
  if (typeof cause !== "object" || cause === null || !("verdict" in cause)) throw cause;
  return { word: reasonOfViolation(cause.verdict)[0] ?? "no reason", approvalId: asked };
}

/** Makes the call through both guards; where somebody is asked first, the request is withdrawn. */
export async function wrapBoth(both: Both, call: WrappedCall, names: Names): Promise<Answer> {
  const { reference, guard, reasons } = both;
  const ours = reference.propose(call);
  const theirs = guard === null ? null : await makeWrapped(guard, call);
  if (ours.kind === "block") {
    reasons.push(ours.reason);
    return { what: "wrap", reference: ours.reason, guard: theirs?.word ?? ours.reason };
  }
  if (ours.kind === "allow") {
    const settled = reference.settle(ours.callId, { kind: "result", output: call.output });
    const word = settled.accepted && settled.violation !== undefined ? settled.violation.reason : "done";
    return { what: "wrap", reference: word, guard: theirs?.word ?? word };
  }
  reference.withdraw(ours.approvalId);
  names.requests.push({ reference: ours.approvalId, guard: theirs?.approvalId ?? ours.approvalId });
  return { what: "wrap", reference: "withdrawn", guard: theirs?.word ?? "withdrawn" };
}
