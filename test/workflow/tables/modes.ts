import { type Case, call, handoff, OUTCOMES, packOf, settle, start, statuses } from "./parts.js";

const limited = packOf({
  workflow_limits: { max_total_steps: 1 },
  shared_resources: [{ alias: "file", mode: "serial_only" }],
});

/** What acts in the other modes: the end of a session does, limits and resources are only recorded. */
export const MODES: readonly Case[] = [
  {
    sentence: "shadow: limits and resources are recorded and refuse nothing",
    pack: limited,
    rows: [
      start("a"),
      start("b", "solo", { mode: "shadow" }),
      [call("a", "one", "edit", "x"), "allow"],
      [call("b", "two", "edit", "x"), "allow, would workflow_limit_exceeded"],
      [call("b", "three", "edit", null), "allow, would workflow_limit_exceeded"],
      [{ op: "beginStep", session: "b" }, "allow, would workflow_limit_exceeded"],
      [call("b", "four", "edit", "x"), "allow, would resource_conflict"],
      [call("b", "five", "edit", null), "allow, would resource_unreadable"],
      { state: { totals: { steps: 4 }, resources: ["file x serial_only a", "file x serial_only b"] } },
      [call("a", "six", "look"), "workflow_limit_exceeded"],
    ],
  },
  {
    sentence: "what a session in shadow mode holds, others do not get",
    pack: packOf(),
    rows: [
      start("a", "solo", { mode: "shadow" }),
      start("b"),
      [call("a", "one", "edit", "x"), "allow"],
      [call("b", "two", "edit", "x"), "resource_conflict"],
      settle("one", OUTCOMES.result),
      [{ op: "close", session: "a" }, "allow"],
      [call("b", "three", "edit", "x"), "allow"],
    ],
  },
  ...(["shadow", "log-only"] as const).map(
    (mode): Case => ({
      sentence: `${mode}: close, cancellation and kill act`,
      pack: packOf(),
      rows: [
        start("lead", "lead"),
        [{ op: "handoff", from: "lead", session: "w1", role: "worker", mode }, "allow"],
        [{ op: "handoff", from: "lead", session: "w2", role: "worker", mode }, "allow"],
        start("a", "solo", { mode }),
        [call("w1", "one", "edit", "x"), "allow"],
        [{ op: "kill", scope: "session", session: "w2" }, "allow"],
        [call("w2", "two", "look"), "session_killed"],
        [{ op: "close", session: "lead" }, "allow"],
        [call("w1", "three", "look"), "cancel_requested"],
        [{ op: "beginStep", session: "w1" }, "cancel_requested"],
        [{ op: "close", session: "w1" }, "allow"],
        [call("w1", "four", "look"), "session_closed"],
        [{ op: "kill", scope: "workflow" }, "allow"],
        [call("a", "five", "look"), "workflow_killed"],
        [{ op: "beginStep", session: "a" }, "workflow_killed"],
        statuses({ a: "killed", w1: "closed", w2: "killed", lead: "closed" }),
      ],
    }),
  ),
  {
    sentence: "log-only: nothing of the workflow is judged, and everything is counted",
    pack: limited,
    rows: [
      start("a", "solo", { mode: "log-only" }),
      [call("a", "one", "edit", "x"), "allow"],
      [call("a", "two", "edit", "x"), "allow"],
      { state: { totals: { steps: 2 }, resources: ["file x serial_only a"] } },
    ],
  },
  ...(["shadow", "log-only"] as const).map(
    (mode): Case => ({
      sentence: `${mode}: limits refuse no session that starts in it, and count it all the same`,
      pack: packOf({ workflow_limits: { max_active_sessions: 2 } }),
      rows: [
        start("lead", "lead"),
        [{ op: "start", session: "w1", role: "worker", mode }, "handoff_required"],
        [{ op: "handoff", from: "lead", session: "h1", role: "helper", mode }, "handoff_not_declared"],
        [{ op: "handoff", from: "lead", session: "w1", role: "worker", mode }, "allow"],
        [{ op: "handoff", from: "lead", session: "w2", role: "worker", mode }, "allow"],
        [{ op: "start", session: "w2", role: "solo", mode }, "session_exists"],
        [{ op: "start", session: "a", role: "solo", mode }, "allow"],
        { state: { openHandoffs: 2, totals: { sessions: 4, active: 4 } } },
        [{ op: "start", session: "b", role: "solo" }, "workflow_limit_exceeded"],
        [{ op: "handoff", from: "w1", session: "h1", role: "helper" }, "workflow_limit_exceeded"],
        [{ op: "kill", scope: "workflow" }, "allow"],
        [{ op: "start", session: "b", role: "solo", mode }, "workflow_killed"],
      ],
    }),
  ),
  ...(["max_sessions", "max_active_sessions", "max_open_handoffs"] as const).flatMap((limit) =>
    (["shadow", "log-only"] as const).map(
      (mode): Case => ({
        sentence: `${mode}: ${limit} refuses no handoff`,
        pack: packOf({ workflow_limits: { [limit]: limit === "max_open_handoffs" ? 0 : 1 } }),
        rows: [
          start("lead", "lead"),
          [{ op: "handoff", from: "lead", session: "w1", role: "worker" }, "workflow_limit_exceeded"],
          [{ op: "handoff", from: "lead", session: "w1", role: "worker", mode }, "allow"],
        ],
      }),
    ),
  ),
  ...(["shadow", "log-only"] as const).map(
    (mode): Case => ({
      sentence: `${mode}: max_total_cost refuses no call and no step`,
      pack: packOf({ workflow_limits: { max_total_cost: 1 } }),
      rows: [
        start("a", "solo", { mode }),
        [{ op: "recordCost", session: "a", usd: 1 }, "allow"],
        [call("a", "one", "edit"), mode === "shadow" ? "allow, would workflow_limit_exceeded" : "allow"],
        [{ op: "beginStep", session: "a" }, mode === "shadow" ? "allow, would workflow_limit_exceeded" : "allow"],
      ],
    }),
  ),
  {
    sentence: "a child is guarded in the mode that it is given",
    pack: packOf(),
    rows: [
      start("lead", "lead", { mode: "shadow" }),
      handoff("lead", "w"),
      [call("lead", "one", "shut"), "allow, would gate_blocked"],
      [call("w", "two", "shut"), "gate_blocked"],
    ],
  },
];
