import { type Case, call, handoff, OUTCOMES, packOf, type Row, settle, start, statuses } from "./parts.js";

/** Two trees: lead → w1 → h1, lead → w2; and a root besides. */
const FAMILY: readonly Row[] = [
  start("lead", "lead"),
  handoff("lead", "w1"),
  handoff("lead", "w2"),
  handoff("w1", "h1", "helper"),
  start("solo"),
];

const ALL = ["lead", "w1", "w2", "h1", "solo"];

function all(status: string): Row {
  return statuses(Object.fromEntries(ALL.map((id) => [id, status])));
}

const subtree = packOf({ cancellation: { subtree_kill: true } });
const abandoning = packOf({
  cancellation: { subtree_kill: true },
  parent_close_policy: { default: "abandon" },
});

/** Kill scopes × permission. */
export const KILLS: readonly Case[] = [
  {
    sentence: "scope session kills one, and its children hear of it",
    pack: subtree,
    rows: [
      ...FAMILY,
      [{ op: "kill", scope: "session", session: "lead" }, "allow"],
      statuses({ lead: "killed", w1: "cancel_requested", w2: "cancel_requested", h1: "active", solo: "active" }),
      [call("lead", "one", "look"), "session_killed"],
      [call("w1", "two", "look"), "cancel_requested"],
      [call("h1", "three", "look"), "allow"],
    ],
  },
  {
    sentence: "scope subtree kills a session and all descendants",
    pack: subtree,
    rows: [
      ...FAMILY,
      [{ op: "kill", scope: "subtree", session: "w1" }, "allow"],
      statuses({ lead: "active", w1: "killed", w2: "active", h1: "killed", solo: "active" }),
      [{ op: "kill", scope: "subtree", session: "lead" }, "allow"],
      statuses({ lead: "killed", w1: "killed", w2: "killed", h1: "killed", solo: "active" }),
    ],
  },
  {
    sentence: "scope subtree asks no policy",
    pack: abandoning,
    rows: [
      ...FAMILY,
      [{ op: "kill", scope: "subtree", session: "lead" }, "allow"],
      statuses({ lead: "killed", w1: "killed", w2: "killed", h1: "killed", solo: "active" }),
    ],
  },
  {
    sentence: "scope subtree reaches the living children of a session that has closed",
    pack: subtree,
    rows: [
      ...FAMILY,
      [{ op: "close", session: "w1" }, "allow"],
      [{ op: "kill", scope: "subtree", session: "w1" }, "allow"],
      statuses({ lead: "active", w1: "closed", h1: "killed" }),
    ],
  },
  ...[packOf(), packOf({ cancellation: { subtree_kill: false } })].map(
    (pack, at): Case => ({
      sentence: `scope subtree is not permitted where subtree_kill is ${at === 0 ? "absent" : "false"}, operator or not`,
      pack,
      rows: [
        ...FAMILY,
        [{ op: "kill", scope: "subtree", session: "lead" }, "kill_not_permitted"],
        [{ op: "kill", scope: "subtree", session: "lead", operator: "ann" }, "kill_not_permitted"],
        all("active"),
        [{ op: "kill", scope: "session", session: "lead" }, "allow"],
      ],
    }),
  ),
  {
    sentence: "scope workflow kills all, and nothing begins any more",
    pack: packOf(),
    rows: [
      ...FAMILY,
      [call("solo", "running", "edit", "x"), "allow"],
      [{ op: "close", session: "w2" }, "allow"],
      [{ op: "kill", scope: "workflow" }, "allow"],
      { state: { killed: true, openHandoffs: 0, totals: { sessions: 5, active: 0 } } },
      statuses({ lead: "killed", w1: "killed", w2: "closed", h1: "killed", solo: "killed" }),
      [{ op: "start", session: "late", role: "solo" }, "workflow_killed"],
      [{ op: "start", session: "late", role: "worker" }, "workflow_killed"],
      [{ op: "handoff", from: "lead", session: "late", role: "worker" }, "workflow_killed"],
      [call("lead", "one", "look"), "workflow_killed"],
      [call("w2", "two", "look"), "workflow_killed"],
      [{ op: "beginStep", session: "h1" }, "workflow_killed"],
      [{ op: "attach", session: "solo", process: 1 }, "allow"],
      [{ ...call("solo", "three", "look"), process: 1 }, "workflow_killed"],
      { state: { resources: ["file x single_writer solo"] } },
      settle("running", OUTCOMES.result),
      { state: { resources: [] } },
      [{ op: "recordCost", session: "solo", usd: 1 }, "allow"],
      { state: { totals: { cost: 1 } } },
      [{ op: "close", session: "lead" }, "allow"],
      [{ op: "kill", scope: "workflow" }, "allow"],
      [{ op: "kill", scope: "session", session: "lead" }, "allow"],
      statuses({ lead: "killed", w2: "closed" }),
    ],
  },
  {
    sentence: "with operator_only the workflow is killed by an operator alone",
    pack: packOf({ cancellation: { workflow_kill: "operator_only" } }),
    rows: [
      ...FAMILY,
      [{ op: "kill", scope: "workflow" }, "kill_not_permitted"],
      { state: { killed: false } },
      all("active"),
      [{ op: "kill", scope: "session", session: "w2" }, "allow"],
      [{ op: "kill", scope: "workflow", operator: "ann" }, "allow"],
      { state: { killed: true } },
      all("killed"),
    ],
  },
  {
    sentence: "a kill reaches a session in another process before its next call",
    pack: subtree,
    rows: [
      start("lead", "lead"),
      [{ op: "handoff", from: "lead", session: "w", role: "worker", process: 1, approver: "manual" }, "allow"],
      [{ ...call("w", "one", "look"), process: 1 }, "allow"],
      [{ ...call("w", "asked", "ask"), process: 1 }, "approval_required"],
      [{ op: "kill", scope: "subtree", session: "lead" }, "allow"],
      [{ ...call("w", "two", "look"), process: 1 }, "session_killed"],
      [{ op: "beginStep", session: "w", process: 1 }, "session_killed"],
      [{ op: "approve", call: "asked", process: 1 }, "session_killed"],
      [{ op: "settle", call: "one", outcome: OUTCOMES.result, process: 1 }, "accepted"],
    ],
  },
];
