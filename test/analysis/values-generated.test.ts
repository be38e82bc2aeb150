import { describe, expect, it } from "vitest";
import { argumentVariants } from "../../src/analysis/values/argument-variants.js";
import { environmentValues } from "../../src/analysis/values/environment-values.js";
import { outputVariants } from "../../src/analysis/values/output-variants.js";
import { principalVariants } from "../../src/analysis/values/principal-variants.js";
import type { Json } from "../../src/base/json.js";
import { prepareProgram } from "../../src/guard/program/prepare-program.js";
import type { Program, Tool } from "../../src/guard/program/program.js";
import { judgeEntry } from "../../src/guard/values/judge-value.js";
import { compileText } from "../differential/compile-pack.js";
import { Random } from "../differential/generate/random.js";
import { someObject, somePrincipal } from "../differential/generate/values.js";
import { somePack } from "../differential/generate.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { brokenOutputs, indicesOf, poolsOf, refusing } from "./values-judging.js";

const PACKS = sizeOf("VALUES_PACKS", { share: 60, full: 400 });
const SEED = seedOf("VALUES_SEED", 1);
const SAMPLES = 40;

interface Generated {
  readonly seed: number;
  readonly program: Program;
  readonly random: Random;
}

/** Programs of generated packs that compile, with the environment the analysis chooses for them. */
function* generatedPrograms(packs: number): Generator<Generated> {
  const seeds = new Random(SEED);
  for (let at = 0; at < packs; at++) {
    const seed = seeds.fork();
    const random = new Random(seed);
    const { artifact } = compileText(somePack(random));
    const pack = artifact?.packs[0];
    if (artifact === null || pack === undefined) continue;
    const env = environmentValues(pack);
    yield { seed, random, program: prepareProgram(artifact, pack, { env, principal: null }) };
  }
}

function isAlone(refused: readonly number[], index: number, checkpoints: ReadonlySet<number>): boolean {
  return refused.includes(index) && refused.every((other) => other === index || checkpoints.has(other));
}

/** What is wrong with the variants of one tool, in words. */
function mistakesOf(program: Program, tool: Tool, random: Random): readonly string[] {
  const { good, bad } = argumentVariants(program, tool, poolsOf(tool));
  const { checks, checkpoints } = indicesOf(tool);
  const refused = (args: Json) => refusing(program, tool, args);
  const mistakes: string[] = [];
  for (const args of good) {
    if (refused(args).some((index) => checks.has(index))) mistakes.push(`refused: ${JSON.stringify(args)}`);
  }
  for (const [index, list] of bad) {
    const alone = list.map((args) => isAlone(refused(args), index, checkpoints));
    if (!list.every((args) => refused(args).includes(index))) mistakes.push(`${index} lets its own pass`);
    if (alone.lastIndexOf(true) > alone.indexOf(false) && alone.includes(false)) mistakes.push(`${index} is unsorted`);
  }
  // Random arguments find nothing that the variants lack.
  for (const args of random.list(SAMPLES, () => someObject(random))) {
    const failing = refused(args);
    if (good.length === 0 && !failing.some((index) => checks.has(index)))
      mistakes.push(`would be good: ${JSON.stringify(args)}`);
    for (const index of failing) {
      const [first] = bad.get(index) ?? [];
      if (first === undefined) mistakes.push(`would be bad for ${index}: ${JSON.stringify(args)}`);
      else if (isAlone(failing, index, checkpoints) && !isAlone(refused(first), index, checkpoints))
        mistakes.push(`would break ${index} alone: ${JSON.stringify(args)}`);
    }
  }
  return mistakes;
}

function outputMistakes(program: Program, tool: Tool, random: Random): readonly string[] {
  const { good, bad } = outputVariants(program, tool, poolsOf(tool));
  const mistakes: string[] = [];
  for (const output of good) {
    if (brokenOutputs(program, tool, output).length > 0) mistakes.push(`broken: ${JSON.stringify(output)}`);
  }
  for (const [index, list] of bad) {
    if (!list.every((output) => brokenOutputs(program, tool, output).includes(index))) mistakes.push(`${index} holds`);
  }
  for (const output of random.list(SAMPLES, () => someObject(random))) {
    const failing = brokenOutputs(program, tool, output);
    if (failing.length === 0 && good.length === 0) mistakes.push(`would be good: ${JSON.stringify(output)}`);
    if (failing.some((index) => !bad.has(index))) mistakes.push(`would be bad: ${JSON.stringify(output)}`);
    const [first = null] = good;
    for (const entry of tool.watches.flatMap(({ withOutput }) => withOutput)) {
      const holds = (value: Json) => judgeEntry(entry, value, program.env) === true;
      if (failing.length > 0 || good.some(holds)) continue;
      if (holds(output) && !holds(first)) mistakes.push(`would satisfy a precondition: ${JSON.stringify(output)}`);
    }
  }
  return mistakes;
}

describe("the variants for generated packs", () => {
  it("are judged as they say, and lack nothing that random values find", () => {
    let tools = 0;
    for (const { seed, program, random } of generatedPrograms(PACKS)) {
      for (const tool of program.tools.values()) {
        tools += 1;
        const mistakes = [...mistakesOf(program, tool, random), ...outputMistakes(program, tool, random)];
        expect({ seed, tool: tool.name, mistakes }).toEqual({ seed, tool: tool.name, mistakes: [] });
      }
    }
    expect(tools).toBeGreaterThan(PACKS);
  }, 600_000);

  it("are the same in every run", () => {
    const texts = () =>
      [...generatedPrograms(40)].flatMap(({ program }) =>
        [...program.tools.values()].map((tool) => {
          const { good, bad } = argumentVariants(program, tool, poolsOf(tool));
          const outputs = outputVariants(program, tool, poolsOf(tool));
          return JSON.stringify([good, [...bad], outputs.good, [...outputs.bad]]);
        }),
      );
    expect(texts()).toEqual(texts());
  });

  it("hold a principal for every answer that policies give to random ones", () => {
    let conditional = 0;
    for (const { seed, program, random } of generatedPrograms(PACKS)) {
      const policies = program.pack.tools.flatMap(({ checks }) => checks.filter((check) => check.kind === "policy"));
      const entries = policies.flatMap(({ denies, allows }) => [...denies, ...allows]);
      const variants = principalVariants(program.pack, program.env);
      if (entries.some(({ principal }) => principal.length > 0)) conditional += 1;
      else expect(variants).toEqual([program.pack.needs_principal ? {} : null]);
      const conditions = entries.map(({ principal }) => principal).filter((list) => list.length > 0);
      const meets = (principal: Json, list: (typeof conditions)[number]) =>
        list.every((entry) => judgeEntry(entry, principal, program.env) === true);
      const met = (principal: Json) => conditions.filter((list) => meets(principal, list));
      const seen = new Set(variants.flatMap(met));
      for (const principal of random.list(SAMPLES, () => somePrincipal(random))) {
        const missed = met(principal).filter((list) => !seen.has(list));
        expect({ seed, principal, missed }).toEqual({ seed, principal, missed: [] });
      }
    }
    expect(conditional).toBeGreaterThan(PACKS / 40);
  });
});
