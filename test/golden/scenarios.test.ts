import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const PACK = `#== session.yaml
schema_version: "1.0"
agent: desk
phases: [{ name: open, initial: true }, { name: closed, terminal: true }]
transitions: { open: [closed] }
session_limits: { max_steps: 4, max_cost_per_session: 2 }
policy:
  label_gates: [{ when_label: fraud, deny_tools: [issue_refund], reason: No refund under suspicion of fraud }]
aggregates: [{ name: refunded, metric: sum, tool: issue_refund, path: $.amount, lte: 100, reason: At most 100 are refunded }]
#== get_order.yaml (with the required fields)
side_effect: read
binds: [{ name: order_id, source: output, path: $.id }]
#== issue_refund.yaml (with the required fields)
side_effect: financial
preconditions: [{ requires_prior_tool: get_order }]
argument_value_invariants: [{ path: $.id, ref: order_id }]
assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true }] }
checkpoint: { when: [{ path: $.amount, gte: 50 }], timeout_seconds: 60, on_timeout: deny }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: closed }
`;

/** A command on the pack with a scenario. */
function on(scenario: string, command: string, ...args: readonly string[]) {
  return inPack(
    `${PACK}#== tests/s.yaml
${scenario}`,
    (folder) => waitForCli([command, folder, ...args]),
  );
}

function run(steps: string, ...args: readonly string[]) {
  return on(
    `name: s
steps:
${steps.replaceAll(/^/gm, "  ")}`,
    "test",
    ...args,
  );
}

const ORDER = "- { call: get_order, args: { id: o1 }, output: { id: o1 } }";

