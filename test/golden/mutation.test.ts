import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { type Ran, waitForCli } from "../support/run-cli.js";

const SESSION = `#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: paid, terminal: true }]
transitions: { open: [paid] }
session_limits: { max_tool_calls: 4 }
`;
const PAY = `#== pay.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open], advances_to: paid }
argument_value_invariants:
  - { path: $.amount, gte: 1, lte: 10 }
assertions:
  input_invariants: []
  output_invariants: [{ path: $.paid, equals: true }]
checkpoint: { when: [{ path: $.amount, gte: 5 }], timeout_seconds: 60, on_timeout: deny }
`;
const PACK = `${SESSION}${PAY}#== look.yaml (with the required fields)\n`;

/** Far more than it takes: a machine may be busy. */
const TIMEOUT = 60_000;

function mutated(pack: string, ...args: readonly string[]): Promise<Ran> {
  return inPack(pack, (cwd) => waitForCli(["test", ".", "--mutate", ...args], { cwd }));
}

interface Report {
  readonly score: number;
  readonly killed: number;
  readonly survived: number;
  readonly redundant: number;
  readonly survivors: readonly { readonly change: string; readonly scenario: string | null }[];
}

async function reportIn(cwd: string): Promise<Report & { readonly code: number }> {
  const { code, stdout } = await waitForCli(["test", ".", "--mutate", "--format", "json"], { cwd });
  return { code, ...JSON.parse(stdout).mutation };
}

