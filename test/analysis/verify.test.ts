import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS } from "../../src/analysis/default-bounds.js";
import type { Verification } from "../../src/analysis/verification.js";
import { verify } from "../../src/analysis/verify.js";
import { PackRules } from "../../src/artifact/pack-rules.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

async function verified(text: string, bounds = DEFAULT_BOUNDS): Promise<Verification> {
  const { artifact, claims, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const [only] = await verify(artifact, claims, bounds);
  if (only === undefined) throw new Error("a pack without tools");
  return only;
}

const statusOf = ({ rules }: Verification, kind: string) =>
  rules.filter(({ rule }) => rule.startsWith(`${kind}@`)).map(({ status }) => status);

const PHASES = `#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: done, terminal: true }
transitions:
  open: [done]
`;

describe("rules", () => {
  it("fire where a call is refused by them alone, at the end of a shortest session", async () => {
    const found = await verified(`#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.amount", lte: 100 }
preconditions:
  - { requires_prior_tool: check, with_output: [{ path: "$.ok", equals: true }] }
#== check.yaml (with the required fields)
`);
    expect(statusOf(found, "argument_invariant")).toEqual(["fires"]);
    expect(statusOf(found, "precondition")).toEqual(["fires"]);
    const precondition = found.rules.find(({ rule }) => rule.startsWith("precondition@"));
    expect(precondition?.trace?.steps).toHaveLength(1);
    const amount = found.rules.find(({ rule }) => rule.startsWith("argument_invariant@"))?.trace?.steps.at(-1);
    expect(amount).toMatchObject({ kind: "call", tool: "pay", verdict: { reason: "argument_invariant_failed" } });
    expect(found.tools.map(({ tool, trace }) => [tool, trace?.steps.length])).toEqual([
      ["check", 1],
      ["pay", 2],
    ]);
  });

  it("that refuse only what another refuses too are reported so, with the other", async () => {
    const found = await verified(`#== pay.yaml (with the required fields)
assertions:
  input_invariants:
    - { path: "$.amount", type: number, lte: 100 }
  output_invariants: []
argument_value_invariants:
  - { path: "$.amount", lte: 200 }
`);
    expect(found.rules.map(({ rule, status, others }) => [rule, status, others])).toEqual([
      ["input_invariant@pay.yaml:3", "fires", []],
      ["argument_invariant@pay.yaml:6", "never_alone", ["input_invariant@pay.yaml:3"]],
    ]);
  });

  it("that can refuse nothing are found out", async () => {
    const found = await verified(`${PHASES}#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
forbids_after: [note]
preconditions: [{ requires_step_count: { gte: 0 } }]
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`);
    expect(statusOf(found, "precondition")).toEqual(["cannot_fire"]);
    expect(statusOf(found, "forbidden_by")).toEqual(["fires"]);
  });

  it("that need many calls are driven to their bound", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
session_limits:
  max_tool_calls: 30
  max_calls_per_tool: { pay: 4 }
  loop_detection: { window: 6, threshold: 3 }
  max_cost_per_session: 2
  circuit_breaker: { consecutive_blocks: 3, consecutive_errors: 2 }
aggregates:
  - { name: paid, metric: sum, tool: pay, path: "$.amount", lte: 250, reason: enough }
  - { name: payees, metric: count_distinct, tool: pay, path: "$.to", lte: 2, reason: few }
#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.amount", gte: 1, lte: 100 }
  - { path: "$.to", regex: "^acc_[0-9]+$" }
#== look.yaml (with the required fields)
`);
    const unseen = found.rules.filter(({ status }) => status !== "fires").map(({ rule }) => rule);
    expect(unseen).toEqual([]);
    const length = (kind: string) => found.rules.find(({ rule }) => rule.startsWith(kind))?.trace?.steps.length;
    expect(length("max_calls_per_tool@")).toBe(5);
    expect(length("aggregate@session.yaml:8")).toBe(3);
  });

  it("are shown without calls that make no difference, also where a longer way was found first", async () => {
    const { artifact, claims } = compileFolder("contracts/refunds");
    if (artifact === null) throw new Error("the example does not compile");
    const [found] = await verify(artifact, claims);
    const prior = found?.rules.find(({ rule }) => rule.startsWith("precondition@issue_refund.yaml"));
    const tools = prior?.trace?.steps.map((step) => (step.kind === "call" ? step.tool : step.kind));
    expect(tools).toEqual(["step", "verify_identity", "check_eligibility", "issue_refund"]);
  });

  it("for many tools are tried with those that can be called", async () => {
    const names = Array.from({ length: 7 }, (_, at) => `tool_${at}`);
    const shut = names
      .slice(0, 6)
      .map(
        (name) => `#== ${name}.yaml (with the required fields)\npreconditions: [{ requires_prior_tool: ${name} }]\n`,
      );
    const found = await verified(`#== session.yaml (with the required fields)
session_limits: { max_tool_calls: 30 }
${shut.join("")}#== tool_6.yaml (with the required fields)
`);
    expect(statusOf(found, "max_tool_calls")).toEqual(["fires"]);
  });

  it("are not called impossible where a count grows too slowly to be followed to its bound", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: paid }
  - { name: done, terminal: true }
transitions: { open: [paid, done], paid: [open] }
aggregates: [{ name: payments, metric: count, tool: pay, lte: 100000, reason: enough }]
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: paid }
#== reopen.yaml (with the required fields)
transitions: { valid_in_phases: [paid], advances_to: open }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`);
    expect(statusOf(found, "aggregate")).toEqual(["not_shown"]);
  });

  it("are not called impossible where a bound was hit before an answer", async () => {
    const text = `#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 40 } }