describe("a scenario", () => {
  it.each([
    ["calls that are allowed", `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 5 }, output: { ok: true } }`],
    [
      "a refused call and its reason",
      "- { call: issue_refund, args: { id: o1 }, expect: block, reason: prior_tool_missing }",
    ],
    [
      "an approval, and the call after it",
      `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 60 }, output: { ok: true }, expect: approval }\n- approve: ann\n- { call: issue_refund, args: { id: o1, amount: 41 }, expect: block, reason: aggregate_exceeded }`,
    ],
    [
      "a denial",
      `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 60 }, expect: approval }\n- { deny: ann, reason: approval_denied }`,
    ],
    [
      "an approval that comes too late",
      `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 60 }, expect: approval }\n- advance_clock: 1m\n- { approve: ann, expect: block, reason: approval_expired }`,
    ],
    [
      "a label",
      `${ORDER}\n- label: fraud\n- { call: issue_refund, args: { id: o1, amount: 5 }, expect: block, reason: label_gated }`,
    ],
    [
      "steps up to their limit",
      "- step: true\n- step: true\n- step: true\n- step: true\n- { step: true, expect: block }",
    ],
    ["cost", "- cost: 2\n- { call: get_order, args: { id: o1 }, expect: block, reason: session_limit_exceeded }"],
    [
      "an unsettled call that counts until it did not happen",
      `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 49 } }\n- { call: issue_refund, args: { id: o1, amount: 49 } }\n- { call: issue_refund, args: { id: o1, amount: 10 }, expect: block }\n- settle: { as: timeout }\n- settle: { as: did_not_happen }\n- { call: issue_refund, args: { id: o1, amount: 10 }, output: { ok: true } }`,
    ],
    [
      "a call that an error left open until somebody says what became of it",
      `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 49 }, error: { status: 503 } }\n- { call: issue_refund, args: { id: o1, amount: 45 } }\n- settle: { error: { status: 500 }, call: issue_refund }\n- { call: issue_refund, args: { id: o1, amount: 10 }, expect: block }\n- settle: { as: did_not_happen }\n- settle: { as: did_not_happen }\n- { call: issue_refund, args: { id: o1, amount: 10 }, output: { ok: true } }`,
    ],
    [
      "an output that is rejected",
      `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 5 }, output: { ok: false }, reason: output_invariant_failed }`,
    ],
    [
      "an error, which proves that nothing happened",
      "- { call: close, error: not today }\n- { call: close, output: {} }",
    ],
  ])("plays %s", async (_, steps) => {
    expect(await run(steps)).toMatchObject({ code: 0, stdout: "1 test: 1 passed, 0 failed\n" });
  });

  it("says the step that failed, what was expected and what happened, and the rule", async () => {
    const { code, stdout } = await run(`${ORDER}\n- { call: issue_refund, args: { id: o2, amount: 5 } }`);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAIL tests\/s\.yaml:4 the scenario `s` expects the call of `issue_refund` in step 2 to be allowed, but the guard refuses it with `ref_mismatch` \(required: .*; found: "o2"\); rule: issue_refund\.yaml:\d+; help: .*\n1 test: 0 passed, 1 failed\n$/,
    );
  });

  it.each([
    ["the guard allows it", "- { call: get_order, args: { id: o1 }, expect: block }"],
    [
      "with `forbidden_after`, but the guard refuses it with `prior_tool_missing`",
      "- { call: issue_refund, expect: block, reason: forbidden_after }",
    ],
    ["no call waits for an approval", "- approve: ann"],
    ["no call is unsettled", "- settle: { as: happened }"],
    [
      "no call of `close` is unsettled",
      "- call: get_order\n  args: { id: o1 }\n- settle: { as: happened, call: close }",
    ],
    [
      "its output is rejected with `output_invariant_failed`",
      `${ORDER}\n- { call: issue_refund, args: { id: o1, amount: 5 }, output: {} }`,
    ],
  ])("fails where %s", async (message, steps) => {
    const { code, stdout } = await run(steps);
    expect(code).toBe(1);
    expect(stdout).toContain(message);
  });

  it("compares the parts of the state that it names", async () => {
    const ending = (state: string) => on(`name: s\nsteps: [{ call: close, output: {} }]\nstate: ${state}\n`, "test");
    expect(await ending("{ phase: closed, aggregates: { refunded: 0 }, labels: [] }")).toMatchObject({ code: 0 });
    const { code, stdout } = await ending("{ phase: open }");
    expect(code).toBe(1);
    expect(stdout).toContain('the scenario `s` ends with `phase` other than "open": the state has "closed" in `phase`');
  });

  it("begins where `given` says", async () => {
    const scenario = `name: s
given: { phase: closed, labels: [fraud], bindings: { order_id: o9 } }
steps: [{ call: close, expect: block, reason: phase_not_allowed }]
state: { labels: [fraud], bindings: { order_id: o9 } }
`;
    expect(await on(scenario, "test")).toMatchObject({ code: 0 });
  });

  it("has a history since `given` was reached, where no session begins with it", async () => {
    const scenario = `name: s
given: { phase: closed, bindings: { order_id: o9 }, history: [{ tool: reopen, arguments: { id: o9 } }] }
steps: [{ call: reopen, args: { id: o9 } }]
`;
    const pack = `${PACK}#== reopen.yaml (with the required fields)
transitions: { valid_in_phases: [closed] }
argument_value_invariants: [{ path: $.id, ref: order_id }]
#== tests/s.yaml
`;
    const test = (text: string) => inPack(`${pack}${text}`, (folder) => waitForCli(["test", folder]));
    expect(await test(scenario)).toMatchObject({ code: 0 });
    const { code, stdout } = await test(scenario.replace("{ id: o9 } }] }", "{ id: o8 } }] }"));
    expect(code).toBe(1);
    expect(stdout).toContain("call 1 of its history, `reopen`, is refused");
  });

  it("is chosen by its name, and printed for programs", async () => {
    const { stdout } = await run(ORDER, "--only", "s", "--format", "json");
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      tests: [
        {
          ...{ id: "s", tool: "get_order", file: "tests/s.yaml", line: 3, ok: true },
          expected: { kind: "allow" },
          actual: { kind: "allow" },
        },
      ],
      summary: { passed: 1, failed: 0 },
    });
    const unknown = await run(ORDER, "--only", "t");
    expect(unknown.stderr).toContain("there is no golden case or scenario `t`");
    expect((await run("- { call: close, expect: block }", "--format", "junit")).stdout).toContain(
      '<failure type="scenario_failed" message="the scenario `s` expects',
    );
  });

  it("is checked with the pack, at its own place", async () => {
    const { code, stderr, stdout } = await on("name: s\nsteps:\n  - { cal: close }\n", "check");
    expect(code).toBe(1);
    expect(`${stderr}${stdout}`).toContain("tests/s.yaml:3");
    expect(`${stderr}${stdout}`).toContain("did you mean `call`?");
  });
});
