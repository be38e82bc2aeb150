import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

interface Report {
  readonly ok: boolean;
  readonly tests: readonly {
    readonly id: string;
    readonly ok: boolean;
    readonly expected: object;
    readonly actual: { readonly kind: string; readonly reason?: string; readonly rule?: object };
  }[];
  readonly summary: { readonly passed: number; readonly failed: number };
}

/** A pack of a shop: a lookup, a quote that binds a price, a payment with every kind of rule, and a report. */
const SHOP = `#== session.yaml (with the required fields)
phases: [{ name: start, initial: true }, { name: quoted }, { name: paid, terminal: true }]
transitions: { start: [quoted], quoted: [quoted, paid], paid: [] }
session_limits: { max_calls_per_tool: { pay: 2 } }
policy: { label_gates: [{ when_label: frozen, deny_tools: [pay], reason: frozen }] }
checkpoints:
  - { name: large, tool: pay, when: [{ path: $.amount, gte: 500 }], timeout_seconds: 60 }
#== look.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: $.found, equals: true }] }
#== quote.yaml (with the required fields)
transitions: { valid_in_phases: [start, quoted], advances_to: quoted }
binds: [{ name: price, path: $.price, source: output }, { name: item, path: $.item }]
#== tests/large.json
{ "item": "a", "amount": 900, "price": 5 }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [quoted] }
argument_value_invariants: [{ path: $.price, ref: price }, { path: $.item, ref: item }]
preconditions: [{ requires_prior_tool: look }]
`;

const WHO = `#== pay.yaml (with the required fields)
policy: { allow: [{ principal: { path: $.role, equals: clerk } }] }
`;

async function play(pack: string, cases: string, ...more: readonly string[]): Promise<Report> {
  return inPack(`${pack}golden_cases:\n${cases}`, async (folder) => {
    const { stdout, stderr } = await waitForCli(["test", folder, "--format", "json", ...more]);
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  });
}

const PAID = "arguments: { item: a, amount: 1, price: 5 }";
const LOOKED = "{ tool: look, output: { found: true } }";
const QUOTED = "{ tool: quote, arguments: { item: a }, output: { price: 5 } }";

/** What is given, and what the guard says then. */
const TABLE: readonly (readonly [string, string, object])[] = [
  ["nothing", PAID, { kind: "block", reason: "phase_not_allowed" }],
  ["a history that leads there", `${PAID}, given: { history: [${LOOKED}, ${QUOTED}] }`, { kind: "allow" }],
  [
    "a phase and bindings that no history leads to",
    `${PAID}, given: { phase: quoted, bindings: { price: 5, item: a }, history: [${LOOKED}] }`,
    { kind: "allow" },
  ],
  [
    "a phase alone: its slots are unset",
    `${PAID}, given: { phase: quoted, history: [${LOOKED}] }`,
    { kind: "block", reason: "ref_unset" },
  ],
  [
    "bindings alone: the phase is the initial one",
    `${PAID}, given: { bindings: { price: 5, item: a }, history: [${LOOKED}] }`,
    { kind: "block", reason: "phase_not_allowed" },
  ],
  [
    "a phase that outranks where the history leads",
    `${PAID}, given: { phase: start, history: [${LOOKED}, ${QUOTED}] }`,
    { kind: "block", reason: "phase_not_allowed" },
  ],
  [
    "bindings that outrank those of the history",
    `${PAID}, given: { bindings: { price: 6 }, history: [${LOOKED}, ${QUOTED}] }`,
    { kind: "block", reason: "ref_mismatch" },
  ],
  [
    "a history since the given phase and bindings",
    `${PAID}, given: { phase: quoted, bindings: { price: 5, item: a }, history: [${LOOKED}, { tool: pay, ${PAID} }] }`,
    { kind: "allow" },
  ],
  [
    "a history that uses up a limit",
    `${PAID}, given: { history: [${LOOKED}, ${QUOTED}, { tool: pay, ${PAID} }, { tool: pay, ${PAID} }] }`,
    { kind: "block", reason: "session_limit_exceeded" },
  ],
  [
    "a label, which is there when the call comes and not before",
    `${PAID}, given: { labels: [frozen], history: [${LOOKED}, ${QUOTED}, { tool: pay, ${PAID} }] }`,
    { kind: "block", reason: "label_gated" },
  ],
  [
    "a history without an output: what it binds stays unset",
    `${PAID}, given: { history: [${LOOKED}, { tool: quote, arguments: { item: a } }] }`,
    { kind: "block", reason: "ref_unset" },
  ],
  [
    "a call of the history that had to be approved",
    `${PAID}, given: { history: [${LOOKED}, ${QUOTED}, { tool: pay, arguments: { item: a, amount: 900, price: 5 } }] }`,
    { kind: "allow" },
  ],
  [
    "arguments of a file",
    `input_ref: tests/large.json, given: { history: [${LOOKED}, ${QUOTED}] }`,
    { kind: "approval_required", rule: { file: "session.yaml", line: 6 } },
  ],
  [
    "a history that the guard refuses",
    `${PAID}, given: { history: [{ tool: pay, ${PAID} }] }`,
    { kind: "history_refused", reason: "phase_not_allowed" },
  ],
  [
    "a history that is not possible in the given phase either",
    `${PAID}, given: { phase: paid, history: [${QUOTED}, { tool: pay, ${PAID} }] }`,
    { kind: "history_refused", reason: "prior_tool_missing" },
  ],
  [
    "a history with an output that the guard refuses",
    `${PAID}, given: { history: [{ tool: look, output: { found: false } }] }`,
    { kind: "history_refused", reason: "output_invariant_failed", rule: { file: "look.yaml", line: 1 } },
  ],
  [
    "provider modes, of which no verdict depends",
    `${PAID}, provider_modes: [openai, whatever], given: { history: [${LOOKED}, ${QUOTED}] }`,
    { kind: "allow" },
  ],
];

