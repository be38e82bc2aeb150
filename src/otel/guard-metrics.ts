import type { Meter } from "@opentelemetry/api";
import type { Guard } from "../guard/guard-api.js";
import { counterOf, upDownCounterOf } from "./metrics.js";
import { PendingApprovals } from "./pending-approvals.js";

/** Counts what a guard decides, and how many approvals it waits for. */
export function measureGuard(guard: Guard, meter: Meter): void {
  const decisions = counterOf(meter, "contract_guard.decisions", {
    description: "Verdicts on calls",
    unit: "{call}",
  });
  const refusals = counterOf(meter, "contract_guard.refusals", { description: "Refused calls", unit: "{call}" });
  const pending = new PendingApprovals(
    guard,
    upDownCounterOf(meter, "contract_guard.approvals.pending", {
      description: "Requests for an approval without an answer",
      unit: "{request}",
    }),
  );
  const covered = new Set<string>();
  // Names of other tools are whatever a model wrote: each would be a series of its own.
  const isCovered = (tool: string) => {
    if (covered.has(tool)) return true;
    if (guard.explain({ tool, args: {} }).some(({ reason }) => reason === "unmatched_tool")) return false;
    covered.add(tool);
    return true;
  };
  guard.on("decision", ({ tool, kind, reason, repeated = false }) => {
    const named = tool !== null && isCovered(tool) ? { "gen_ai.tool.name": tool } : {};
    if (!repeated) decisions(1, { ...named, "contract_guard.verdict": kind });
    if (reason !== undefined) refusals(1, { ...named, "contract_guard.reason": reason });
    pending.endedUnlessPaused();
  });
  guard.on("approval_requested", ({ deadline }) => pending.asked(deadline));
  guard.on("approval_answered", () => pending.endedUnlessPaused());
  guard.on("killed", () => pending.ended());
}
