import { describe, expect, it } from "vitest";
import type { Json } from "../../src/base/json.js";
import { createGuard, type Guard, StoreUnavailable } from "../../src/guard/entry.js";
import type { ProposedCall } from "../../src/guard/public.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { fc } from "../support/fast-check.js";
import { artifactOf } from "../support/guard-artifact.js";
import { type LoggedCall, type Moment, momentsOf } from "../support/guard-moments.js";
import { told } from "../support/guard-steps.js";
import { FailingStore, MemoryStore, type Pause } from "../support/guard-store.js";

const PARALLEL = 64;
/** How many turns of the scheduler a proposal may come later than the first. */
const LONGEST_WAIT = 16;
const SESSION = "one session";

/** A limit, calls that press against it, and what must be so whenever one of them is let through. */
interface Scenario {
  readonly what: string;
  readonly pack: string;
  readonly call: (dice: number) => ProposedCall;
  readonly holds: (moment: Moment) => boolean;
}

function numberAt(args: Json, key: string): number {
  const value = typeof args === "object" && args !== null ? Reflect.get(args, key) : undefined;
  return typeof value === "number" ? value : Number.NaN;
}

const amounts = (calls: readonly LoggedCall[], key = "n") => calls.map(({ args }) => numberAt(args, key));
const added = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const ofTool = (calls: readonly LoggedCall[], name: string) => calls.filter(({ tool }) => tool === name);

const ENVELOPE = `
#== session.yaml (with the required fields)
envelopes:
  - name: size
    stages: [{ tool: approve, path: $.n, role: ceiling }, { tool: order, path: $.n, role: constrained }]
    constraint: lte_ceiling
    reason: Not more than approved
#== approve.yaml (with the required fields)
side_effect: write
#== order.yaml (with the required fields)
side_effect: write
`;

