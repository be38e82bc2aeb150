import { describe, expect, it } from "vitest";
import { argumentVariants } from "../../src/analysis/values/argument-variants.js";
import { environmentValues } from "../../src/analysis/values/environment-values.js";
import { outputVariants } from "../../src/analysis/values/output-variants.js";
import { principalVariants } from "../../src/analysis/values/principal-variants.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { prepareProgram } from "../../src/guard/program/prepare-program.js";
import type { Program } from "../../src/guard/program/program.js";
import { brokenOutputs, indicesOf, refusing } from "./values-judging.js";

const NO_POOLS = { byPath: new Map() };
const PACKS = ["minimal", "refunds", "trading", "code-review/packs/orchestrator", "code-review/packs/worker"];

function programOf(name: string): Program {
  const folder = new URL(`../../contracts/${name}`, import.meta.url).pathname;
  const { artifact } = compileFolder(folder);
  const pack = artifact?.packs[0];
  if (artifact === null || pack === undefined) throw new Error(`${name} does not compile`);
  return prepareProgram(artifact, pack, { env: environmentValues(pack), principal: null });
}

const PROGRAMS = PACKS.map((name) => ({ name, program: programOf(name) }));
const TOOLS = PROGRAMS.flatMap(({ name, program }) =>
  [...program.tools.values()].map((tool) => ({ name: `${name} ${tool.name}`, program, tool })),
);

describe.each(TOOLS)("the tool $name", ({ program, tool }) => {
  const { good, bad } = argumentVariants(program, tool, NO_POOLS);
  const { checks, checkpoints } = indicesOf(tool);

  it("has arguments that pass all checks, the first of which need no approval that depends on them", () => {
    expect(good.length).toBeGreaterThan(0);
    for (const args of good) expect(refusing(program, tool, args).filter((index) => checks.has(index))).toEqual([]);
    const always = tool.compiled?.checks.flatMap((check, index) =>
      check.kind === "checkpoint" && check.when === null ? [index] : [],
    );
    expect(refusing(program, tool, good[0] ?? {})).toEqual(always);
  });

  it("has arguments for every check that it refuses, and for every checkpoint that it asks about", () => {
    expect([...bad.keys()].sort((a, b) => a - b)).toEqual([...checks, ...checkpoints].sort((a, b) => a - b));
    for (const [index, list] of bad) {
      for (const args of list) expect(refusing(program, tool, args)).toContain(index);
    }
    for (const index of checkpoints) {
      const [first = {}] = bad.get(index) ?? [];
      expect(refusing(program, tool, first).filter((other) => checks.has(other))).toEqual([]);
      expect(good.some((args) => refusing(program, tool, args).includes(index))).toBe(true);
    }
  });

  it("has outputs that keep all invariants, and one that breaks each", () => {
    const outputs = outputVariants(program, tool, NO_POOLS);
    expect(outputs.good.length).toBeGreaterThan(0);
    for (const output of outputs.good) expect(brokenOutputs(program, tool, output)).toEqual([]);
    for (const index of tool.compiled?.output_invariants.keys() ?? []) {
      expect(brokenOutputs(program, tool, outputs.bad.get(index)?.[0] ?? null)).toEqual([index]);
    }
  });
});

/** The one of the programs above. */
function toolOf(pack: string, name: string) {
  const found = TOOLS.find((entry) => entry.name === `${pack} ${name}`);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

describe("the values of the example packs", () => {
  it("reach from the smallest to the largest amount, and over the border of the checkpoint", () => {
    const { program, tool } = toolOf("refunds", "issue_refund");
    const { good } = argumentVariants(program, tool, NO_POOLS);
    expect(good.map(({ amount }) => amount)).toEqual([1, 0.01, 1000, 500]);
  });

  it("put the values of pools in every combination", () => {
    const { program, tool } = toolOf("refunds", "issue_refund");
    const pools = new Map([
      ["$.order_id", ["4521", "4522"]],
      ["$.amount", [20, 79.5, 2000]],
    ]);
    const { good } = argumentVariants(program, tool, { byPath: pools });
    const pairs = good.map(({ order_id: order, amount }) => `${order} ${amount}`);
    expect(pairs[0]).toBe("4521 20");
    expect(pairs).toEqual(expect.arrayContaining(["4521 79.5", "4522 20", "4522 79.5"]));
    expect(pairs.join()).not.toContain("2000");
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  it("vary outputs where later calls rely on them", () => {
    const { program, tool } = toolOf("trading", "approve_risk_check");
    const pools = { byPath: new Map([["$.approved", [true, "yes"]]]) };
    const { good } = outputVariants(program, tool, pools);
    expect(good[0]).toMatchObject({ approved: true, approval_id: expect.anything() });
    expect(good).toContainEqual(expect.objectContaining({ approved: false }));
    expect(good.some((output) => !JSON.stringify(output).includes("approval_id"))).toBe(true);
    expect(JSON.stringify(good)).not.toContain("yes");
  });

  it("distinguish principals, beginning with one that every policy accepts", () => {
    const [, { program } = PROGRAMS[0] ?? { program: null }] = PROGRAMS;
    if (program === null) throw new Error("no pack");
    const [first, ...others] = principalVariants(program.pack, program.env);
    expect(first).toMatchObject({ department: "support" });
    expect(first).not.toMatchObject({ type: "readonly" });
    expect(others).toContainEqual(expect.objectContaining({ type: "readonly" }));
  });
});