#== pay.yaml (with the required fields)
`;
    expect(statusOf(await verified(text), "max_calls_per_tool")).toEqual(["fires"]);
    const bounded = await verified(text, { depth: 10, states: 100 });
    expect(statusOf(bounded, "max_calls_per_tool")).toEqual(["not_shown"]);
    expect(bounded.bounds.hit).toContain("depth");
  });
});

describe("tools", () => {
  it("that no session may call are found out", async () => {
    const found = await verified(`#== a.yaml (with the required fields)
preconditions: [{ requires_prior_tool: b }]
#== b.yaml (with the required fields)
preconditions: [{ requires_prior_tool: a }]
#== c.yaml (with the required fields)
`);
    expect(found.tools.map(({ tool, status }) => [tool, status])).toEqual([
      ["a", "never_allowed"],
      ["b", "never_allowed"],
      ["c", "allowed"],
    ]);
  });

  it("are called by a principal that the policies let through", async () => {
    const found = await verified(`#== pay.yaml (with the required fields)
policy:
  allow: [{ principal: { path: "$.department", equals: "finance" } }]
  deny: [{ principal: { path: "$.type", equals: "readonly" } }]
`);
    expect(found.tools[0]?.trace?.principal).toMatchObject({ department: "finance" });
    expect(found.rules.map(({ status }) => status)).toEqual(["fires", "fires"]);
  });
});

describe("claims", () => {
  const pack = (claim: string, more = "") => `#== claims.yaml (with the required fields)
claims:
  - ${claim}
${PHASES}${more}#== verify.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
#== pay.yaml (with the required fields)
side_effect: financial
transitions: { valid_in_phases: [open] }
argument_value_invariants:
  - { path: "$.amount", gte: 1 }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`;
  const steps = ({ claims }: Verification) =>
    claims[0]?.trace?.steps.map((step) => (step.kind === "call" ? step.tool : step.kind));

  it.each([
    ["never: { tool: pay, without_prior: verify }", ["pay"]],
    ["never: { tool: pay, after: verify }", ["verify", "pay"]],
    ["at_most: { tool: pay, calls: 2 }", ["pay", "pay", "pay"]],
    ["never: { tool: pay, when_label: tainted }", ["label", "pay"]],
    ['requires_approval: { tool: pay, when: [{ path: "$.amount", gte: 500 }] }', ["pay"]],
  ])("that do not hold have a shortest counterexample: %s", async (claim, expected) => {
    const found = await verified(pack(claim));
    expect(found.claims.map(({ status }) => status)).toEqual(["violated"]);
    expect(steps(found)).toEqual(expected);
    const last = found.claims[0]?.trace?.steps.at(-1);
    expect(last).toMatchObject({ kind: "call", tool: "pay", verdict: { kind: "allow" } });
  });

  it("that follow from the rules are proved; that a phase stays reachable never is", async () => {
    const gate = `policy:
  label_gates: [{ when_label: tainted, deny_tools: [pay], reason: tainted }]
session_limits: { max_calls_per_tool: { pay: 2 } }
checkpoints:
  - { name: large, tool: pay, when: [{ path: "$.amount", gte: 400 }], timeout_seconds: 60 }