describe("contracts test --mutate", () => {
  it(
    "prints scenarios that pass, and notice every mutant once they are in tests/",
    () =>
      inPack(PACK, async (folder) => {
        const before = await reportIn(folder);
        expect(before).toMatchObject({ code: 1, score: 0, killed: 0, redundant: 0 });
        expect(before.survived).toBe(before.survivors.length);
        const scenarios = new Set(before.survivors.map(({ scenario }) => scenario));
        expect(scenarios).not.toContain(null);
        mkdirSync(join(folder, "tests"));
        for (const [index, scenario] of [...scenarios].entries()) {
          writeFileSync(join(folder, `tests/${index}.yaml`), scenario ?? "");
        }
        const after = await reportIn(folder);
        expect(after).toEqual({
          ...{ code: 0, score: 100, killed: before.survived, survived: 0, redundant: 0, survivors: [] },
        });
      }),
    TIMEOUT,
  );

  const LIMIT = "#== pay.yaml (with the required fields)\nargument_value_invariants: [{ path: $.amount, lte: 10 }]\n";

  it("reports the rule, the change and a scenario, and fails", async () => {
    const far = "#== tests/far.yaml\nname: far\nsteps: [{ call: pay, args: { amount: 99 }, expect: block }]\n";
    expect(await mutated(`${LIMIT}${far}`)).toEqual({
      code: 1,
      stdout: `1 test: 1 passed, 0 failed
SURVIVED pay.yaml:1 weakened to: The argument $.amount must be at most 11. It was: The argument $.amount must be at most 10.
# a scenario that notices it, for a file in tests/
name: "pay: The argument $.amount must be at most 10, exactly"
steps:
  - call: pay
    args: {"amount":11}
    expect: block
    reason: argument_invariant_failed

mutation score: 50 % (2 mutants: 1 killed, 1 survived, 0 with the same meaning)
`,
      stderr: "",
    });
  });

  it("does not count a rule that another one covers, and names it", async () => {
    const rules = "argument_value_invariants: [{ path: $.amount, lte: 10 }, { path: $.amount, lte: 20 }]\n";
    const tests = "#== tests/it.yaml\nname: it\nsteps: [{ call: pay, args: { amount: 11 }, expect: block }]\n";
    const { code, stdout } = await mutated(`#== pay.yaml (with the required fields)\n${rules}${tests}`);
    expect(stdout).toContain(
      "REDUNDANT pay.yaml:1 other rules refuse all that it refuses: The argument $.amount must be at most 20.\n",
    );
    expect(stdout).toContain("mutation score: 100 % (4 mutants: 2 killed, 0 survived, 2 with the same meaning)\n");
    expect(code).toBe(0);
  });

  const LATER = '#== session.yaml (with the required fields)\nschema_version: "1.1"\n';
  const PHASES = `#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: paid, terminal: true }]
transitions: { open: [paid] }
`;
  const definition = (type: unknown) =>
    `#== tools.json\n[{ "name": "pay", "input_schema": { "properties": { "id": { "type": ${JSON.stringify(type)} } }, "required": ["id"] } }]\n`;

  it.each([
    [
      "all phases, not all of which lead on",
      `${PHASES}#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [open, paid], advances_to: open }
`,
      "pay.yaml:1 dropped: May be called only in the phases",
    ],
    [
      "a key, beside a rule that lets an object pass",
      `${LATER}#== pay.yaml (with the required fields)
binds: [{ name: paid, path: $.amount, key: $.id }]
execution_constraints: { arguments: [{ path: $.id, exists: true }] }
`,
      "pay.yaml:1 dropped: The argument $.id must be a text, a number, true or false",
    ],
    [
      "a key, beside a precondition for the same entity",
      `${LATER}#== look.yaml (with the required fields)
#== pay.yaml (with the required fields)
binds: [{ name: paid, path: $.amount, key: $.id }]
preconditions: [{ requires_prior_tool: look, resource: { bind_from: arguments, path: $.id } }]
`,
      "pay.yaml:1 dropped: The argument $.id must be a text, a number, true or false",
    ],
    [
      "JSON in a text, beside a rule that lets any text pass",
      `${LATER}#== pay.yaml (with the required fields)
binds: [{ name: paid, path: $.id, decode: json }]
execution_constraints: { arguments: [{ path: $.id, type: string }] }
`,
      "pay.yaml:1 dropped: The argument $.id must be JSON",
    ],
    [
      "a length, beside a rule about each item that lets an object pass",
      `#== pay.yaml (with the required fields)
execution_constraints: { arguments: [{ path: $.id, length_gte: 1 }, { path: "$.id[*]", type: string }] }
`,
      "pay.yaml:1 dropped: The argument $.id must be of length 1 or more",
    ],
    [
      "an argument that exists, beside a definition that lets null pass",
      `${definition(["string", "null"])}#== pay.yaml (with the required fields)
execution_constraints: { arguments: [{ path: $.id, exists: true }] }
`,
      "pay.yaml:1 dropped: The argument $.id must be given",
    ],
  ])("counts a rule that others cover in part only: %s", async (_, pack, change) => {
    const { stdout } = await mutated(pack);
    expect(stdout).not.toContain("REDUNDANT");
    expect(stdout).toContain(`SURVIVED ${change}`);
  });

  it("does not count what a definition demands too", async () => {
    const { stdout } = await mutated(`${definition("string")}#== pay.yaml (with the required fields)
execution_constraints: { arguments: [{ path: $.id, exists: true }] }
`);
    expect(stdout).toContain(
      "REDUNDANT pay.yaml:1 other rules refuse all that it refuses: The argument $.id must be given",
    );
  });

  it("plays no mutants while a test fails", async () => {
    const { code, stdout } = await mutated(
      `${LIMIT}#== tests/it.yaml\nname: it\nsteps: [{ call: pay, args: { amount: 11 } }]\n`,
    );
    expect([code, stdout]).toEqual([1, expect.not.stringContaining("mutation score")]);
  });

  it("shows its progress on a terminal only", async () => {
    const stderrOf = (isTTY: boolean) =>
      inPack(LIMIT, async (cwd) => (await waitForCli(["test", ".", "--mutate"], { cwd, isTTY })).stderr);
    expect(await stderrOf(false)).toBe("");
    expect(await stderrOf(true)).toContain("50 %");
  });

  it("rejects a format without a place for it", async () => {
    const { code, stderr } = await mutated(LIMIT, "--format", "junit");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--mutate prints rules, which --format junit")]);
  });
});
