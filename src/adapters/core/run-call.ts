import type { Json } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ProxyCall } from "../../guard/wrap/call-options.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { callsOf, isSameCall } from "./agent-calls.js";
import type { JudgedCall } from "./gate.js";
import type { Refusal } from "./refusal.js";

/** A call that a framework executes. */
export interface AgentCall {
  /** The framework's id of it, where it says one. */
  readonly id?: string | undefined;
  readonly tool: string;
  readonly args: Json;
  readonly signal?: AbortSignal | undefined;
}

/** How a call ended that did not fail: its output, or why there is none. */
export type CallEnd = { readonly kind: "output"; readonly output: unknown } | Refusal;

/** A call that is being executed. */
export interface Executing {
  /** Ends when the call is out of time or its caller gives up. It is made when it is read. */
  readonly signal: AbortSignal;
}

/** Executes a tool. */
export type Execute = (args: unknown, executing: Executing) => unknown;

const NEVER = new AbortController().signal;

/** The function that a guard wraps for one execution. */
function proxyOf(execute: Execute): ProxyCall {
  return async (_, copy, options) =>
    execute(copy, {
      get signal() {
        return options?.signal ?? NEVER;
      },
    });
}

/** Executes a call under its contract: judged, reserved, timed, retried and settled. Errors of the tool itself are thrown. */
export async function runCall(guard: Guard, call: AgentCall, execute: Execute): Promise<CallEnd> {
  const { id, tool, args, signal } = call;
  const judged = callsOf(guard).take(id, tool, args);
  const fate = judged?.fate ?? null;
  if (fate?.kind === "refused" || fate?.kind === "skipped") return fate;
  try {
    const reserved = reservationOf(fate);
    const send = guard.wrap(proxyOf(execute));
    const callKey = judged?.call.id ?? id;
    const output = await send(tool, args, {
      ...(signal === undefined ? {} : { signal }),
      ...(callKey === undefined ? {} : { callKey }),
      ...(reserved === null ? {} : { reserved }),
    });
    return { kind: "output", output };
  } catch (cause) {
    if (!(cause instanceof ContractViolation)) throw cause;
    if (judged !== null && !isSameCall(judged.call, tool, args)) await giveUp(guard, judged);
    return { kind: "refused", verdict: cause.verdict };
  }
}

/** A framework executes something else than what was judged: that is not sent any more, and nobody is to approve it. */
async function giveUp(guard: Guard, { call, fate }: JudgedCall): Promise<void> {
  const reserved = reservationOf(fate);
  if (reserved === null) return;
  const send = guard.wrap(async () => undefined);
  await send(call.tool, call.args, { callKey: call.id, reserved, signal: AbortSignal.abort() }).catch(() => undefined);
}

/** What was reserved when the reply was judged: the call, or the approval that it waits for. */
function reservationOf(fate: JudgedCall["fate"] | null): string | null {
  if (fate?.kind === "reserved") return fate.callId;
  return fate?.kind === "waiting" ? fate.request.approvalId : null;
}
