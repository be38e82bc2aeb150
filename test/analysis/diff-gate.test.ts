import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Difference, Gate } from "../../src/analysis/difference.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { withPack } from "../support/pack-text.js";
import { type Ran, waitForCli } from "../support/run-cli.js";
import { type GateEdit, NEUTRAL, STRENGTHENINGS, UNCLEAR, WEAKENINGS } from "./gate-edits.js";
import { GATE_PACK } from "./gate-pack.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gate-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const known = new Map<string, Artifact>();

/** The artifact of a pack: each pack is compared several times, and compiled once. */
function artifactOf(text: string): Artifact {
  const artifact = known.get(text) ?? withPack(text, (written) => compileFolder(written)).artifact;
  if (artifact === null) throw new Error(`the pack does not compile: ${text}`);
  known.set(text, artifact);
  return artifact;
}

/** The same in a file, for the command line. */
function fileOf(text: string): string {
  const artifact = artifactOf(text);
  const path = join(folder, `${artifact.hash}.json`);
  writeFileSync(path, encodeArtifact(artifact));
  return path;
}

function edited([, from, to]: GateEdit): string {
  if (!GATE_PACK.includes(from)) throw new Error(`the pack does not say: ${from}`);
  return GATE_PACK.replace(from, () => to);
}

async function gate(before: string, after: string, ...flags: readonly string[]): Promise<Ran> {
  const ran = await waitForCli(["diff", fileOf(before), fileOf(after), "--fail-on", "loosened", ...flags]);
  expect(ran.stderr).toBe("");
  return ran;
}

/** What the gate says of a change, and why: what `contracts diff` prints as JSON. */
async function reasons(before: string, after: string): Promise<Gate> {
  const options = { bounds: null, wording: sentenceOf };
  const all = (await diffPacks(artifactOf(before), artifactOf(after), options)).map(gateOf);
  return { loosened: all.some(({ loosened }) => loosened), reasons: all.flatMap((each) => each.reasons) };
}

describe("the gate fails", () => {
  it.each(WEAKENINGS)("on %s", async (...edit) => {
    const result = await reasons(GATE_PACK, edited(edit));
    expect(result.loosened).toBe(true);
    expect(result.reasons.filter(({ what }) => what !== "search")).not.toEqual([]);
  });

  it.each(UNCLEAR)("on %s, either way", async (...edit) => {
    expect((await reasons(GATE_PACK, edited(edit))).loosened).toBe(true);
    expect((await reasons(edited(edit), GATE_PACK)).loosened).toBe(true);
  });
});

describe("the gate passes", () => {
  it.each(WEAKENINGS)("the opposite of %s", async (...edit) => {
    expect(await reasons(edited(edit), GATE_PACK)).toEqual({ loosened: false, reasons: [] });
  });

  it.each(STRENGTHENINGS)("%s", async (...edit) => {
    expect(await reasons(GATE_PACK, edited(edit))).toEqual({ loosened: false, reasons: [] });
  });

  it.each(NEUTRAL)("%s, either way", async (...edit) => {
    expect(await reasons(GATE_PACK, edited(edit))).toEqual({ loosened: false, reasons: [] });
    expect(await reasons(edited(edit), GATE_PACK)).toEqual({ loosened: false, reasons: [] });
  });
});

describe("a rule that is taken away", () => {
  const twice = edited(["", "lte: 600 }\n", 'lte: 600 }\n  - { path: "$.amount", lte: 900 }\n']);

  it("counts as weaker also where one that stood beside it stops the same calls", async () => {
    expect((await reasons(twice, GATE_PACK)).reasons).toMatchObject([
      { direction: "weaker", what: "rule", file: "pay.yaml", text: "The argument $.amount must be at most 900." },
      { what: "search" },
    ]);
  });

  it("does not where one that is new stops the same calls", async () => {
    const merged = twice.replace("gte: 1, lte: 600 }", "gte: 1, lte: 500 }").replace(/^ {2}- .*lte: 900 .*\n/m, "");
    expect((await reasons(twice, merged)).loosened).toBe(false);
  });
});

it("the gate distinguishes transitions whose phases read alike", async () => {
  const pack = (transitions: string) => `#== session.yaml (with the required fields)
phases:
  - { name: s, initial: true }
  - { name: a, terminal: true }
  - { name: "b → c", terminal: true }
  - { name: "a → b", terminal: true }
  - { name: c, terminal: true }
transitions: { s: ["a → b"], ${transitions} }
#== go.yaml (with the required fields)
transitions: { valid_in_phases: [s], advances_to: "a → b" }
#== x.yaml (with the required fields)
transitions: { valid_in_phases: ["a → b"], advances_to: c }
`;
  const result = await reasons(pack('a: ["b → c"]'), pack('"a → b": [c]'));
  expect(result.reasons).toMatchObject([
    { direction: "weaker", what: "transition", text: "a → b → c", tools: ["x"] },
    { what: "search" },
  ]);
});