describe("what is given", () => {
  it.each(TABLE)("%s", async (_, given, actual) => {
    const { tests } = await play(SHOP, `  - { id: it, ${given}, expect_ok: true }\n`);
    expect(tests[0]?.actual).toMatchObject(actual);
  });

  it.each([
    ["the right principal", "given: { principal: { role: clerk } }, ", { kind: "allow" }],
    ["another", "given: { principal: { role: guest } }, ", { kind: "block", reason: "policy_denied" }],
    ["none where a rule asks for one", "", { kind: "not_started" }],
  ])("%s", async (_, given, actual) => {
    const { tests } = await play(WHO, `  - { id: it, arguments: {}, ${given}expect_ok: true }\n`);
    expect(tests[0]?.actual).toMatchObject(actual);
  });

  it("says how to give the principal that is missing, as a case that failed", async () => {
    const cases = "golden_cases:\n  - { id: it, arguments: {}, expect_ok: false }\n";
    const { code, stdout } = await inPack(`${WHO}${cases}`, (folder) => waitForCli(["check", folder]));
    expect(code).toBe(1);
    expect(stdout).toContain("[golden_case_failed]");
    expect(stdout).toContain("this pack has rules about the principal");
    expect(stdout).toContain("help: give `given.principal`");
  });

  it("the environment of the command", async () => {
    const pack = `#== pay.yaml (with the required fields)
execution_constraints: { arguments: [{ path: $.tenant, equals_env: TENANT }] }
golden_cases: [{ id: own, arguments: { tenant: acme }, expect_ok: true }]
`;
    await inPack(pack, async (folder) => {
      const args = ["test", folder, "--format", "json"];
      expect((await waitForCli(args, { env: { TENANT: "acme" } })).code).toBe(0);
      expect((await waitForCli(args, { env: { TENANT: "other" } })).code).toBe(1);
      expect((await waitForCli(args)).code).toBe(1);
    });
  });

  it("the environment of the command also where a refusal is expected: an unset variable refuses every call", async () => {
    const pack = `#== pay.yaml (with the required fields)
execution_constraints: { arguments: [{ path: $.tenant, equals_env: TENANT }] }
golden_cases:
  - { id: foreign, arguments: { tenant: other }, expect_ok: false, expected_error: execution_constraint_failed }
`;
    await inPack(pack, async (folder) => {
      expect((await waitForCli(["test", folder], { env: { TENANT: "acme" } })).code).toBe(0);
      const { code, stdout } = await waitForCli(["test", folder]);
      expect(code).toBe(1);
      expect(stdout).toContain("it cannot be judged: environment variable TENANT is unset");
      expect(stdout).toContain("help: set the variable where the cases are played");
    });
  });
});

const READY = `given: { history: [${LOOKED}, ${QUOTED}] }`;
const LARGE = "arguments: { item: a, amount: 900, price: 5 }";

/** What a case expects of a call, and whether the guard does that. */
const EXPECTATIONS: readonly (readonly [string, string, string, boolean])[] = [
  ["ok, allowed", `${PAID}, ${READY}`, "expect_ok: true", true],
  ["ok, refused", PAID, "expect_ok: true", false],
  ["ok, an approval asked for", `${LARGE}, ${READY}`, "expect_ok: true", false],
  ["not ok, allowed", `${PAID}, ${READY}`, "expect_ok: false", false],
  ["not ok, refused", PAID, "expect_ok: false", true],
  ["not ok, an approval asked for", `${LARGE}, ${READY}`, "expect_ok: false", true],
  ["a reason, refused for it", PAID, "expect_ok: false, expected_error: phase_not_allowed", true],
  ["a reason, refused for another", PAID, "expect_ok: false, expected_error: ref_unset", false],
  ["a reason, allowed", `${PAID}, ${READY}`, "expect_ok: false, expected_error: ref_unset", false],
  ["a reason, an approval asked for", `${LARGE}, ${READY}`, "expect_ok: false, expected_error: ref_unset", false],
  ["no approval, one asked for", `${LARGE}, ${READY}`, "expect_ok: false, expected_error: approval_denied", true],
  ["no approval, refused", PAID, "expect_ok: false, expected_error: approval_denied", false],
  [
    "not ok, after a history that is not possible",
    `${PAID}, given: { history: [{ tool: pay, ${PAID} }] }`,
    "expect_ok: false",
    false,
  ],
];

