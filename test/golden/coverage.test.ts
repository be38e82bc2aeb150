import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { type Ran, waitForCli } from "../support/run-cli.js";

const CONTRACT = `#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: paid, terminal: true }]
transitions: { open: [paid] }
session_limits:
  max_steps: 1
  circuit_breaker: { consecutive_blocks: 2 }
policy:
  label_gates:
    - { when_label: secret, deny_tools: [look], reason: "Secrets stay here" }
#== shut.yaml (with the required fields)
gate: block
#== look.yaml (with the required fields)
assertions:
  input_invariants: []
  output_invariants:
    - { path: $.price, type: number }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: paid }
argument_value_invariants:
  - { path: $.amount, lte: 10 }
checkpoint:
  when: [{ path: $.amount, gte: 5 }]
  timeout_seconds: 60
  on_timeout: deny
`;

/** The sides of each rule that a scenario exercises, by the rule's id without its place. */
async function sidesOf(steps: string, more = ""): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await covered(
    `${CONTRACT}#== tests/it.yaml\nname: it\n${more}steps:\n${steps}`,
    "--format",
    "json",
  );
  const { coverage, tests } = JSON.parse(stdout);
  expect(tests).toMatchObject([{ ok: true }]);
  const rules: readonly { id: string; passed: unknown; refused: unknown }[] = coverage.rules;
  return Object.fromEntries(rules.map(({ id, passed, refused }) => [id.replace(/@.*/, ""), [passed, refused]]));
}

function covered(pack: string, ...args: readonly string[]): Promise<Ran> {
  return inPack(pack, (folder) => waitForCli(["test", ".", "--coverage", ...args], { cwd: folder }));
}

const NOTHING = {
  max_steps: [false, false],
  gate: [null, false],
  label_gate: [false, false],
  output_invariant: [false, false],
  phase: [false, false],
  argument_invariant: [false, false],
  checkpoint: [false, false],
  circuit_breaker: [false, false],
};

describe("contracts test --coverage", () => {
  it.each([
    [
      "an allowed call passes every rule of its tool, but no rule on its output",
      "  - { call: pay, args: { amount: 1 } }",
      { max_steps: [true, false], phase: [true, false], argument_invariant: [true, false], checkpoint: [true, false] },
    ],
    [
      "a refused call passes the rules before the one that refuses",
      "  - { call: pay, args: { amount: 11 }, expect: block }",
      {
        max_steps: [true, false],
        phase: [true, false],
        argument_invariant: [false, true],
        circuit_breaker: [true, false],
      },
    ],
    [
      "a call that needs an approval passes all but the checkpoint",
      "  - { call: pay, args: { amount: 5 }, expect: approval }",
      { max_steps: [true, false], phase: [true, false], argument_invariant: [true, false], checkpoint: [false, true] },
    ],
    [
      "an accepted output passes its rules",
      "  - { call: look, output: { price: 1 } }",
      { max_steps: [true, false], label_gate: [true, false], output_invariant: [true, false] },
    ],
    [
      "a rejected output does not",
      "  - { call: look, output: { price: dear }, reason: output_invariant_failed }",
      { max_steps: [true, false], label_gate: [true, false], output_invariant: [false, true] },
    ],
    [
      "a call that happened without a known output says nothing about rules on outputs",
      "  - { call: look }\n  - { settle: { as: happened } }",
      { max_steps: [true, false], label_gate: [true, false] },
    ],
    [
      "a gate has one side only",
      "  - { call: shut, expect: block }",
      { gate: [null, true], circuit_breaker: [true, false] },
    ],
    [
      "a label gate refuses",
      "  - { label: secret }\n  - { call: look, expect: block }",
      { label_gate: [false, true], circuit_breaker: [true, false] },
    ],
    [
      "a breaker ends the session, whose later calls say nothing",
      "  - { call: shut, expect: block }\n  - { call: shut, expect: block }\n  - { call: pay, args: { amount: 1 }, expect: block }",
      { gate: [null, true], circuit_breaker: [true, true] },
    ],
    [
      "a refused step is a refusal by the limit of steps",
      "  - { step: true }\n  - { step: true, expect: block }",
      { max_steps: [false, true] },
    ],
  ])("%s", async (_, steps, expected) => {
    expect(await sidesOf(`${steps}\n`)).toEqual({ ...NOTHING, ...expected });
  });

  it("does not count the first attempt of a golden case whose history needs its bindings", async () => {
    const golden = `golden_cases:
  - id: again
    arguments: { id: a }
    given: { bindings: { seen: a }, history: [{ tool: use, arguments: { id: a } }] }
    expect_ok: true
argument_value_invariants: [{ path: $.id, ref: seen }]
`;
    const look = "#== look.yaml (with the required fields)\nbinds: [{ name: seen, source: output, path: $.id }]\n";
    const { stdout } = await covered(`${look}#== use.yaml (with the required fields)\n${golden}`, "--format", "json");
    const { rules } = JSON.parse(stdout).coverage;
    expect(rules).toMatchObject([{ id: "ref@use.yaml:6", passed: true, refused: false }]);
  });

  it.each([
    ["an accepted output passes a guarantee", "output: { paid: 5 }", [true, false]],
    ["a rejected one does not", "output: { paid: 6 }, reason: guarantee_failed", [false, true]],
    ["nor does a call without an output", "", [false, false]],
  ])("%s", async (_, ending, expected) => {
    const pack = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
ensures: [{ that: output.paid <= 5, reason: At most five }]
#== tests/it.yaml
name: it
steps: [{ call: pay, ${ending} }]
`;
    const { rules } = JSON.parse((await covered(pack, "--format", "json")).stdout).coverage;
    expect(rules).toMatchObject([{ id: "ensures@pay.yaml:1", passed: expected[0], refused: expected[1] }]);
  });

  const SMALL = `#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: $.amount, lte: 10 }
#== tests/it.yaml
name: it
steps:
  - { call: pay, args: { amount: 11 }, expect: block }
`;

  it("reports what is uncovered with its place and the missing sides, and fails below the minimum only", async () => {
    expect(await covered(SMALL)).toEqual({
      code: 0,
      stdout:
        "1 test: 1 passed, 0 failed\n" +
        "UNCOVERED pay.yaml:2 not exercised on its passing side: The argument $.amount must be at most 10.\n" +
        "coverage: 50 % (0 of 1 rules on every side)\n",
      stderr: "",
    });
    expect((await covered(SMALL, "--min", "50")).code).toBe(0);
    expect((await covered(SMALL, "--min", "51")).code).toBe(1);
  });

  it.each([
    [["--min", "101"], "expected a number from 0 to 100"],
    [["--format", "junit"], "--coverage prints rules, which --format junit has no place for"],
  ])("rejects %j", async (args, message) => {
    const { code, stderr } = await covered(SMALL, ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("rejects a minimum without coverage, and adds nothing where it is not asked for", async () => {
    const test = (...args: readonly string[]) => inPack(SMALL, (cwd) => waitForCli(["test", ".", ...args], { cwd }));
    expect(await test("--min", "5")).toMatchObject({ code: 2, stderr: expect.stringContaining("give --coverage too") });
    expect(JSON.parse((await test("--format", "json")).stdout)).not.toHaveProperty("coverage");
  });
});
