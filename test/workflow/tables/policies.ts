import type { ClosePolicy } from "../../workflow-reference/reference/model.js";
import { type Case, call, handoff, OUTCOMES, packOf, type Row, settle, start, statuses } from "./parts.js";

/** How a policy comes to apply: the handoff's own, the default, or neither. */
interface Source {
  readonly how: string;
  readonly own: ClosePolicy | null;
  readonly byDefault: ClosePolicy | null;
  readonly applies: ClosePolicy;
}

const POLICIES = ["request_cancel", "terminate", "abandon"] as const;

const SOURCES: readonly Source[] = [
  { how: "neither", own: null, byDefault: null, applies: "request_cancel" },
  ...POLICIES.map((policy): Source => ({ how: "the default", own: null, byDefault: policy, applies: policy })),
  ...POLICIES.flatMap((own) =>
    POLICIES.map((byDefault): Source => ({ how: `its own over ${byDefault}`, own, byDefault, applies: own })),
  ),
];

/** How a parent ends. */
const ENDINGS: readonly { readonly how: string; readonly row: Row; readonly status: "closed" | "killed" }[] = [
  { how: "closes", row: [{ op: "close", session: "lead" }, "allow"], status: "closed" },
  { how: "is killed", row: [{ op: "kill", scope: "session", session: "lead" }, "allow"], status: "killed" },
  { how: "is killed by its guard", row: [{ op: "killGuard", session: "lead" }, "allow"], status: "killed" },
];

/** What follows for a child with a running call and one that waits for an approval. */
const CONSEQUENCES: Readonly<
  Record<
    ClosePolicy,
    { readonly status: string; readonly word: string; readonly parent: string | null; readonly open: number }
  >
> = {
  request_cancel: { status: "cancel_requested", word: "cancel_requested", parent: "lead", open: 1 },
  terminate: { status: "killed", word: "session_killed", parent: "lead", open: 0 },
  abandon: { status: "active", word: "allow", parent: null, open: 0 },
};

function workflowOf(first: ClosePolicy | null, byDefault: ClosePolicy | null, second: ClosePolicy | null = null) {
  const policy = (own: ClosePolicy | null) => (own === null ? {} : { parent_close_policy: own });
  return packOf({
    handoffs: [
      { from: "lead", to: "worker", ...policy(first) },
      { from: "worker", to: "helper", ...policy(second) },
    ],
    ...(byDefault === null ? {} : { parent_close_policy: { default: byDefault } }),
  });
}

const children: readonly Case[] = SOURCES.flatMap(({ how, own, byDefault, applies }) =>
  ENDINGS.map(({ how: ends, row, status }) => {
    const { status: after, word, parent, open } = CONSEQUENCES[applies];
    return {
      sentence: `${applies} (by ${how}): the parent ${ends}`,
      pack: workflowOf(own, byDefault),
      rows: [
        start("lead", "lead"),
        handoff("lead", "worker"),
        [call("worker", "running", "edit", "x"), "allow"],
        { state: { openHandoffs: 1, totals: { sessions: 2, active: 2 } } },
        row,
        statuses({ lead: status, worker: after }),
        { state: { openHandoffs: open, sessions: [{ id: "lead" }, { id: "worker", parent }] } },
        [call("worker", "next", "look"), word],
        [{ op: "beginStep", session: "worker" }, word],
        [{ op: "handoff", from: "worker", session: "helper", role: "helper" }, word],
        // Whatever became of the session, what was running is settled, and cost is recorded.
        settle("running", OUTCOMES.result),
        [{ op: "recordCost", session: "worker", usd: 0.5 }, "allow"],
        { state: { totals: { cost: 0.5 } } },
        [{ op: "close", session: "worker" }, "allow"],
        statuses({ worker: after === "killed" ? "killed" : "closed" }),
        [call("worker", "last", "look"), after === "killed" ? "session_killed" : "session_closed"],
      ],
    };
  }),
);

interface Generations {
  readonly first: ClosePolicy;
  readonly second: ClosePolicy;
  /** Of the child and the grandchild after the first has closed, and of the grandchild after the child has closed too. */
  readonly after: readonly [child: string, grandchild: string];
  readonly last: string;
}

const GENERATIONS: readonly Generations[] = [
  {
    first: "request_cancel",
    second: "request_cancel",
    after: ["cancel_requested", "active"],
    last: "cancel_requested",
  },
  { first: "request_cancel", second: "terminate", after: ["cancel_requested", "active"], last: "killed" },
  { first: "request_cancel", second: "abandon", after: ["cancel_requested", "active"], last: "active" },
  { first: "terminate", second: "request_cancel", after: ["killed", "killed"], last: "killed" },
  { first: "terminate", second: "terminate", after: ["killed", "killed"], last: "killed" },
  { first: "terminate", second: "abandon", after: ["killed", "killed"], last: "killed" },
  { first: "abandon", second: "request_cancel", after: ["active", "active"], last: "cancel_requested" },
  { first: "abandon", second: "terminate", after: ["active", "active"], last: "killed" },
  { first: "abandon", second: "abandon", after: ["active", "active"], last: "active" },
];

