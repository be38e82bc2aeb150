import { describe, expect, it } from "vitest";
import type { Json } from "../../src/base/json.js";
import { Decisions } from "../../src/guard/decide/decisions.js";
import { createGuard } from "../../src/guard/guard.js";
import { prepareProgram } from "../../src/guard/program/prepare-program.js";
import { packOf, resolveOptions } from "../../src/guard/resolved-options.js";
import { advance } from "../../src/guard/session/advance.js";
import type { Call } from "../../src/guard/session/call.js";
import { newSession, type Session } from "../../src/guard/session/session.js";
import { artifactOf } from "../support/guard-artifact.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";

const MANY = 2_000;

/** A session of the guard without its promises. */
function sessionOf(pack: string) {
  const artifact = artifactOf(pack);
  const root = packOf(artifact, undefined);
  const program = prepareProgram(artifact, root, { env: {}, principal: null });
  const decisions = new Decisions(program, resolveOptions({ clock: new TestClock(), approver: "manual" }, root));
  const session = newSession(program);
  const propose = (tool: string, args: Json) => {
    const { events, result } = decisions.propose(session, tool, decisions.proposals.of(tool, args));
    for (const event of events) advance(program, session, event);
    return result;
  };
  const settle = (callId: string, ending: "committed" | "released" | "indeterminate", output: Json = {}) =>
    advance(program, session, { kind: "settled", callId, ending, output, sign: "neither" });
  return { program, decisions, session, propose, settle };
}

/** Counts every look at the calls that are open now. */
function watched(session: Session): { looks: number } {
  const count = { looks: 0 };
  const fields: readonly (keyof Call)[] = ["id", "tool", "args", "status", "isSuperseded", "priors"];
  for (const call of session.unsettled) {
    for (const field of fields) {
      let value: unknown = call[field];
      Object.defineProperty(call, field, {
        get() {
          count.looks += 1;
          return value;
        },
        set(next) {
          value = next;
        },
      });
    }
  }
  return count;
}

interface Scenario {
  readonly what: string;
  readonly pack: string;
  /** Calls that come first, with the output that they commit with. */
  readonly first?: readonly (readonly [string, Json, Json])[];
  readonly open: (at: number) => readonly [string, Json];
  readonly next: readonly [string, Json];
}

