import { describe, expect, it } from "vitest";
import type { Artifact } from "../../../../src/artifact/compiled.js";
import { invariant } from "../../../../src/base/invariant.js";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { neededFields } from "../../../../src/guard/durable/needed-fields.js";
import { prepareProgram } from "../../../../src/guard/program/prepare-program.js";
import type { Program, Tool } from "../../../../src/guard/program/program.js";
import { artifactOf } from "../../../support/guard-artifact.js";

function programOf(artifact: Artifact): Program {
  const [pack] = artifact.packs;
  invariant(pack !== undefined, "an artifact has a pack");
  return prepareProgram(artifact, pack, { env: {}, principal: null });
}

function toolOf(program: Program, name: string): Tool {
  return program.tools.get(name) ?? program.unmatched(name);
}

const ARGS: JsonObject = { a: 1, b: { c: "x", d: "secret" }, e: [{ f: 1, g: "secret" }], h: "secret" };

function argsOf(text: string, tool: string, args: JsonObject = ARGS): JsonObject {
  const program = programOf(artifactOf(text));
  return neededFields(program).args(toolOf(program, tool), args);
}

function outputOf(text: string, tool: string, output: Json = ARGS): Json {
  const program = programOf(artifactOf(text));
  return neededFields(program).output(toolOf(program, tool), output);
}

const TOOL = "#== act.yaml (with the required fields)\nside_effect: write";
const OTHER = "#== look.yaml (with the required fields)\nside_effect: write";
const SESSION = "#== session.yaml (with the required fields)";

function stages(first: string, second: string): string {
  return `${TOOL}\n${OTHER}\n${SESSION}
envelopes:
  - { name: size, constraint: lte_ceiling, reason: small, stages: [{ ${first}, role: ceiling }, { ${second}, role: constrained }] }`;
}

function aggregate(fields: string): string {
  return `${TOOL}\n${SESSION}\naggregates: [{ name: total, lte: 5, reason: few, ${fields} }]`;
}

const SCHEMA = `#== tools.json
[{ "name": "act", "parameters": { "type": "object", "required": ["h"], "properties": {
  "a": { "type": "integer", "minimum": 0 }, "h": { "enum": ["secret"] }, "e": { "type": "array", "uniqueItems": true } } } }]`;

describe("the arguments that have to be stored", () => {
  it.each<[what: string, pack: string, kept: JsonObject]>([
    [
      "an input invariant",
      `${TOOL}\nassertions: { input_invariants: [{ path: $.a, gte: 0 }], output_invariants: [] }`,
      { a: 1 },
    ],
    [
      "an execution constraint",
      `${TOOL}\nexecution_constraints: { arguments: [{ path: $.b.c, type: string }] }`,
      { b: { c: "x" } },
    ],
    ["an invariant of values", `${TOOL}\nargument_value_invariants: [{ path: "$.e[*].f", gte: 0 }]`, { e: [{ f: 1 }] }],
    ["a keyword of the schema that became an invariant", `${TOOL}\n${SCHEMA}`, { a: 1, h: "secret" }],
    [
      "a comparison with a bound value",
      `${TOOL}\nargument_value_invariants: [{ path: $.a, ref: known }]\n${OTHER}\nbinds: [{ name: known, path: $.x }]`,
      { a: 1 },
    ],
    ["a bind", `${TOOL}\nbinds: [{ name: known, path: $.b.c }]`, { b: { c: "x" } }],
    ["a sum", aggregate("metric: sum, tool: act, path: $.a"), { a: 1 }],
    ["distinct values", aggregate('metric: count_distinct, tool: act, path: "$.e[-1]"'), { e: ARGS.e ?? null }],
    ["an aggregate of all tools", aggregate('metric: sum, tool: "*", path: $.a'), { a: 1 }],
    ["a constrained stage of an envelope", stages("tool: look, path: $.x", "tool: act, path: $.a"), { a: 1 }],
    ["a stage that sets a reference", stages("tool: act, path: $.b.c", "tool: look, path: $.x"), { b: { c: "x" } }],
    [
      "the entity of a precondition",
      `${TOOL}\npreconditions: [{ requires_prior_tool: look, resource: { bind_from: arguments, path: $.b.c } }]\n${OTHER}`,
      { b: { c: "x" } },
    ],
    [
      "the entity of another tool's precondition",
      `${TOOL}\n${OTHER}\npreconditions: [{ requires_prior_tool: act, resource: { bind_from: arguments, path: $.b.c } }]`,
      { b: { c: "x" } },
    ],
    [
      "the condition and the context of a checkpoint",
      `${TOOL}\ncheckpoint: { when: [{ path: $.a, gte: 0 }], timeout_seconds: 60, context: [{ path: $.b.c, label: Who }] }`,
      { a: 1, b: { c: "x" } },
    ],
    [
      "a checkpoint of the session",
      `${TOOL}\n${SESSION}\ncheckpoints: [{ name: big, tool: act, when: [{ path: $.a, gte: 0 }], timeout_seconds: 60 }]`,
      { a: 1 },
    ],
    [
      "a resource",
      `${TOOL}\n${SESSION}\nresources: { item: { type: item, extract_from: { path: $.b.c } } }`,
      { b: { c: "x" } },
    ],
    [
      "a path that descends",
      `${TOOL}\nargument_value_invariants: [{ path: "$.b..c", type: string }]`,
      { b: ARGS.b ?? null },
    ],
  ])("are those of %s", (_, pack, kept) => {
    expect(argsOf(pack, "act")).toEqual(kept);
  });

  it.each<[what: string, pack: string]>([
    ["a tool without rules", TOOL],
    ["a count, even with a path", aggregate("metric: count, tool: act, path: $.h")],
    ["rules of another tool", `${TOOL}\n${OTHER}\nargument_value_invariants: [{ path: $.h, type: string }]`],
    ["an aggregate of another tool", aggregate("metric: sum, tool: look, path: $.h").concat(`\n${OTHER}`)],
    ["a bind of an output", `${TOOL}\nbinds: [{ name: known, source: output, path: $.h }]`],
    ["a stage of an output", stages("tool: act, source: output, path: $.h", "tool: look, path: $.x")],
    [
      "limits and loop detection",
      `${TOOL}\n${SESSION}\nsession_limits: { max_tool_calls: 5, loop_detection: { window: 3, threshold: 2 } }`,
    ],
    [
      "a policy, whose paths are of the principal",
      `${TOOL}\n${SESSION}\npolicy: { rules: [{ deny: { principal: { path: $.h, equals: 1 }, tools: [act] } }] }`,
    ],
    ["a schema", `${TOOL}\nschema_derived: false\n${SCHEMA}`],
    [
      "the condition on the output of an earlier call",
      `${TOOL}\npreconditions: [{ requires_prior_tool: look, with_output: [{ path: $.h, exists: true }] }]\n${OTHER}`,
    ],
  ])("are none for %s", (_, pack) => {
    expect(argsOf(pack, "act")).toEqual({});
  });

  it("are those of the session's rules for a tool without a contract", () => {
    const pack = aggregate('metric: sum, tool: "*", path: $.a');
    expect(argsOf(pack, "unknown")).toEqual({ a: 1 });
    expect(argsOf(`${TOOL}\nargument_value_invariants: [{ path: $.a, gte: 0 }]`, "unknown")).toEqual({});
  });
});

