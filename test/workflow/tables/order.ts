import type { Operation } from "../../workflow-reference/operation.js";
import { type Case, call, handoff, OUTCOMES, packOf, type Row, settle, start } from "./parts.js";

const full = packOf(
  {
    workflow_limits: { max_total_steps: 1 },
    shared_resources: [{ alias: "file", mode: "exclusive_pending" }],
    handoffs: [{ from: "lead", to: "worker", requires_artifacts: ["summary"] }],
  },
  { session_limits: { max_calls_per_tool: { edit: 0 } } },
);

/** Another session holds `x`, and the workflow has no steps left. */
const BUSY: readonly Row[] = [start("lead", "lead"), [call("lead", "held", "pay", "x"), "allow"], start("a")];

function refused(operation: Operation, word: string): Row {
  return [operation, word];
}

/** Of two reasons the earlier one is given. */
export const ORDER: readonly Case[] = [
  {
    sentence: "the session's own checks come before the workflow's limits",
    pack: full,
    rows: [
      ...BUSY,
      refused(call("a", "one", "nothing", "x"), "unmatched_tool"),
      refused(call("a", "two", "shut", "x"), "gate_blocked"),
      refused(call("a", "three", "edit", "x"), "session_limit_exceeded"),
      refused(call("a", "four", "pay", "x"), "workflow_limit_exceeded"),
    ],
  },
  {
    sentence: "the workflow's limits come before resources, and those before a checkpoint",
    pack: full,
    rows: [
      ...BUSY,
      refused(call("a", "one", "ask", "x"), "workflow_limit_exceeded"),
      refused(call("a", "two", "ask", null), "workflow_limit_exceeded"),
      settle("held", OUTCOMES.unsent),
      refused(call("a", "three", "ask", null), "resource_unreadable"),
      refused(call("a", "four", "ask", "x"), "approval_required"),
    ],
  },
  {
    sentence: "resources come before a checkpoint that nobody can answer",
    pack: packOf(),
    rows: [
      start("a"),
      refused({ op: "start", session: "b", role: "solo" }, "allow"),
      refused(call("a", "held", "edit", "x"), "allow"),
      refused(call("b", "one", "ask", "x"), "resource_conflict"),
      refused(call("b", "two", "ask", "y"), "approval_denied"),
    ],
  },
  {
    sentence: "an approved call is judged again, resources and limits included",
    pack: packOf({ workflow_limits: { max_total_steps: 2 } }),
    rows: [
      start("a"),
      start("b"),
      refused(call("a", "one", "ask", "x"), "approval_required"),
      refused(call("b", "two", "edit", "x"), "allow"),
      [{ op: "approve", call: "one" }, "resource_conflict"],
      refused(call("a", "three", "ask", "y"), "approval_required"),
      refused(call("b", "four", "edit", "x"), "allow"),
      [{ op: "approve", call: "three" }, "workflow_limit_exceeded"],
    ],
  },
  {
    sentence: "the workflow's state comes before the session's, and that before everything else",
    pack: packOf(),
    rows: [
      start("lead", "lead"),
      handoff("lead", "w"),
      refused(call("w", "one", "ask"), "approval_required"),
      refused(call("w", "two", "look"), "session_paused"),
      [{ op: "close", session: "lead" }, "allow"],
      refused(call("w", "three", "look"), "cancel_requested"),
      refused(call("w", "four", "nothing"), "cancel_requested"),
      [{ op: "close", session: "w" }, "allow"],
      refused(call("w", "five", "look"), "session_closed"),
      [{ op: "kill", scope: "session", session: "w" }, "allow"],
      refused(call("w", "six", "look"), "session_closed"),
      [{ op: "kill", scope: "workflow" }, "allow"],
      refused(call("w", "seven", "look"), "workflow_killed"),
    ],
  },
  {
    sentence: "an ended session comes before what is wrong with a handoff",
    pack: full,
    rows: [
      start("lead", "lead"),
      [{ op: "close", session: "lead" }, "allow"],
      refused({ op: "handoff", from: "lead", session: "x", role: "solo" }, "session_closed"),
      refused({ op: "handoff", from: "lead", session: "x", role: "worker", artifacts: 1 }, "session_closed"),
    ],
  },
  {
    sentence: "what is wrong with a handoff comes before the limits",
    pack: packOf({
      workflow_limits: { max_sessions: 1 },
      handoffs: [{ from: "lead", to: "worker", requires_artifacts: ["summary"] }],
    }),
    rows: [
      start("lead", "lead"),
      refused({ op: "handoff", from: "lead", session: "x", role: "solo" }, "handoff_not_declared"),
      refused({ op: "handoff", from: "lead", session: "x", role: "worker" }, "handoff_artifact_missing"),
      refused(
        { op: "handoff", from: "lead", session: "x", role: "worker", artifacts: { other: undefined } },
        "handoff_artifact_missing",
      ),
      refused(
        { op: "handoff", from: "lead", session: "x", role: "worker", artifacts: { summary: undefined } },
        "handoff_artifact_invalid",
      ),
      refused(
        { op: "handoff", from: "lead", session: "x", role: "worker", artifacts: { summary: 1 } },
        "workflow_limit_exceeded",
      ),
    ],
  },
  {
    sentence: "a result that came late comes after the workflow's word",
    pack: packOf({ workflow_limits: { max_total_cost: 1 } }),
    rows: [
      start("a"),
      refused(call("a", "one", "edit", "x"), "allow"),
      settle("one", OUTCOMES.undone),
      settle("one", OUTCOMES.result, "refused, already_settled"),
      [{ op: "recordCost", session: "a", usd: 1 }, "allow"],
      refused(call("a", "two", "edit"), "late_result_unacknowledged"),
      [{ op: "beginStep", session: "a" }, "late_result_unacknowledged"],
      [{ op: "acknowledge", call: "one", happened: false }, "accepted"],
      refused(call("a", "three", "edit"), "workflow_limit_exceeded"),
      [{ op: "close", session: "a" }, "allow"],
      refused(call("a", "four", "edit"), "session_closed"),
    ],
  },
];