const grandchildren: readonly Case[] = GENERATIONS.map(({ first, second, after: [child, grandchild], last }) => ({
  sentence: `${first}, and ${second} for grandchildren`,
  pack: workflowOf(first, null, second),
  rows: [
    start("lead", "lead"),
    handoff("lead", "worker"),
    handoff("worker", "helper", "helper"),
    [{ op: "close", session: "lead" }, "allow"],
    statuses({ worker: child, helper: grandchild }),
    [{ op: "close", session: "worker" }, "allow"],
    statuses({ worker: child === "killed" ? "killed" : "closed", helper: last }),
  ],
}));

const others: readonly Case[] = [
  {
    sentence: "a child that has ended stays as it is when its parent ends",
    pack: workflowOf("terminate", null),
    rows: [
      start("lead", "lead"),
      handoff("lead", "worker"),
      [{ op: "close", session: "worker" }, "allow"],
      [{ op: "close", session: "lead" }, "allow"],
      statuses({ worker: "closed" }),
    ],
  },
  {
    sentence: "an abandoned child is reached by nothing that happens to its former parent",
    pack: packOf({
      handoffs: [{ from: "lead", to: "worker", parent_close_policy: "abandon" }],
      cancellation: { subtree_kill: true },
    }),
    rows: [
      start("lead", "lead"),
      handoff("lead", "worker"),
      [{ op: "close", session: "lead" }, "allow"],
      [{ op: "kill", scope: "subtree", session: "lead" }, "allow"],
      statuses({ lead: "closed", worker: "active" }),
      [call("worker", "one", "edit"), "allow"],
    ],
  },
  {
    sentence: "a session that breaks its circuit is killed, and its children hear of it",
    pack: {
      ...packOf(
        { handoffs: [{ from: "lead", to: "worker", parent_close_policy: "terminate" }] },
        {
          session_limits: { circuit_breaker: { consecutive_blocks: 2 } },
        },
      ),
    },
    rows: [
      start("lead", "lead"),
      handoff("lead", "worker"),
      [call("lead", "one", "shut"), "gate_blocked"],
      statuses({ lead: "active", worker: "active" }),
      [call("lead", "two", "shut"), "gate_blocked"],
      statuses({ lead: "killed", worker: "killed" }),
      [call("worker", "three", "look"), "session_killed"],
    ],
  },
  {
    sentence: "closing may be repeated, and changes nothing after a kill",
    pack: packOf(),
    rows: [
      start("a"),
      [{ op: "close", session: "a" }, "allow"],
      [{ op: "close", session: "a" }, "allow"],
      statuses({ a: "closed" }),
      start("b"),
      [{ op: "kill", scope: "session", session: "b" }, "allow"],
      [{ op: "close", session: "b" }, "allow"],
      statuses({ b: "killed" }),
    ],
  },
  {
    sentence: "closing does not wait for running calls",
    pack: packOf(),
    rows: [
      start("a"),
      [call("a", "one", "edit", "x"), "allow"],
      [{ op: "close", session: "a" }, "allow"],
      statuses({ a: "closed" }),
      { state: { resources: ["file x single_writer a"] } },
      settle("one", OUTCOMES.timeout),
      { state: { resources: ["file x single_writer a"] } },
      settle("one", OUTCOMES.happened),
      { state: { resources: [] } },
    ],
  },
  {
    sentence: "a cancellation reaches a call that waits for an approval",
    pack: workflowOf("request_cancel", null),
    rows: [
      start("lead", "lead"),
      handoff("lead", "worker"),
      [call("worker", "one", "ask", "x"), "approval_required"],
      [{ op: "close", session: "lead" }, "allow"],
      [{ op: "resume", call: "one" }, "cancel_requested"],
      [{ op: "approve", call: "one" }, "approval_withdrawn"],
      [{ op: "resume", call: "one" }, "approval_withdrawn"],
      { state: { resources: [] } },
    ],
  },
  {
    sentence: "a request that had expired is not withdrawn by it",
    pack: workflowOf("request_cancel", null),
    rows: [
      start("lead", "lead"),
      handoff("lead", "worker"),
      [call("worker", "one", "ask", "x"), "approval_required"],
      [{ op: "wait", seconds: 1_000_000 }, "allow"],
      [{ op: "close", session: "lead" }, "allow"],
      [{ op: "resume", call: "one" }, "cancel_requested"],
      [{ op: "resume", call: "one" }, "cancel_requested"],
    ],
  },
];

/** Policy × how the parent ends × where the policy comes from, and what it means for grandchildren. */
export const POLICY_CASES: readonly Case[] = [...children, ...grandchildren, ...others];