/** Rules that check a call and remember something of it. */
const REMEMBERED: readonly (readonly [what: string, pack: string, kept: JsonObject])[] = [
  ["a bind", `${TOOL}\nbinds: [{ name: known, path: $.b.c }]`, { b: { c: "x" } }],
  ["a stage", stages("tool: act, path: $.b.c", "tool: look, path: $.x"), { b: { c: "x" } }],
  ["an aggregate", aggregate("metric: sum, tool: act, path: $.a"), { a: 1 }],
];

describe("the arguments that are checked and remembered", () => {
  it.each(REMEMBERED)("have to be stored for the check of %s alone", (_, pack, kept) => {
    const program = programOf(structuredClone(artifactOf(pack)));
    const checked = { ...toolOf(program, "act"), binds: [], stages: [], aggregates: [] };
    expect(neededFields(program).args(checked, ARGS)).toEqual(kept);
  });

  it.each(REMEMBERED)("have to be stored for the memory of %s alone", (_, pack, kept) => {
    const artifact = artifactOf(pack);
    const packs = artifact.packs.map((each) => ({
      ...each,
      tools: each.tools.map((tool) => ({ ...tool, checks: [] })),
    }));
    const program = programOf({ ...artifact, packs });
    expect(neededFields(program).args(toolOf(program, "act"), ARGS)).toEqual(kept);
  });
});

describe("the output that has to be stored", () => {
  it.each<[what: string, pack: string, kept: Json]>([
    ["a bind", `${TOOL}\nbinds: [{ name: known, source: output, path: "$.e[0].f" }]`, { e: [{ f: 1 }] }],
    [
      "a stage that sets a reference",
      stages("tool: act, source: output, path: $.a", "tool: look, path: $.x"),
      { a: 1 },
    ],
    ["a constrained stage", stages("tool: look, path: $.x", "tool: act, source: output, path: $.a"), { a: 1 }],
    [
      "the conditions of another tool's precondition",
      `${TOOL}\n${OTHER}\npreconditions: [{ requires_prior_tool: act, with_output: [{ path: $.a, exists: true }, { path: $.b.c, exists: true }] }]`,
      { a: 1, b: { c: "x" } },
    ],
  ])("is that of %s", (_, pack, kept) => {
    expect(outputOf(pack, "act")).toEqual(kept);
  });

  it.each<[what: string, pack: string, tool: string]>([
    ["a tool without rules", TOOL, "act"],
    [
      "invariants of the output, which are judged once",
      `${TOOL}\nassertions: { input_invariants: [], output_invariants: [{ path: $.h, exists: true }] }`,
      "act",
    ],
    ["a bind of an argument", `${TOOL}\nbinds: [{ name: known, path: $.h }]`, "act"],
    ["a tool without a contract", `${TOOL}\nbinds: [{ name: known, source: output, path: $.h }]`, "unknown"],
  ])("is none for %s", (_, pack, tool) => {
    expect(outputOf(pack, tool)).toBe(null);
  });
});

describe("the fields of a pack", () => {
  it("are prepared once for all sessions, and once for all tools without a contract", () => {
    const artifact = artifactOf(aggregate('metric: sum, tool: "*", path: $.a'));
    expect(neededFields(programOf(artifact))).toBe(neededFields(programOf(artifact)));
    const program = programOf(artifact);
    const fields = neededFields(program);
    expect(fields.args(toolOf(program, "one"), ARGS)).toEqual(fields.args(toolOf(program, "two"), ARGS));
  });
});