describe("what is expected", () => {
  it.each(EXPECTATIONS)("%s", async (_, call, expected, ok) => {
    const report = await play(SHOP, `  - { id: it, ${call}, ${expected} }\n`);
    expect(report.tests[0]?.ok).toBe(ok);
    expect(report).toMatchObject({ ok, summary: ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 } });
  });
});

it.each(["", ", output: { done: true }"])("a history of calls that commit at dispatch (%j)", async (output) => {
  const pack = `#== notify.yaml (with the required fields)
side_effect: write
evidence_class: unverifiable
commit_requirement: none
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: notify }]
`;
  const { tests } = await play(
    pack,
    `  - { id: it, arguments: {}, given: { history: [{ tool: notify${output} }] }, expect_ok: true }\n`,
  );
  expect(tests[0]?.actual).toEqual({ kind: "allow" });
});

describe("a workflow", () => {
  const pack = (ok: boolean) => `#== workflow.yaml (with the required fields)
roles: [{ name: payer, session_contract: payer/session.yaml }, { name: twin, session_contract: payer/session.yaml }]
handoffs: [{ from: payer, to: twin }]
#== payer/session.yaml (with the required fields)
#== payer/pay.yaml (with the required fields)
argument_value_invariants: [{ path: $.amount, lte: 10 }]
golden_cases: [{ id: much, input_ref: much.json, expect_ok: ${ok} }]
#== payer/much.json
{ "amount": 11 }
`;

  it.each([
    [false, 0],
    [true, 1],
  ])("has the cases of its roles' packs played once each (expect_ok: %s)", async (ok, exit) => {
    const { code, stdout } = await inPack(pack(ok), (folder) => waitForCli(["test", folder, "--format", "json"]));
    expect(code).toBe(exit);
    expect(JSON.parse(stdout).tests).toMatchObject([
      { id: "much", tool: "pay", file: "payer/pay.yaml", line: 2, actual: { reason: "argument_invariant_failed" } },
    ]);
  });
});

describe("check, compile and verify", () => {
  const failing =
    "#== pay.yaml (with the required fields)\ngolden_cases: [{ id: it, arguments: {}, expect_ok: false }]\n";

  it.each(["check", "compile", "verify"])(
    "%s fails on a failing case, and leaves the cases out with --no-golden",
    async (verb) => {
      await inPack(failing, async (folder) => {
        const run = await waitForCli([verb, folder, "--format", "json"]);
        expect(run.code).toBe(1);
        expect(JSON.parse(run.stdout)).toMatchObject({
          ok: false,
          artifact: null,
          diagnostics: [{ code: "golden_case_failed", file: "pay.yaml", line: 1 }],
        });
        expect((await waitForCli([verb, folder, "--no-golden"])).code).toBe(0);
      });
    },
  );
});

it("the artifact holds nothing of the cases", async () => {
  const pack = (cases: string) => `#== pay.yaml (with the required fields)\ngolden_cases: [${cases}]\n`;
  const hashOf = (cases: string) =>
    inPack(
      pack(cases),
      async (folder) => JSON.parse((await waitForCli(["check", folder, "--format", "json"])).stdout).artifact.hash,
    );
  expect(await hashOf("{ id: it, arguments: {}, expect_ok: true }")).toBe(await hashOf(""));
});

it.each(["minimal", "refunds", "trading", "code-review"])("the cases of contracts/%s all pass", async (pack) => {
  const { code, stdout } = await waitForCli(["test", `contracts/${pack}`, "--format", "json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, summary: { failed: 0 } });
  expect(JSON.parse(stdout).summary.passed).toBeGreaterThan(1);
});

describe("the time of a golden case", () => {
  const TIMED = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== cancel.yaml (with the required fields)
requires:
  - that: |
      now < timestamp("2024-05-15T15:00:00Z")
    reason: In time
`;

  it.each([
    ["2024-05-15T14:59:59.999Z", { kind: "allow" }],
    ["2024-05-15T16:59:59+02:00", { kind: "allow" }],
    ["2024-05-15T15:00:00Z", { kind: "block", reason: "requirement_failed" }],
  ])("is %s", async (now, actual) => {
    const { tests } = await play(TIMED, `  - { id: a, arguments: {}, given: { now: "${now}" }, expect_ok: true }`);
    expect(tests).toMatchObject([{ actual }]);
  });
});