`;
    const claims = `never: { tool: pay, after: close }
  - never: { tool: pay, when_label: tainted }
  - at_most: { tool: pay, calls: 2 }
  - requires_approval: { tool: pay, when: [{ path: "$.amount", gte: 500 }] }
  - always_possible: { reach: terminal }`;
    const found = await verified(pack(claims, gate));
    expect(found.claims.map(({ status }) => status)).toEqual([
      "proved",
      "proved",
      "proved",
      "proved",
      "no_counterexample",
    ]);
    expect(found.claims.map(({ by }) => by)).toEqual(["phase_left", "label_gate", "call_limit", "checkpoint", null]);
    const [, , , , reachable] = found.claims;
    expect(reachable?.states).toBeGreaterThan(0);
    expect(reachable?.met).toContain("sampled_values");
  });

  it("that a phase stays reachable does not hold where a second value leaves no way", async () => {
    const found = await verified(`#== claims.yaml (with the required fields)
claims: [{ always_possible: { reach: terminal } }]
${PHASES}#== choose.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
binds: [{ name: chosen, path: "$.id", source: arguments }]
#== confirm.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
forbids_after: [choose, confirm]
binds: [{ name: confirmed, path: "$.id", source: arguments }]
preconditions: [{ requires_prior_tool: choose, resource: { bind_from: arguments, path: "$.id" } }]
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
preconditions: [{ requires_prior_tool: confirm, resource: { bind_from: arguments, path: "$.id" } }]
argument_value_invariants: [{ path: "$.id", ref: chosen }]
`);
    expect(found.claims.map(({ status }) => status)).toEqual(["violated"]);
    expect(steps(found)).toEqual(["choose", "choose", "confirm"]);
  });

  it.each([
    ['when: [{ path: "$.amount", gte: 600 }]', "violated"],
    ['when: [{ path: "$.amount", lte: 500 }]', "violated"],
    ['when: [{ path: "$.other", gte: 400 }]', "violated"],
    ['when: [{ path: "$.amount", gte: 400 }, { path: "$.region", equals: eu }], match: all', "violated"],
    ['when: [{ path: "$.amount", gte: 400 }, { path: "$.region", equals: eu }], match: any', "proved"],
    ['when: [{ path: "$.amount", gte: 400 }, { path: "$.amount", gte: 10 }], match: all', "proved"],
    ["when: always", "proved"],
  ])("about approval hold by a checkpoint that asks about no fewer calls: %s", async (when, status) => {
    const gate = `checkpoints: [{ name: large, tool: pay, ${when}, timeout_seconds: 60 }]\n`;
    const claim = 'requires_approval: { tool: pay, when: [{ path: "$.amount", gte: 500 }] }';
    const found = await verified(pack(claim, gate));
    expect(found.claims.map((result) => result.status)).toEqual([status]);
  });

  it("about approval of several values name a call as soon as one of them meets the condition, as a checkpoint does", async () => {
    const claim = 'requires_approval: { tool: pay, when: [{ path: "$.amounts[*]", gte: 500 }] }';
    const first = pack(claim).replace('{ path: "$.amount", gte: 1 }', '{ path: "$.amounts[0]", lte: 100 }');
    expect((await verified(first)).claims.map(({ status }) => status)).toEqual(["violated"]);
    const when = 'when: [{ path: "$.amounts[*]", gte: 500 }]';
    const gate = `checkpoints: [{ name: large, tool: pay, ${when}, timeout_seconds: 60 }]\n`;
    const { claims } = await verified(pack(claim, gate));
    expect(claims.map(({ status }) => status)).toEqual(["proved"]);
    expect(claims[0]?.text).toBe("`pay` needs an approval when any of $.amounts[*] at least 500");
  });

  it("that a phase stays reachable does not hold where rules together leave no way", async () => {
    const found = await verified(
      pack("always_possible: { reach: terminal }").replace(
        "#== verify.yaml (with the required fields)\n",
        "#== verify.yaml (with the required fields)\nforbids_after: [close]\n",
      ),
    );
    expect(found.claims.map(({ status }) => status)).toEqual(["violated"]);
    expect(steps(found)).toEqual(["verify"]);
  });

  it("that a phase stays reachable is not refuted by a session that the loop detection refuses", async () => {
    const found = await verified(`#== claims.yaml (with the required fields)
