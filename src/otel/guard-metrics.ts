import type { Meter } from "@opentelemetry/api";
import type { Guard } from "../guard/guard-api.js";
import { counterOf, upDownCounterOf } from "./metrics.js";

/** Counts what a guard decides, and how many approvals it waits for. */
export function measureGuard(guard: Guard, meter: Meter): void {
  const decisions = counterOf(meter, "contract_guard.decisions", {
    description: "Verdicts on calls",
    unit: "{call}",
  });
  const refusals = counterOf(meter, "contract_guard.refusals", { description: "Refused calls", unit: "{call}" });
  const pending = upDownCounterOf(meter, "contract_guard.approvals.pending", {
    description: "Requests for an approval without an answer",
    unit: "{request}",
  });
  let isPending = false;
  const ended = () => {
    if (isPending) pending(-1);
    isPending = false;
  };
  // A refusal may have nothing to do with the request, and an answer may be one of several that it needs: a pending one pauses the session.
  const endedUnlessPaused = () => {
    if (isPending && !guard.explain({ tool: "", args: {} }).some(({ reason }) => reason === "session_paused")) ended();
  };
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
    endedUnlessPaused();
  });
  guard.on("approval_requested", () => {
    // A session has one request at a time: the one before has ended.
    ended();
    isPending = true;
    pending(1);
  });
  guard.on("approval_answered", endedUnlessPaused);
  guard.on("killed", ended);
}
