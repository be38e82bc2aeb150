import type { Meter } from "@opentelemetry/api";
import type { Guard } from "../guard/guard-api.js";

/** Counts what a guard decides, and how many approvals it waits for. */
export function measureGuard(guard: Guard, meter: Meter): void {
  const decisions = meter.createCounter("contract_guard.decisions", {
    description: "Verdicts on calls",
    unit: "{call}",
  });
  const refusals = meter.createCounter("contract_guard.refusals", { description: "Refused calls", unit: "{call}" });
  const pending = meter.createUpDownCounter("contract_guard.approvals.pending", {
    description: "Requests for an approval without an answer",
    unit: "{request}",
  });
  const waiting = new Set<string>();
  const ended = (ids: Iterable<string>) => {
    for (const id of [...ids]) if (waiting.delete(id)) pending.add(-1);
  };
  guard.on("decision", ({ tool, kind, reason }) => {
    const named = tool === null ? {} : { "gen_ai.tool.name": tool };
    decisions.add(1, { ...named, "contract_guard.verdict": kind });
    if (reason !== undefined) refusals.add(1, { ...named, "contract_guard.reason": reason });
    // A pending request pauses the session: any other verdict means that it has ended.
    if (kind !== "approval_required" && reason !== "session_paused") ended(waiting);
  });
  guard.on("approval_requested", ({ approvalId }) => {
    waiting.add(approvalId);
    pending.add(1);
  });
  guard.on("approval_answered", ({ approvalId }) => ended([approvalId]));
  guard.on("killed", () => ended(waiting));
}