claims:
  - always_possible: { reach: terminal }
${PHASES}session_limits: { loop_detection: { window: 5, threshold: 3 } }
aggregates:
  - { name: all, metric: count, tool: [note, close], lte: 3, reason: few }
#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`);
    expect(found.claims.map(({ status, trace }) => [status, trace])).toEqual([["no_counterexample", null]]);
  });

  it("about order are tried with a call that takes effect late", async () => {
    const found = await verified(`#== claims.yaml (with the required fields)
claims:
  - never: { tool: pay, after: close }
#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: ready }
  - { name: done, terminal: true }
transitions: { open: [ready, done], ready: [done, ready] }
#== prepare.yaml (with the required fields)
transitions: { valid_in_phases: [open, ready], advances_to: ready }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open, ready], advances_to: done }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [ready] }
`);
    expect(found.claims.map(({ status }) => status)).toEqual(["violated"]);
    expect(steps(found)).toEqual(["prepare", "close", "settle", "pay"]);
  });
});

describe("sessions that get stuck", () => {
  it("are found where rules together leave no way out", async () => {
    const found = await verified(`${PHASES}#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
forbids_after: [close]
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`);
    expect(found.stuck.map(({ phase, cause, trace }) => [phase, cause, trace.steps.length])).toEqual([
      ["open", "rules", 1],
    ]);
  });

  it("are found where a label shuts the way, and only then", async () => {
    const found = await verified(`${PHASES}policy:
  label_gates: [{ when_label: tainted, deny_tools: [close], reason: tainted }]
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`);
    expect(found.stuck.map(({ cause, trace }) => [cause, trace.steps.map(({ kind }) => kind)])).toEqual([
      ["label", ["label"]],
    ]);
  });

  it("are not taken from sessions that were not followed to their end", async () => {
    const text = `#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: ready }
  - { name: done, terminal: true }
transitions: { open: [ready], ready: [done] }
#== prepare.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: ready }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [ready], advances_to: done }
`;
    expect((await verified(text, { depth: 1, states: 100 })).stuck).toEqual([]);
  });

  it("are not taken from sessions that only have to go on for some steps", async () => {
    const found = await verified(`${PHASES}#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
preconditions: [{ requires_step_count: { gte: 3 } }]
`);
    expect(found.stuck).toEqual([]);
  });

  it("are distinguished from those that used up their calls", async () => {
    const found = await verified(`${PHASES}session_limits: { max_tool_calls: 3 }
#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`);
    expect(found.stuck.map(({ cause, isProved }) => [cause, isProved])).toEqual([["limits", true]]);
  });
});

describe("the example packs", () => {
  it.each(["minimal", "refunds", "trading", "code-review"])(
    "have tools that can be called, rules that refuse something and claims that hold: %s",
    async (name) => {
      const { artifact, claims } = compileFolder(new URL(`../../contracts/${name}`, import.meta.url).pathname);
      if (artifact === null) throw new Error("an example that does not compile");
      const packs = artifact.packs.filter(({ tools }) => tools.length > 0);
      for (const [index, found] of (await verify(artifact, claims)).entries()) {
        const pack = packs[index];
        if (pack === undefined) throw new Error("a pack too many");
        expect(found.rules.map(({ rule }) => rule)).toEqual(new PackRules(pack).all.map(({ id }) => id));
        expect(found.rules.filter(({ trace, shown }) => trace === null && shown === undefined)).toEqual([]);
        expect(found.tools.filter(({ trace }) => trace === null)).toEqual([]);
        expect(found.claims.filter(({ status }) => status === "violated")).toEqual([]);
      }
    },
    120_000,
  );
});

describe("conditions on the principal as a whole", () => {
  it.each([
    ["a list", "allow", '{ path: "$[5]", equals: x }'],
    ["a text", "allow", '{ path: "$", type: string }'],
    ["a number", "deny", '{ path: "$", equals: 5 }'],
    ["a list", "deny", '{ path: "$[5]", equals: x }'],
  ])("are explored with principals that a guard starts with: %s, %s", async (_, list, principal) => {
    const found = await verified(`#== pay.yaml (with the required fields)
policy: { ${list}: [{ principal: ${principal} }] }
`);
    const principals = found.rules.flatMap(({ trace }) => (trace === null ? [] : [trace.principal]));
    expect(principals.filter((each) => typeof each !== "object" || Array.isArray(each))).toEqual([]);
  });
});
