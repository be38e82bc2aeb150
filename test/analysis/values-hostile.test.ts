import { describe, expect, it } from "vitest";
import { argumentVariants } from "../../src/analysis/values/argument-variants.js";
import { environmentValues } from "../../src/analysis/values/environment-values.js";
import { outputVariants } from "../../src/analysis/values/output-variants.js";
import { principalVariants } from "../../src/analysis/values/principal-variants.js";
import type { Artifact, CompiledCheck, CompiledPack, CompiledTool } from "../../src/artifact/compiled.js";
import type { SchemaNode } from "../../src/artifact/compiled-schema.js";
import type { CompiledOperator } from "../../src/artifact/compiled-value.js";
import type { Json } from "../../src/base/json.js";
import { type JsonPath, jsonPath } from "../../src/base/json-path.js";
import { prepareProgram } from "../../src/guard/program/prepare-program.js";
import { artifactOf } from "../support/guard-artifact.js";
import { brokenOutputs, indicesOf, refusing } from "./values-judging.js";

const AT = { file: "tool.yaml", line: 1 };
const NO_POOLS = { byPath: new Map() };

function pathTo(...names: readonly string[]): JsonPath {
  return jsonPath(names.map((name) => ({ descend: false, selectors: [{ kind: "name", name }] })));
}

function invariantAt(path: JsonPath, ...operators: readonly CompiledOperator[]): CompiledCheck {
  return { kind: "input_invariant", at: AT, path, operators };
}

function schemaCheck(root: SchemaNode, ...defs: readonly SchemaNode[]): CompiledCheck {
  return { kind: "schema", at: AT, schema: { root, defs } };
}

function onePack(): { readonly artifact: Artifact; readonly pack: CompiledPack; readonly tool: CompiledTool } {
  const artifact = artifactOf("#== tool.yaml (with the required fields)\n");
  const [pack] = artifact.packs;
  const [tool] = pack?.tools ?? [];
  if (pack === undefined || tool === undefined) throw new Error("a pack of one tool");
  return { artifact, pack, tool };
}

/** Everything about a pack of one tool with these checks. */
function explore(checks: readonly CompiledCheck[], outputs: CompiledTool["output_invariants"] = []) {
  const { artifact, pack, tool } = onePack();
  const changed = { ...pack, tools: [{ ...tool, checks, output_invariants: outputs }] };
  const env = environmentValues(changed);
  const program = prepareProgram(artifact, changed, { env, principal: null });
  const prepared = program.tools.get(tool.name);
  if (prepared === undefined) throw new Error("the tool is there");
  const variants = argumentVariants(program, prepared, NO_POOLS);
  return {
    env,
    program,
    tool: prepared,
    variants,
    outputs: outputVariants(program, prepared, NO_POOLS),
    principals: principalVariants(changed, program.env),
  };
}

function nested(depth: number): Json {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}

const LOOP: SchemaNode = [{ kind: "any_of", nodes: [[{ kind: "ref", def: 0 }], [{ kind: "ref", def: 0 }]] }];
const BROKEN = { engine: "native", source: "(" } as const;
const DESCENDANTS = jsonPath([{ descend: true, selectors: [{ kind: "wildcard" }] }]);

const HOSTILE: readonly { readonly name: string; readonly checks: readonly CompiledCheck[] }[] = [
  { name: "a schema that never ends", checks: [schemaCheck([{ kind: "ref", def: 0 }], LOOP)] },
  { name: "a value nested deep", checks: [invariantAt(pathTo("a"), { op: "equals", value: nested(900) })] },
  {
    name: "a long list of values",
    checks: [invariantAt(pathTo("a"), { op: "one_of", values: Array.from({ length: 50_000 }, (_, at) => at) })],
  },
  { name: "a text beyond all measure", checks: [invariantAt(pathTo("a"), { op: "length_gte", value: 1e12 })] },
  {
    name: "huge numbers",
    checks: [invariantAt(pathTo("a"), { op: "gt", value: 1.7e308 }, { op: "multiple_of", value: 5e-324 })],
  },
  {
    name: "a path as long as a book",
    checks: [invariantAt(pathTo(...Array.from({ length: 500 }, () => "a")), { op: "exists", value: true })],
  },
  { name: "a rule for everything", checks: [invariantAt(DESCENDANTS, { op: "type", value: "object" })] },
  {
    name: "many rules that contradict each other",
    checks: Array.from({ length: 200 }, (_, at) => invariantAt(pathTo("a"), { op: "equals", value: at })),
  },
  {
    name: "different objects with the names of methods",
    checks: [
      schemaCheck(
        [
          { kind: "properties", entries: [{ name: "a", node: [{ kind: "ref", def: 0 }] }] },
          { kind: "required", names: ["a"] },
        ],
        [
          { kind: "type", types: ["array"] },
          { kind: "min_items", count: 2 },
          { kind: "unique_items" },
          { kind: "items", from: 0, node: [{ kind: "enum", values: [{ toString: 1, valueOf: 1 }, { toString: 2 }] }] },
        ],
      ),
    ],
  },
  { name: "a step of zero", checks: [invariantAt(pathTo("a"), { op: "multiple_of", value: 0 })] },
];

