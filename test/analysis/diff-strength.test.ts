import { describe, expect, it } from "vitest";
import { failThen, holdThen } from "../../src/analysis/diff/static/operator-strength.js";
import { isSchemaKept } from "../../src/analysis/diff/static/schema-strength.js";
import type { CompiledSchema, SchemaNode, SchemaTest } from "../../src/artifact/compiled-schema.js";
import type { CompiledOperator } from "../../src/artifact/compiled-value.js";
import type { Json } from "../../src/base/json.js";
import { checkSchema } from "../../src/guard/program/schema-check.js";
import { judgeOperator } from "../../src/guard/values/judge-value.js";
import { SAMPLE_OPERATORS } from "../support/operator-samples.js";
import { type Random, randomFrom } from "../support/random.js";

const SEED = 20_240_611;

const SCALARS: readonly Json[] = [null, true, false, -1, 0, 0.5, 1, 2, 3, "", "a", "ab", "abc", "b", "1"];

function valueFrom(random: Random, depth = 2): Json {
  const roll = random.below(10);
  if (depth === 0 || roll < 6) return random.pick(SCALARS);
  const items = Array.from({ length: random.below(4) }, () => valueFrom(random, depth - 1));
  if (roll < 8) return items;
  return Object.fromEntries(items.map((item) => [random.pick(["a", "b", "c"]), item]));
}

function operatorFrom(random: Random): CompiledOperator {
  const number = random.pick([-1, 0, 0.5, 1, 2, 3]);
  const pattern = { engine: "native", source: random.pick(["a", "^a", "a$", "^a$", "b|a", "^b|a"]) } as const;
  return random.pick<CompiledOperator>([
    random.pick(SAMPLE_OPERATORS),
    random.pick(SAMPLE_OPERATORS),
    { op: "equals", value: valueFrom(random, 1) },
    { op: "one_of", values: Array.from({ length: 1 + random.below(3) }, () => valueFrom(random, 0)) },
    { op: "exists", value: random.next() < 0.5 },
    { op: "type", value: random.pick(["string", "number", "integer", "boolean", "object", "array", "null"]) },
    { op: "contains", value: random.pick(SCALARS) },
    { op: "regex", pattern },
    { op: "gte", value: number },
    { op: "lte", value: number },
    { op: "gt", value: number },
    { op: "lt", value: number },
    { op: "multiple_of", value: random.pick([0.5, 1, 2, 3]) },
    { op: "length_gte", value: random.below(4) },
    { op: "length_lte", value: random.below(4) },
    { op: "equals_env", name: random.pick(["A", "B"]) },
  ]);
}

const ENVIRONMENT = new Map([["A", "a"]]);

describe("reading operators", () => {
  it("never says that one follows from another if some value distinguishes them", () => {
    const random = randomFrom(SEED);
    const values = [...SCALARS, ...Array.from({ length: 60 }, () => valueFrom(random))];
    const said = { holds: 0, fails: 0 };
    const mistakes: unknown[] = [];
    for (let run = 0; run < 20_000; run++) {
      const [now, then] = [operatorFrom(random), operatorFrom(random)];
      const [holds, fails] = [holdThen([now], [then]), failThen([now], [then])];
      said.holds += holds ? 1 : 0;
      said.fails += fails ? 1 : 0;
      if (!holds && !fails) continue;
      const wrong = values.find((value) => {
        const [judged, before] = [now, then].map((operator) => judgeOperator(operator, value, ENVIRONMENT));
        return (holds && judged === true && before !== true) || (fails && judged === false && before !== false);
      });
      if (wrong !== undefined) mistakes.push({ now, then, wrong });
    }
    expect(mistakes).toEqual([]);
    expect(said.holds).toBeGreaterThan(1000);
    expect(said.fails).toBeGreaterThan(500);
  });
});

function nodeFrom(random: Random, depth: number): SchemaNode {
  if (random.next() < 0.08) return random.next() < 0.6;
  return Array.from({ length: random.below(4) }, () => testFrom(random, depth));
}

function leafFrom(random: Random): SchemaTest {
  const [number, count] = [random.pick([0, 1, 2]), random.below(3)];
  return random.pick<SchemaTest>([
    { kind: "type", types: random.shuffled(["string", "number", "integer", "object", "array"] as const).slice(0, 2) },
    { kind: "enum", values: Array.from({ length: 1 + random.below(3) }, () => valueFrom(random, 1)) },
    { kind: "const", value: valueFrom(random, 1) },
    { kind: "minimum", value: number },
    { kind: "maximum", value: number },
    { kind: "exclusive_minimum", value: number },
    { kind: "exclusive_maximum", value: number },
    { kind: "multiple_of", value: random.pick([0.5, 1]) },
    { kind: "pattern", pattern: { engine: "native", source: random.pick(["a", "b"]) } },
    { kind: "min_length", count },
    { kind: "max_length", count },
    { kind: "min_items", count },
    { kind: "max_items", count },
    { kind: "min_properties", count },
    { kind: "max_properties", count },
    { kind: "required", names: random.shuffled(["a", "b"]).slice(0, 1 + random.below(2)) },
    { kind: "dependent_required", entries: [{ name: "a", names: ["b"] }] },
    { kind: "unique_items" },
    { kind: "ref", def: random.below(2) },
  ]);
}

