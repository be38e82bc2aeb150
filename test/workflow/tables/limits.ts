import { type Case, call, handoff, OUTCOMES, packOf, settle, start, statuses } from "./parts.js";

const LIMIT = "workflow_limit_exceeded";

function begin(session: string, word: string) {
  return [{ op: "start" as const, session, role: "solo" }, word] as const;
}

/** The five limits, each exact. */
export const LIMITS: readonly Case[] = [
  {
    sentence: "max_sessions counts every session that ever began",
    pack: packOf({ workflow_limits: { max_sessions: 2 } }),
    rows: [
      start("a"),
      start("b"),
      begin("c", LIMIT),
      [{ op: "close", session: "a" }, "allow"],
      [{ op: "kill", scope: "session", session: "b" }, "allow"],
      begin("c", LIMIT),
      { state: { totals: { sessions: 2, active: 0 } } },
    ],
  },
  {
    sentence: "max_sessions counts sessions of handoffs too",
    pack: packOf({ workflow_limits: { max_sessions: 1 } }),
    rows: [start("lead", "lead"), [{ op: "handoff", from: "lead", session: "worker", role: "worker" }, LIMIT]],
  },
  {
    sentence: "max_active_sessions counts sessions that are neither closed nor killed",
    pack: packOf({ workflow_limits: { max_active_sessions: 2 } }),
    rows: [
      start("a"),
      start("b"),
      begin("c", LIMIT),
      [{ op: "close", session: "a" }, "allow"],
      begin("c", "allow"),
      begin("d", LIMIT),
      [{ op: "killGuard", session: "b" }, "allow"],
      begin("d", "allow"),
      begin("e", LIMIT),
      { state: { totals: { sessions: 4, active: 2 } } },
    ],
  },
  {
    sentence: "a session that is asked to cancel is still an active one, and an open handoff",
    pack: packOf({ workflow_limits: { max_active_sessions: 2, max_open_handoffs: 1 } }),
    rows: [
      start("lead", "lead"),
      handoff("lead", "worker"),
      [{ op: "close", session: "lead" }, "allow"],
      statuses({ worker: "cancel_requested" }),
      begin("a", "allow"),
      begin("b", LIMIT),
      { state: { openHandoffs: 1, totals: { active: 2 } } },
    ],
  },
  {
    sentence: "max_open_handoffs counts children that are neither closed nor killed, and not roots",
    pack: packOf({ workflow_limits: { max_open_handoffs: 2 } }),
    rows: [
      start("a"),
      start("lead", "lead"),
      handoff("lead", "w1"),
      handoff("w1", "h1", "helper"),
      [{ op: "handoff", from: "lead", session: "w2", role: "worker" }, LIMIT],
      start("b"),
      [{ op: "close", session: "h1" }, "allow"],
      handoff("lead", "w2"),
      [{ op: "handoff", from: "lead", session: "w3", role: "worker" }, LIMIT],
      { state: { openHandoffs: 2 } },
    ],
  },
  {
    sentence: "an abandoned child is no open handoff",
    pack: packOf({
      workflow_limits: { max_open_handoffs: 1 },
      handoffs: [{ from: "lead", to: "worker", parent_close_policy: "abandon" }],
    }),
    rows: [
      start("one", "lead"),
      start("two", "lead"),
      handoff("one", "w1"),
      [{ op: "handoff", from: "two", session: "w2", role: "worker" }, LIMIT],
      [{ op: "close", session: "one" }, "allow"],
      { state: { openHandoffs: 0 } },
      handoff("two", "w2"),
    ],
  },
  {
    sentence: "max_total_steps sums the steps of all sessions, and pending calls count",
    pack: packOf({ workflow_limits: { max_total_steps: 3 } }),
    rows: [
      start("a"),
      start("b"),
      [call("a", "one", "edit"), "allow"],
      [call("b", "two", "edit"), "allow"],
      [{ op: "beginStep", session: "b" }, "allow"],
      [call("a", "three", "edit"), LIMIT],
      [{ op: "beginStep", session: "a" }, LIMIT],
      // In an open step a call makes no further one.
      [call("b", "four", "edit"), "allow"],
      [{ op: "beginStep", session: "b" }, LIMIT],
      { state: { totals: { steps: 3 } } },
      settle("one", OUTCOMES.unsent),
      { state: { totals: { steps: 2 } } },
      [call("a", "five", "edit"), "allow"],
      [call("a", "six", "edit"), LIMIT],
    ],
  },
  {
    sentence: "steps of sessions that have ended count on",
    pack: packOf({ workflow_limits: { max_total_steps: 1 } }),
    rows: [
      start("a"),
      [call("a", "one", "look"), "allow"],
      settle("one", OUTCOMES.result),
      [{ op: "close", session: "a" }, "allow"],
      start("b"),
      [call("b", "two", "look"), LIMIT],
    ],
  },
  {
    sentence: "a call of which it is not known whether it happened counts, until somebody knows",
    pack: packOf({ workflow_limits: { max_total_steps: 1 } }),
    rows: [
      start("a"),
      [call("a", "one", "edit"), "allow"],
      settle("one", OUTCOMES.timeout),
      [call("a", "two", "edit"), LIMIT],
      settle("one", OUTCOMES.undone),
      [call("a", "two", "edit"), "allow"],
    ],
  },
  {
    sentence: "max_total_cost refuses calls and steps once it is reached, and no starts",
    pack: packOf({ workflow_limits: { max_total_cost: 0.3 } }),
    rows: [
      start("a"),
      start("lead", "lead"),
      [{ op: "recordCost", session: "a", usd: 0.1 }, "allow"],
      [{ op: "recordCost", session: "lead", usd: 0.19 }, "allow"],
      [call("a", "one", "edit"), "allow"],
      [{ op: "beginStep", session: "a" }, "allow"],
      [{ op: "recordCost", session: "a", usd: 0.01 }, "allow"],
      { state: { totals: { cost: 0.3 } } },
      [call("lead", "two", "edit"), LIMIT],
      [call("a", "three", "look"), LIMIT],
      [{ op: "beginStep", session: "lead" }, LIMIT],
      start("b"),
      handoff("lead", "worker"),
      settle("one", OUTCOMES.result),
    ],
  },
  {
    sentence: "cost is exact, and counts also where the session has ended",
    pack: packOf({ workflow_limits: { max_total_cost: 0.3 } }),
    rows: [
      start("a"),
      start("b"),
      [{ op: "recordCost", session: "a", usd: 0.1 }, "allow"],
      [{ op: "close", session: "a" }, "allow"],
      [{ op: "recordCost", session: "a", usd: 0.2 }, "allow"],
      [call("b", "one", "edit"), LIMIT],
    ],
  },
  {
    sentence: "limits of zero allow nothing",
    pack: packOf({ workflow_limits: { max_total_steps: 0 } }),
    rows: [start("a"), [call("a", "one", "look"), LIMIT], [{ op: "beginStep", session: "a" }, LIMIT]],
  },
  {
    sentence: "without limits there are none",
    pack: packOf(),
    rows: [
      ...Array.from({ length: 12 }, (_, at) => start(`s${at}`)),
      [{ op: "recordCost", session: "s0", usd: 1_000_000 }, "allow"],
      [call("s1", "one", "edit"), "allow"],
    ],
  },
];