const SCENARIOS: readonly Scenario[] = [
  {
    what: "a sum, limits and a breaker",
    pack: `
#== session.yaml (with the required fields)
session_limits: { max_tool_calls: 100000, circuit_breaker: { consecutive_blocks: 5 } }
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 10000000, reason: Budget }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    open: (at) => ["pay", { n: at }],
    next: ["pay", { n: 1 }],
  },
  {
    what: "a maximum",
    pack: `
#== session.yaml (with the required fields)
aggregates: [{ name: peak, metric: max, tool: pay, path: $.n, lte: 10000, reason: Low }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    open: (at) => ["pay", { n: at }],
    next: ["pay", { n: 9999 }],
  },
  {
    what: "a minimum",
    pack: `
#== session.yaml (with the required fields)
aggregates: [{ name: least, metric: min, tool: pay, path: $.n, gte: -1, reason: High }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    open: (at) => ["pay", { n: at }],
    next: ["pay", { n: -1 }],
  },
  {
    what: "a maximum whose bound an open call may rebind",
    pack: `
#== session.yaml (with the required fields)
aggregates:
  - { name: peak, metric: max, tool: pay, path: $.n, lte: 10000, reason: Low, when: [{ binding: s, equals: 1, then_lte: 9999 }] }
#== bind.yaml (with the required fields)
side_effect: write
binds: [{ name: s, path: $.n }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    open: (at) => [at === 0 ? "bind" : "pay", { n: at + 1 }],
    next: ["pay", { n: 9999 }],
  },
  {
    what: "distinct values",
    pack: `
#== session.yaml (with the required fields)
aggregates: [{ name: kinds, metric: count_distinct, tool: pay, path: $.n, lte: 10000, reason: Few }]
#== pay.yaml (with the required fields)
side_effect: financial
`,
    open: (at) => ["pay", { n: at }],
    next: ["pay", { n: "new" }],
  },
  {
    what: "phases that open calls may lead to",
    pack: `
#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: closed, terminal: true }]
transitions: { open: [closed] }
#== close.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open, closed], advances_to: closed }
#== look.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open, closed] }
`,
    open: () => ["close", {}],
    next: ["look", {}],
  },
  {
    what: "an output that a precondition asks for, of another entity",
    pack: `
#== check.yaml (with the required fields)
side_effect: write
#== pay.yaml (with the required fields)
side_effect: financial
preconditions: [{ requires_prior_tool: check, with_output: [{ path: $.ok, equals: true }], resource: { bind_from: arguments, path: $.id } }]
`,
    first: [["check", { id: "mine" }, { ok: true }]],
    open: (at) => ["check", { id: at }],
    next: ["pay", { id: "mine" }],
  },
  {
    what: "a slot that open calls may rebind",
    pack: `
#== pick.yaml (with the required fields)
side_effect: write
binds: [{ name: id, source: arguments, path: $.id }]
#== pay.yaml (with the required fields)
side_effect: financial
argument_value_invariants: [{ path: $.id, ref: id }]
`,
    first: [["pick", { id: "a" }, {}]],
    open: () => ["pick", { id: "a" }],
    next: ["pay", { id: "a" }],
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
    first: [["start", { n: 10_000 }, {}]],
    open: (at) => ["amend", { n: 10_000 - at }],
    next: ["amend", { n: 1 }],
  },
];

describe.each(SCENARIOS.map((scenario) => [scenario.what, scenario] as const))("%s", (_, scenario) => {
  it(`is judged, reserved and settled without a look at ${MANY} open calls`, () => {
    const { session, propose, settle } = sessionOf(scenario.pack);
    for (const [tool, args, output] of scenario.first ?? []) {
      const verdict = propose(tool, args);
      settle(verdict.kind === "allow" ? verdict.callId : told(verdict), "committed", output);
    }
    for (let at = 0; at < MANY; at++) {
      const verdict = propose(...scenario.open(at));
      settle(verdict.kind === "allow" ? verdict.callId : told(verdict), "indeterminate");
    }
    expect(session.unsettled.size).toBe(MANY);
    const count = watched(session);
    for (const ending of ["released", "committed"] as const) {
      const verdict = propose(...scenario.next);
      expect(told(verdict)).toBe("allow");
      settle(verdict.kind === "allow" ? verdict.callId : "", ending);
    }
    // The first call that comes to stay marks those before it, once.
    const marked = count.looks;
    expect(marked).toBeLessThan(3 * MANY);
    for (let time = 0; time < 3; time++) {
      const verdict = propose(...scenario.next);
      settle(verdict.kind === "allow" ? verdict.callId : told(verdict), "committed");
    }
    expect(count.looks - marked).toBeLessThan(40);
  });
});

describe("a bound that hangs on a slot which many open calls rebind", () => {
  it("is judged by the values that its conditions distinguish", async () => {
    const pack = `
#== session.yaml (with the required fields)
aggregates:
  - name: paid
    metric: sum
    tool: pay
    path: $.n
    lte: 100
    when: [{ binding: tier, equals: gold, then_lte: 1000 }, { binding: mood, equals: bad, then_lte: 5 }]
    reason: Budget
#== tier.yaml (with the required fields)
side_effect: write
binds: [{ name: tier, source: arguments, path: $.tier }]
#== mood.yaml (with the required fields)
side_effect: write
binds: [{ name: mood, source: arguments, path: $.mood }]
#== pay.yaml (with the required fields)
side_effect: financial
`;
    const guard = await createGuard(artifactOf(pack), { env: {} });
    for (let at = 0; at < 2_000; at++) await guard.propose({ tool: "tier", args: { tier: `tier ${at}` } });
    for (let at = 0; at < 2_000; at++) await guard.propose({ tool: "mood", args: { mood: `mood ${at}` } });
    expect(told(await guard.propose({ tool: "pay", args: { n: 101 } }))).toBe("aggregate_exceeded");
    expect(told(await guard.propose({ tool: "pay", args: { n: 100 } }))).toBe("allow");
    await guard.propose({ tool: "mood", args: { mood: "bad" } });
    expect(told(await guard.propose({ tool: "pay", args: { n: 0 } }))).toBe("aggregate_exceeded");
  });
});

const ASKING = `
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: always, timeout_seconds: 60 }
#== slow.yaml (with the required fields)
side_effect: write
checkpoint: { when: always, timeout_seconds: 60, on_timeout: allow }
`;

/** Characters of all that a session keeps of approvals. */
function keptOfApprovals({ answered, resumable, approval }: Session): number {
  return JSON.stringify([[...answered], [...resumable], approval]).length;
}

describe("approvals that ended", () => {
  it.each(["denied", "approved", "expired"] as const)("keep no arguments when they were %s", (end) => {
    const { program, session, propose } = sessionOf(ASKING);
    for (let time = 0; time < 500; time++) {
      const asked = propose("pay", { text: "x".repeat(10_000), time });
      const approvalId = asked.kind === "approval_required" ? asked.approvalId : told(asked);
      advance(program, session, { kind: "approval_ended", approvalId, end });
    }
    expect(keptOfApprovals(session)).toBeLessThan(500 * 100);
  });

  it("are forgotten at last, however many there were", () => {
    const { program, session, propose } = sessionOf(ASKING);
    for (let time = 0; time < 12_000; time++) {
      const asked = propose(time % 2 === 0 ? "pay" : "slow", { time });
      const approvalId = asked.kind === "approval_required" ? asked.approvalId : told(asked);
      advance(program, session, { kind: "approval_ended", approvalId, end: "expired" });
    }
    expect([session.answered.size, session.resumable.size]).toEqual([10_000, 100]);
  });

  it("can still be resumed: to the same end, or let through by silence", async () => {
    const clock = new TestClock();
    const guard = await createGuard(artifactOf(ASKING), { env: {}, approver: "manual", clock });
    const asked = async (tool: string) => {
      const verdict = await guard.propose({ tool, args: { n: 1 } });
      return verdict.kind === "approval_required" ? verdict.approvalId : told(verdict);
    };
    const denied = await asked("pay");
    await guard.deny(denied, { by: "ann" });
    expect(told(await guard.resume(denied))).toBe("approval_denied");
    const silent = await asked("slow");
    clock.advance(60_000);
    const expired = await asked("pay");
    clock.advance(60_000);
    expect(told(await guard.resume(expired))).toBe("approval_expired");
    expect(told(await guard.resume(expired))).toBe("approval_expired");
    expect(await guard.resume(silent)).toEqual({ kind: "allow", callId: "call_2" });
    expect(guard.state().unsettled).toMatchObject([{ tool: "slow" }]);
  });
});

describe("a prior call in every step", () => {
  it("leaves no more behind than a precondition can ask for", () => {
    const { program, session, propose, settle } = sessionOf(`
#== look.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: look }]
`);
    for (let step = 0; step < 100; step++) {
      advance(program, session, { kind: "step_begun" });
      const verdict = propose("look", {});
      settle(verdict.kind === "allow" ? verdict.callId : "", "committed");
    }
    const kept = session.priors.flatMap((byEntity) => [...byEntity.values()].map((priors) => priors.length));
    expect(kept).toEqual([2]);
    expect(told(propose("pay", {}))).toBe("allow");
  });
});

describe("calls committed at dispatch whose outputs have not come", () => {
  it("share what they wrote, however many there are, and the last one that counts is found", () => {
    const { session, propose, settle } = sessionOf(`
#== pay.yaml (with the required fields)
side_effect: write
commit_requirement: none
binds: [{ name: receipt, source: output, path: $.id }]
`);
    for (let at = 0; at < MANY; at++) propose("pay", { at });
    const before = session.slots.get("receipt");
    propose("pay", {});
    expect(session.slots.get("receipt")?.before).toBe(before);
    settle(`call_${MANY - 1}`, "committed", { id: 7 });
    expect(session.slots.get("receipt")?.before?.before).toMatchObject({ last: { value: 7 }, before: null });
    settle(`call_${MANY + 1}`, "committed", { id: 8 });
    expect(session.slots.get("receipt")).toMatchObject({ last: { value: 8 }, before: null });
    settle(`call_${MANY}`, "committed", { id: 9 });
    expect(session.slots.get("receipt")).toMatchObject({ last: { value: 8 }, before: null });
  });
});

describe("a call whose output may be no JSON", () => {
  const PACK = `#== session.yaml (with the required fields)
aggregates:
  - name: paid
    metric: sum
    tool: pay
    path: "$.amount"
    lte: 100
    reason: too much
    when: [{ binding: tier, equals: vip, then_lte: 1000 }]
#== pay.yaml (with the required fields)
side_effect: financial
binds: [{ name: tier, path: "$.tier", source: arguments }]
`;
  const ARGS = { amount: 60, tier: "vip" };

  it("may count without binding, also without rules on its output", async () => {
    const guard = await createGuard(artifactOf(PACK), {});
    const first = await guard.propose({ tool: "pay", args: ARGS });
    // Should the first turn out to be no JSON, 120 are paid, and nobody is known to be a vip.
    expect(await guard.propose({ tool: "pay", args: ARGS })).toMatchObject({
      kind: "block",
      reason: "aggregate_exceeded",
    });
    if (first.kind === "allow") await guard.settle(first.callId, { kind: "result", output: () => "no JSON" });
    expect(await guard.propose({ tool: "pay", args: ARGS })).toMatchObject({ reason: "aggregate_exceeded" });
  });

  it("binds once it was answered", async () => {
    const guard = await createGuard(artifactOf(PACK), {});
    const first = await guard.propose({ tool: "pay", args: ARGS });
    if (first.kind === "allow") await guard.settle(first.callId, { kind: "result", output: {} });
    expect(await guard.propose({ tool: "pay", args: ARGS })).toMatchObject({ kind: "allow" });
  });
});