function testFrom(random: Random, depth: number): SchemaTest {
  if (depth === 0 || random.next() < 0.5) return leafFrom(random);
  const node = () => nodeFrom(random, depth - 1);
  const pattern = { engine: "native", source: "b" } as const;
  return random.pick<() => SchemaTest>([
    () => ({ kind: "properties", entries: random.shuffled(["a", "b"]).map((name) => ({ name, node: node() })) }),
    () => ({
      kind: "additional_properties",
      names: random.shuffled(["a", "b", "c"]).slice(0, random.below(3)),
      patterns: random.next() < 0.3 ? [pattern] : [],
      node: node(),
    }),
    () => ({ kind: "pattern_properties", entries: [{ pattern, node: node() }] }),
    () => ({ kind: "property_names", node: node() }),
    () => ({ kind: "dependent_schemas", entries: [{ name: "a", node: node() }] }),
    () => ({ kind: "items", from: random.below(2), node: node() }),
    () => ({ kind: "prefix_items", nodes: [node(), node()].slice(0, 1 + random.below(2)) }),
    () => ({ kind: "contains", node: node(), min: random.below(3), max: random.pick([null, 1, 2]) }),
    () => ({ kind: "all_of", nodes: [node(), node()] }),
    () => ({ kind: "any_of", nodes: [node(), node()] }),
    () => ({ kind: "one_of", nodes: [node(), node()] }),
    () => ({ kind: "not", node: node() }),
    () => ({ kind: "if_then_else", condition: node(), consequent: node(), alternative: node() }),
  ])();
}

/** A schema that shares most of its tests with another one, so that it often follows from it. */
function near(random: Random, node: SchemaNode): SchemaNode {
  if (typeof node === "boolean") return nodeFrom(random, 1);
  const kept = node.filter(() => random.next() < 0.8).map((test) => nearTest(random, test));
  return random.next() < 0.4 ? [...kept, testFrom(random, 1)] : kept;
}

function nearTest(random: Random, test: SchemaTest): SchemaTest {
  if (random.next() < 0.5) return test;
  if ("node" in test) return { ...test, node: near(random, test.node) };
  if ("count" in test) return { ...test, count: test.count + random.below(2) };
  if (test.kind === "all_of" || test.kind === "any_of" || test.kind === "one_of") {
    return { ...test, nodes: test.nodes.map((node) => near(random, node)) };
  }
  if (test.kind !== "properties") return test;
  return { ...test, entries: test.entries.map(({ name, node }) => ({ name, node: near(random, node) })) };
}

/** Tests without refs: what leads into itself takes the guard's whole budget to refuse. */
function leafNode(random: Random): SchemaNode {
  return [leafFrom(random), leafFrom(random)].filter(({ kind }) => kind !== "ref");
}

describe("reading schemas", () => {
  it("never says that one follows from another if some value distinguishes them", () => {
    const random = randomFrom(SEED, 1);
    const values = [...SCALARS, ...Array.from({ length: 150 }, () => valueFrom(random, 3))];
    const mistakes: unknown[] = [];
    let said = 0;
    for (let run = 0; run < 6_000; run++) {
      const defs = [leafNode(random), leafNode(random)];
      const before: CompiledSchema = { root: nodeFrom(random, 3), defs };
      const after: CompiledSchema = { root: near(random, before.root), defs: random.next() < 0.5 ? defs : [true, []] };
      for (const [now, then] of [
        [after, before],
        [before, after],
      ] as const) {
        if (!isSchemaKept(now, then)) continue;
        said += 1;
        const wrong = values.find((value) => checkSchema(now, value) === null && checkSchema(then, value) !== null);
        if (wrong !== undefined) mistakes.push({ now, then, wrong });
      }
    }
    expect(mistakes).toEqual([]);
    expect(said).toBeGreaterThan(2000);
  });

  it("ends on definitions that lead into each other for ever", () => {
    const twice = (def: number): SchemaTest => ({
      kind: "all_of",
      nodes: [[{ kind: "ref", def }], [{ kind: "ref", def }]],
    });
    const before: CompiledSchema = {
      root: [twice(0)],
      defs: [[twice(1)], [twice(0), { kind: "not", node: [twice(0)] }]],
    };
    const after: CompiledSchema = { root: [twice(1)], defs: [[twice(1), { kind: "unique_items" }], [twice(0)]] };
    expect(isSchemaKept(after, before)).toBe(false);
  });
});