describe("values for a hostile artifact", () => {
  it("are not made for a pattern that no compiler lets pass", () => {
    const checks = [invariantAt(pathTo("a"), { op: "regex", pattern: BROKEN })];
    expect(() => explore(checks, [])).toThrow('the artifact has a pattern that the compiler does not accept, "("');
  });

  it.each(HOSTILE)("with $name are bounded and judged as they say", ({ checks }) => {
    const invariants = checks.flatMap((check) => (check.kind === "input_invariant" ? [check] : []));
    const { program, tool, variants, outputs } = explore(checks, invariants);
    expect(variants.good.length).toBeLessThanOrEqual(256);
    expect(outputs.good.length).toBeLessThanOrEqual(128);
    for (const args of variants.good) expect(refusing(program, tool, args)).toEqual([]);
    for (const [index, list] of variants.bad) {
      for (const args of list) expect(refusing(program, tool, args)).toContain(index);
    }
  });
});

describe("the values of environment variables", () => {
  it("fit the other rules on the same path", () => {
    const pattern = { engine: "native", source: "^eu-[a-z]+$" } as const;
    const { env, variants } = explore([
      invariantAt(pathTo("region"), { op: "equals_env", name: "REGION" }),
      invariantAt(pathTo("region"), { op: "regex", pattern }),
      invariantAt(pathTo("stage"), { op: "equals_env", name: "STAGE" }),
    ]);
    expect(env.REGION).toMatch(/^eu-[a-z]+$/);
    expect(env.STAGE).toBe("stage");
    expect(variants.good).toEqual([{ region: env.REGION, stage: "stage" }]);
  });

  it("are the same where one path is compared with two of them", () => {
    const { env, variants } = explore([
      invariantAt(pathTo("a"), { op: "equals_env", name: "ONE" }),
      invariantAt(pathTo("a"), { op: "equals_env", name: "TWO" }),
    ]);
    expect(env.ONE).toBe(env.TWO);
    expect(variants.good.length).toBe(1);
  });
});

describe("the variants of one tool", () => {
  const amount = pathTo("amount");

  it("stand on both sides of a checkpoint, also where all of its conditions must be met", () => {
    const checkpoint: CompiledCheck = {
      kind: "checkpoint",
      at: AT,
      name: null,
      when: [
        { at: AT, path: amount, operators: [{ op: "gte", value: 100 }] },
        { at: AT, path: pathTo("kind"), operators: [{ op: "equals", value: "wire" }] },
      ],
      match: "all",
      timeout_seconds: 60,
      on_timeout: "deny",
      context: [],
    };
    const checks = [invariantAt(amount, { op: "gte", value: 1 }, { op: "lte", value: 500 }), checkpoint];
    const { program, tool, variants } = explore(checks);
    const triggers = variants.good.map((args) => refusing(program, tool, args));
    expect(triggers[0]).toEqual([]);
    expect(triggers).toContainEqual([1]);
    expect(variants.bad.get(1)?.[0]).toEqual({ amount: 100, kind: "wire" });
    expect(variants.bad.get(0)?.[0]).toEqual({ amount: 0 });
  });

  it("meet the conditions of a checkpoint by several arguments, each of which a check refuses alone", () => {
    const missing = (name: string) => ({
      at: AT,
      path: pathTo(name),
      operators: [{ op: "exists", value: true }] as const,
    });
    const checkpoint: CompiledCheck = {
      kind: "checkpoint",
      at: AT,
      name: null,
      when: [missing("a"), missing("b"), missing("c")],
      match: "all",
      timeout_seconds: 60,
      on_timeout: "deny",
      context: [],
    };
    const number: CompiledOperator = { op: "type", value: "integer" };
    const { variants } = explore([
      { kind: "derived_invariant", at: AT, path: pathTo("a"), operator: number, optional: true, passes: [] },
      { kind: "derived_invariant", at: AT, path: pathTo("b"), operator: number, optional: true, passes: ["boolean"] },
      checkpoint,
    ]);
    expect(variants.good[0]).toEqual({});
    expect(variants.bad.get(2)?.[0]).toEqual({ a: 1, b: 1, c: "text" });
  });

  it("repair other arguments where a value that breaks a check would break another too", () => {
    const either: SchemaNode = [
      {
        kind: "if_then_else",
        condition: [{ kind: "properties", entries: [{ name: "amount", node: [{ kind: "maximum", value: 10 }] }] }],
        consequent: true,
        alternative: [{ kind: "required", names: ["reason"] }],
      },
    ];
    const { program, tool, variants } = explore([
      schemaCheck(either),
      invariantAt(amount, { op: "type", value: "number" }),
      invariantAt(amount, { op: "lte", value: 50 }),
    ]);
    expect(refusing(program, tool, variants.bad.get(2)?.[0] ?? {})).toEqual([2]);
    expect(variants.bad.get(2)?.[0]).toHaveProperty("reason");
  });

  it("leave out outputs that are good one by one and not together", () => {
    const both = jsonPath([{ descend: false, selectors: [{ kind: "wildcard" }] }]);
    const { outputs, program, tool } = explore(
      [],
      [{ at: AT, path: both, operators: [{ op: "exists", value: true }] }],
    );
    for (const output of outputs.good) expect(brokenOutputs(program, tool, output)).toEqual([]);
  });

  it("break each of several checks on one path alone, where that is possible", () => {
    const checks = [
      invariantAt(amount, { op: "gte", value: 1 }),
      invariantAt(amount, { op: "lte", value: 10 }),
      invariantAt(amount, { op: "multiple_of", value: 2 }),
      invariantAt(amount, { op: "gte", value: 0 }),
    ];
    const { program, tool, variants } = explore(checks);
    const first = [0, 1, 2, 3].map((index) => refusing(program, tool, variants.bad.get(index)?.[0] ?? {}));
    expect(first).toEqual([[0], [1], [2], [0, 3]]);
    expect(indicesOf(tool).checks.size).toBe(4);
  });
});