describe("the command of the gate", () => {
  it.each([
    ["a weakening", GATE_PACK, edited(["", "max_steps: 20", "max_steps: 21"]), 1],
    ["a strengthening", GATE_PACK, edited(["", "max_steps: 20", "max_steps: 19"]), 0],
    ["no change", GATE_PACK, GATE_PACK, 0],
  ])("prints what the gate says of %s, and ends with it", async (_, before, after, expected) => {
    const { stdout, code } = await gate(before, after, "--no-search", "--format", "json");
    const printed: readonly { readonly gate: Gate }[] = JSON.parse(stdout);
    const said = await reasons(before, after);
    expect(printed.flatMap((each) => each.gate.reasons)).toEqual(said.reasons);
    expect([code, said.loosened]).toEqual([expected, expected === 1]);
  });
});

describe("a reason of the gate", () => {
  it("names the rule as it stands now, or stood, with its place and its tools", async () => {
    const { stdout } = await gate(GATE_PACK, edited(["", "max_steps: 20", "max_steps: 21"]), "--no-search");
    expect(stdout).toBe(`Changed: calls that are judged differently were not searched for
Gate: loosened, or not shown to be as strong as before
  weaker: session.yaml:8: A session has at most 21 steps. [close, look, pay, send, sweep, wipe]
  not shown to be as strong: no calls were searched for

shop:
  loosened rule: A session has at most 21 steps. [close, look, pay, send, sweep, wipe]
    before: A session has at most 20 steps.
    after:  A session has at most 21 steps.
`);
  });

  it("is one for one change of many contracts", async () => {
    const tools = Array.from({ length: 30 }, (_, at) => `tool${at}`);
    const pack = (ms: number, least: number) =>
      tools
        .map(
          (tool) => `#== ${tool}.yaml (with the required fields)
timeouts: { total_ms: ${ms} }
assertions: { input_invariants: [{ path: "$.n", gte: ${least} }], output_invariants: [] }
`,
        )
        .join("");
    const result = await reasons(pack(1000, 2), pack(2000, 1));
    expect(result.reasons.map(({ what, tools: own }) => [what, own.length])).toEqual([
      ["rule", 30],
      ["setting", 30],
      ["search", 0],
    ]);
    const { stdout } = await gate(pack(1000, 2), pack(2000, 1), "--no-search");
    expect(stdout).toContain("[tool0, tool1, tool10, tool11, tool12 and 25 more]");
  });

  it("is the place of the right one of two rules on one line", async () => {
    const pack = (age: number) => `#== session.yaml (with the required fields)
#== pay.yaml (with the required fields)
policy: { deny: [{ principal: { path: "$.type", equals: robot } }, { principal: { path: "$.age", lte: ${age} } }] }
`;
    const { stdout } = await waitForCli(["diff", fileOf(pack(17)), fileOf(pack(10)), "--format", "json"]);
    const [difference]: readonly Difference[] = JSON.parse(stdout);
    expect(difference?.divergences).toHaveLength(1);
    expect(difference?.divergences[0]?.ruleId).toBe("policy_deny@pay.yaml:1#2");
    expect(difference?.divergences[0]?.ruleId).toBe(difference?.changes[0]?.oldRule);
  });
});

describe("a search", () => {
  const bounds = ["--states", "1", "--depth", "1"];

  it("that reached a bound is a reason where reading left a question", async () => {
    const { code, stdout } = await gate(GATE_PACK, edited(["", "tolerance: 0.02", "tolerance: 0.03"]), ...bounds);
    expect(code).toBe(1);
    expect(stdout).toContain("not shown to be as strong: the search reached a bound");
    expect(stdout).not.toContain("No call is judged differently");
  });

  it("that reached a bound is none where every rule is shown to be as strong", async () => {
    const { code, stdout } = await gate(edited(["", "tolerance: 0.02", "tolerance: 0.03"]), GATE_PACK, ...bounds);
    expect(code).toBe(0);
    expect(stdout).toContain("Gate: by reading, every rule and setting is as strong as before\n");
    expect(stdout).toContain("Changed: no difference found, as far as the search went\n");
  });

  it("is not needed for packs that say the same in other words", async () => {
    const { code, stdout } = await gate(GATE_PACK, edited(["", "At most 1000", "Not more than 1000"]));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No call is judged differently\n/);
    expect((await gate(GATE_PACK, edited(["", "agent: shop\n", "# A comment.\nagent: shop\n"]))).stdout).toBe(
      "No difference\n",
    );
  });

  it("has no bounds where none is made", async () => {
    const args = ["diff", fileOf(GATE_PACK), fileOf(GATE_PACK), "--no-search", "--depth", "3"];
    expect(await waitForCli(args)).toMatchObject({ code: 2, stdout: "" });
  });
});

it("the gate takes a moved place for no difference, also where it stands for the setting itself", async () => {
  const pack = edited(["", "default_deny: false", "default_deny: true"]);
  const { stdout } = await gate(pack, pack.replace("policy:\n", "# A comment.\npolicy:\n"));
  expect(stdout).toBe("No difference\n");
});