const SCENARIOS: readonly Scenario[] = [
  {
    what: "max_calls_per_tool: 1",
    pack: `
#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 1 } }
#== pay.yaml (with the required fields)
side_effect: financial
`,
    call: () => ({ tool: "pay", args: {} }),
    holds: ({ counted }) => counted.length === 0,
  },
  {
    what: "max_tool_calls",
    pack: `
#== session.yaml (with the required fields)
session_limits: { max_tool_calls: 5 }
#== pay.yaml (with the required fields)
side_effect: financial
#== look.yaml (with the required fields)
`,
    call: (dice) => ({ tool: dice % 2 === 0 ? "pay" : "look", args: {} }),
    holds: ({ counted }) => counted.length < 5,
  },
  {
    what: "max_steps",
    pack: `
#== session.yaml (with the required fields)
session_limits: { max_steps: 3 }
#== pay.yaml (with the required fields)
side_effect: financial
`,
    call: () => ({ tool: "pay", args: {} }),
    holds: ({ counted }) => counted.length < 3,
  },
  {
    what: "a sum in both directions",
    pack: `
#== session.yaml (with the required fields)
aggregates: [{ name: total, metric: sum, tool: pay, path: $.n, gte: -5, lte: 5, reason: Near zero }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    call: (dice) => ({ tool: "pay", args: { n: (dice % 9) - 4 } }),
    holds({ call, counted, pending }) {
      const open = amounts(pending);
      const sure = added(amounts(counted)) - added(open) + numberAt(call.args, "n");
      const isLowEnough = sure + added(open.filter((n) => n > 0)) <= 5;
      return isLowEnough && sure + added(open.filter((n) => n < 0)) >= -5;
    },
  },
  {
    what: "a count",
    pack: `
#== session.yaml (with the required fields)
aggregates: [{ name: calls, metric: count, tool: [pay, send], lte: 4, reason: Few }]
#== pay.yaml (with the required fields)
side_effect: financial
#== send.yaml (with the required fields)
side_effect: write
`,
    call: (dice) => ({ tool: dice % 2 === 0 ? "pay" : "send", args: {} }),
    holds: ({ counted }) => counted.length < 4,
  },
  {
    what: "a count of distinct values",
    pack: `
#== session.yaml (with the required fields)
aggregates: [{ name: symbols, metric: count_distinct, tool: pay, path: $.n, lte: 3, reason: Focus }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    call: (dice) => ({ tool: "pay", args: { n: dice % 12 } }),
    holds: ({ call, counted }) => new Set(amounts([...counted, call])).size <= 3,
  },
  {
    what: "a largest value with a lower bound",
    pack: `
#== session.yaml (with the required fields)
aggregates: [{ name: peak, metric: max, tool: pay, path: $.n, gte: 5, lte: 9, reason: Start high }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    call: (dice) => ({ tool: "pay", args: { n: dice % 12 } }),
    holds({ call, counted, pending }) {
      const sure = counted.filter((other) => !pending.includes(other));
      return Math.max(...amounts([...sure, call])) >= 5 && numberAt(call.args, "n") <= 9;
    },
  },
  {
    what: "a ceiling that moves",
    pack: ENVELOPE,
    call: (dice) => ({ tool: dice % 4 === 0 ? "approve" : "order", args: { n: dice % 10 } }),
    holds({ call, committed, pending }) {
      if (call.tool === "approve") return true;
      const ceilings = [...ofTool(committed, "approve").slice(-1), ...ofTool(pending, "approve")];
      const isSet = ofTool(committed, "approve").length > 0;
      return isSet && amounts(ceilings).every((ceiling) => numberAt(call.args, "n") <= ceiling);
    },
  },
  {
    what: "a value that may only shrink",
    pack: `
#== session.yaml (with the required fields)
envelopes:
  - name: shrink
    stages: [{ tool: start, path: $.n, role: initial }, { tool: amend, path: $.n, role: constrained }]
    constraint: monotonic_decrease
    reason: Only smaller
#== start.yaml (with the required fields)
side_effect: write
#== amend.yaml (with the required fields)
side_effect: write
`,
    call: (dice) => ({ tool: dice % 8 === 0 ? "start" : "amend", args: { n: dice % 20 } }),
    holds({ call, committed, pending }) {
      if (call.tool === "start") return true;
      const isSet = committed.length > 0;
      return isSet && amounts([...committed.slice(-1), ...pending]).every((last) => numberAt(call.args, "n") <= last);
    },
  },
  {
    what: "forbids_after",
    pack: `
#== close.yaml (with the required fields)
side_effect: write
forbids_after: [close, edit]
#== edit.yaml (with the required fields)
side_effect: write
`,
    call: (dice) => ({ tool: dice % 3 === 0 ? "close" : "edit", args: {} }),
    holds: ({ counted }) => ofTool(counted, "close").length === 0,
  },
  {
    what: "phases",
    pack: `
#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: closed, terminal: true }]
transitions: { open: [closed] }
#== draft.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open] }
#== close.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open], advances_to: closed }
#== archive.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [closed] }
`,
    call: (dice) => ({ tool: ["draft", "draft", "close", "archive"][dice % 4] ?? "", args: {} }),
    holds({ call, committed, pending }) {
      const isClosed = ofTool(committed, "close").length > 0;
      if (call.tool === "archive") return isClosed;
      return !isClosed && ofTool(pending, "close").length === 0;
    },
  },
];

const OUTCOMES: readonly (readonly Outcome[])[] = [
  [{ kind: "result", output: {} }],
  [{ kind: "did_not_happen" }],
  [{ kind: "error", sent: false }],
  [{ kind: "error", sent: true, status: 409 }],
  [{ kind: "timeout", sent: true }],
  [{ kind: "error", sent: true, status: 503 }, { kind: "did_not_happen" }],
  [{ kind: "timeout", sent: true }, { kind: "happened" }],
  [],
];

/** A call from its proposal, which comes sooner or later, to whatever becomes of it. */
async function live(guard: Guard, call: ProposedCall, die: number, pause: Pause): Promise<string[]> {
  for (let wait = die % LONGEST_WAIT; wait > 0; wait--) await pause();
  const verdict = await guard.propose(call);
  if (verdict.kind !== "allow") return [];
  for (const outcome of OUTCOMES[(die >> 4) % OUTCOMES.length] ?? []) {
    await pause();
    await guard.settle(verdict.callId, outcome);
  }
  return [verdict.callId];
}

/** As many lives of calls as there are dice, all at once, dealt out to guards on the same session. */
async function pressure(scenario: Scenario, dice: readonly number[], guards: number, pause: Pause) {
  const store = new MemoryStore(pause);
  const artifact = artifactOf(scenario.pack);
  const options = { sessionId: SESSION, store, env: {} };
  const made = await Promise.all(Array.from({ length: guards }, () => createGuard(artifact, options)));
  const lives = dice.map((die, index) => {
    const guard = made[index % guards];
    return guard === undefined ? [] : live(guard, scenario.call(die >> 8), die, pause);
  });
  const allowed = (await Promise.all(lives)).flat();
  return { moments: momentsOf(store.log(SESSION)), allowed, conflicts: store.conflicts };
}

const dice = fc.array(fc.nat({ max: 0xffff }), { minLength: PARALLEL, maxLength: PARALLEL });

async function expectNoOvershoot(scenario: Scenario, guards: number, runs: number): Promise<void> {
  let letThrough = 0;
  let conflicts = 0;
  const property = fc.asyncProperty(dice, fc.scheduler(), async (thrown, scheduler) => {
    const pause = () => scheduler.schedule(Promise.resolve());
    const seen = await scheduler.waitFor(pressure(scenario, thrown, guards, pause));
    expect(seen.moments.filter((moment) => !scenario.holds(moment))).toEqual([]);
    // What no caller was given stays reserved; what a caller was given is in the log.
    const logged = new Set(seen.moments.map(({ call }) => call.id));
    expect(seen.allowed.filter((id) => !logged.has(id))).toEqual([]);
    expect(new Set(seen.allowed).size).toBe(seen.allowed.length);
    letThrough += seen.allowed.length;
    conflicts += seen.conflicts;
  });
  await fc.assert(property, { numRuns: runs });
  expect(letThrough).toBeGreaterThan(0);
  if (guards > 1) expect(conflicts).toBeGreaterThan(0);
}

describe.each(SCENARIOS.map((scenario) => [scenario.what, scenario] as const))("%s", (_, scenario) => {
  it(`is never overshot by ${PARALLEL} proposals at once, however they end`, async () => {
    await expectNoOvershoot(scenario, 1, 30);
  });

  it("is never overshot by two guards on one session, with a store that answers late", async () => {
    await expectNoOvershoot(scenario, 2, 15);
  });
});

describe("64 proposals at once without a store", () => {
  it("let exactly one through where one call of the tool is allowed", async () => {
    const [scenario] = SCENARIOS;
    const guard = await createGuard(artifactOf(scenario?.pack ?? ""), { env: {} });
    const proposals = Array.from({ length: PARALLEL }, () => guard.propose({ tool: "pay", args: {} }));
    const verdicts = (await Promise.all(proposals)).map(told);
    expect(verdicts.filter((verdict) => verdict === "allow")).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict === "session_limit_exceeded")).toHaveLength(PARALLEL - 1);
  });

  it("spend exactly a dollar in dimes", async () => {
    const pack = `
#== session.yaml (with the required fields)
aggregates: [{ name: total, metric: sum, tool: pay, path: $.n, lte: 1, reason: One dollar }]
#== pay.yaml (with the required fields)
side_effect: financial
`;
    const guard = await createGuard(artifactOf(pack), { env: {} });
    const proposals = Array.from({ length: PARALLEL }, () => guard.propose({ tool: "pay", args: { n: 0.1 } }));
    const verdicts = (await Promise.all(proposals)).map(told);
    expect(verdicts.filter((verdict) => verdict === "allow")).toHaveLength(10);
    expect(guard.state().aggregates).toEqual({ total: 1 });
  });

  it("ask for one approval only, and pause all the others", async () => {
    const pack = `
#== pay.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 60 }
`;
    const guard = await createGuard(artifactOf(pack), { env: {}, approver: "manual" });
    const proposals = Array.from({ length: PARALLEL }, () => guard.propose({ tool: "pay", args: {} }));
    const verdicts = await Promise.all(proposals);
    expect(verdicts.map(told).sort().slice(0, 2)).toEqual(["approval_required", "session_paused"]);
    const [asked] = verdicts.flatMap((verdict) => (verdict.kind === "approval_required" ? [verdict.approvalId] : []));
    const answers = Array.from({ length: PARALLEL }, () => guard.approve(asked ?? "", { by: "ann" }));
    const answered = (await Promise.all(answers)).map(told);
    expect(answered.filter((verdict) => verdict === "allow")).toHaveLength(1);
    expect(answered.filter((verdict) => verdict === "approval_used")).toHaveLength(PARALLEL - 1);
  });

  it("settle a call once, however many outcomes are reported", async () => {
    const [scenario] = SCENARIOS;
    const guard = await createGuard(artifactOf(scenario?.pack ?? ""), { env: {} });
    const verdict = await guard.propose({ tool: "pay", args: {} });
    const callId = verdict.kind === "allow" ? verdict.callId : "";
    const outcomes = OUTCOMES.flat().filter(({ kind }) => kind !== "timeout");
    const results = await Promise.all(outcomes.map((outcome) => guard.settle(callId, outcome)));
    expect(results.filter(({ accepted }) => accepted)).toHaveLength(1);
  });
});

const ONCE = `
#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 1 } }
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: [{ path: $.n, gte: 100 }], timeout_seconds: 60 }
`;
const PAY = { tool: "pay", args: { n: 1 } };

describe("two guards on one session", () => {
  it("know of each other's calls", async () => {
    const store = new MemoryStore();
    const options = { sessionId: SESSION, store, env: {} };
    const [one, other] = [await createGuard(artifactOf(ONCE), options), await createGuard(artifactOf(ONCE), options)];
    const verdict = await one.propose(PAY);
    expect(told(verdict)).toBe("allow");
    expect(told(await other.propose(PAY))).toBe("session_limit_exceeded");
    expect(other.state().unsettled).toMatchObject([{ tool: "pay", status: "running" }]);
    const callId = verdict.kind === "allow" ? verdict.callId : "";
    expect(await other.settle(callId, { kind: "did_not_happen" })).toEqual({ accepted: true });
    expect(await one.settle(callId, { kind: "happened" })).toEqual({ accepted: false, reason: "already_settled" });
    expect(told(await one.propose(PAY))).toBe("allow");
  });

  it("can ask on one side and answer on the other", async () => {
    const store = new MemoryStore();
    const options = { sessionId: SESSION, store, env: {}, approver: "manual" } as const;
    const [one, other] = [await createGuard(artifactOf(ONCE), options), await createGuard(artifactOf(ONCE), options)];
    const verdict = await one.propose({ tool: "pay", args: { n: 100 } });
    const approvalId = verdict.kind === "approval_required" ? verdict.approvalId : "";
    expect(told(await other.propose(PAY))).toBe("session_paused");
    expect(await other.approve(approvalId, { by: "ann" })).toEqual({ kind: "recorded", approvals: 1, needed: 1 });
    const approved = await one.resume(approvalId);
    expect(approved).toEqual({ kind: "allow", callId: "call_1" });
    expect(await other.resume(approvalId)).toEqual({ ...approved, repeated: true });
    expect(told(await one.approve(approvalId, { by: "bob" }))).toBe("approval_used");
  });

  it("refuse an approval that was asked for under other contracts", async () => {
    const store = new MemoryStore();
    const options = { sessionId: SESSION, store, env: {}, approver: "manual" } as const;
    const one = await createGuard(artifactOf(ONCE), options);
    const verdict = await one.propose({ tool: "pay", args: { n: 100 } });
    const approvalId = verdict.kind === "approval_required" ? verdict.approvalId : "";
    const changed = ONCE.replace("gte: 100", "gte: 50");
    const other = await createGuard(artifactOf(changed), options);
    expect(told(await other.approve(approvalId, { by: "ann" }))).toBe("approval_mismatch");
    expect(other.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("do not meet where their sessions differ", async () => {
    const store = new MemoryStore();
    const one = await createGuard(artifactOf(ONCE), { sessionId: "a", store, env: {} });
    const other = await createGuard(artifactOf(ONCE), { sessionId: "b", store, env: {} });
    expect([told(await one.propose(PAY)), told(await other.propose(PAY))]).toEqual(["allow", "allow"]);
  });
});

describe("a crash between reserve and settle", () => {
  it("leaves the call visible as unsettled, counted, and ready to be settled", async () => {
    const store = new MemoryStore();
    const options = { sessionId: SESSION, store, env: {} };
    const verdict = await (await createGuard(artifactOf(ONCE), options)).propose(PAY);
    const callId = verdict.kind === "allow" ? verdict.callId : "";
    const restarted = await createGuard(artifactOf(ONCE), options);
    expect(restarted.state().unsettled).toEqual([{ callId, tool: "pay", status: "running" }]);
    expect(told(await restarted.propose(PAY))).toBe("session_limit_exceeded");
    expect(await restarted.settle(callId, { kind: "timeout", sent: true })).toEqual({ accepted: true });
    const again = await createGuard(artifactOf(ONCE), options);
    expect(again.state().unsettled).toEqual([{ callId, tool: "pay", status: "indeterminate" }]);
    expect(await again.settle(callId, { kind: "did_not_happen" })).toEqual({ accepted: true });
    expect(told(await again.propose(PAY))).toBe("allow");
  });

  it("leaves an approval waiting, with its deadline", async () => {
    const store = new MemoryStore();
    const options = { sessionId: SESSION, store, env: {}, approver: "manual" } as const;
    const before = await createGuard(artifactOf(ONCE), { ...options, clock: { now: () => 1_000 } });
    const verdict = await before.propose({ tool: "pay", args: { n: 100 } });
    const approvalId = verdict.kind === "approval_required" ? verdict.approvalId : "";
    const early = await createGuard(artifactOf(ONCE), { ...options, clock: { now: () => 60_999 } });
    expect(await early.resume(approvalId)).toMatchObject({ kind: "approval_required", deadline: 61_000 });
    const late = await createGuard(artifactOf(ONCE), { ...options, clock: { now: () => 61_000 } });
    expect(told(await late.approve(approvalId, { by: "ann" }))).toBe("approval_expired");
  });
});

describe("a store that fails", () => {
  async function failing() {
    const store = new FailingStore(new MemoryStore());
    const options = { sessionId: SESSION, store, env: {}, settleTimeoutMs: 50 };
    return { store, guard: await createGuard(artifactOf(ONCE), options) };
  }

  it("lets nothing through, and the guard goes on once it is back", async () => {
    const { store, guard } = await failing();
    store.fails = "before writing";
    const verdict = await guard.propose(PAY);
    expect(verdict).toMatchObject({ kind: "block", reason: "store_unavailable" });
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
    store.fails = "never";
    expect(told(await guard.propose(PAY))).toBe("allow");
  });

  it("blocks also a call that would have been blocked anyway", async () => {
    const { store, guard } = await failing();
    await guard.propose(PAY);
    store.fails = "before writing";
    expect(await guard.propose(PAY)).toMatchObject({ kind: "block" });
  });

  it("that lost its answer after writing leaves the call unsettled, and no caller got an allow", async () => {
    const { store, guard } = await failing();
    store.fails = "after writing";
    expect(told(await guard.propose(PAY))).toBe("store_unavailable");
    store.fails = "never";
    expect(told(await guard.propose(PAY))).toBe("session_limit_exceeded");
    expect(guard.state().unsettled).toMatchObject([{ tool: "pay", status: "running" }]);
  });

  it("does not make an exception of any kind of error", async () => {
    const store = new FailingStore(new MemoryStore(), () => JSON.parse('"a text, not an error"'));
    const guard = await createGuard(artifactOf(ONCE), { sessionId: SESSION, store, env: {} });
    store.fails = "before writing";
    expect(told(await guard.propose(PAY))).toBe("store_unavailable");
    expect(told(await guard.approve("approval_1", { by: "ann" }))).toBe("store_unavailable");
    expect(told(await guard.resume("approval_1"))).toBe("store_unavailable");
  });

  it("leaves a call unsettled whose settlement it lost", async () => {
    const { store, guard } = await failing();
    const verdict = await guard.propose(PAY);
    const callId = verdict.kind === "allow" ? verdict.callId : "";
    store.fails = "before writing";
    await expect(guard.settle(callId, { kind: "did_not_happen" })).rejects.toBeInstanceOf(StoreUnavailable);
    store.fails = "never";
    expect(guard.state().unsettled).toMatchObject([{ callId, status: "running" }]);
    expect(await guard.settle(callId, { kind: "did_not_happen" })).toEqual({ accepted: true });
  });

  it("opens no step, and the refusal is a block", async () => {
    const { store, guard } = await failing();
    store.fails = "before writing";
    expect(await guard.beginStep()).toMatchObject({ kind: "block", reason: "store_unavailable" });
    expect(guard.state().steps).toBe(0);
  });

  it("keeps a guard from starting", async () => {
    const store = new FailingStore(new MemoryStore());
    store.fails = "before writing";
    await expect(createGuard(artifactOf(ONCE), { store, env: {} })).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
