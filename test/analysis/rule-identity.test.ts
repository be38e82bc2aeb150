import { describe, expect, it } from "vitest";
import type { Verification } from "../../src/analysis/verification.js";
import { verify } from "../../src/analysis/verify.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

async function verified(text: string): Promise<Verification> {
  const { artifact, claims, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const [only] = await verify(artifact, claims);
  if (only === undefined) throw new Error("a pack without tools");
  return only;
}

const statusOf = ({ rules }: Verification, kind: string) =>
  rules.filter(({ rule }) => rule.startsWith(kind)).map(({ status }) => status);

describe("rules are identified by their content, not by their place", () => {
  it("where two policy entries stand on one line", async () => {
    const found = await verified(`#== pay.yaml (with the required fields)
policy: { deny: [{ principal: { path: "$.a", equals: 1 } }, { principal: { path: "$.b", equals: 2 } }] }
`);
    expect(found.rules.map(({ rule }) => rule)).toEqual(["policy_deny@pay.yaml:1", "policy_deny@pay.yaml:1#2"]);
    expect(statusOf(found, "policy_deny")).toEqual(["fires", "fires"]);
    const [one, two] = found.rules.map(({ trace }) => trace?.principal);
    expect(one).toMatchObject({ a: 1 });
    expect(one).not.toMatchObject({ b: 2 });
    expect(two).toMatchObject({ b: 2 });
    expect(two).not.toMatchObject({ a: 1 });
  });

  it("where one entry denies whomever another denies too", async () => {
    const found = await verified(`#== pay.yaml (with the required fields)
policy:
  deny:
    - { principal: { path: "$.tier", lte: 5 } }
    - { principal: [{ path: "$.tier", lte: 5 }, { path: "$.kind", equals: bot }] }
`);
    expect(statusOf(found, "policy_deny")).toEqual(["fires", "never_alone"]);
    expect(found.rules[1]?.others).toEqual(["policy_deny@pay.yaml:3"]);
  });
});

describe("a rule that is written twice is one rule", () => {
  const entry = '{ path: "$.amount", gte: 3 }';

  it.each([
    ["input_invariant", `assertions: { input_invariants: [${entry}, ${entry}], output_invariants: [] }`],
    ["output_invariant", `assertions: { input_invariants: [], output_invariants: [${entry}, ${entry}] }`],
    ["execution_constraint", `execution_constraints: { arguments: [${entry}, ${entry}] }`],
    ["execution_constraint", `execution_constraints:\n  arguments:\n    - &twice ${entry}\n    - *twice`],
    ["policy_deny", `policy: { deny: [{ principal: ${entry} }, { principal: ${entry} }] }`],
  ])("%s in %s", async (kind, contract) => {
    const found = await verified(`#== pay.yaml (with the required fields)\n${contract}\n`);
    expect(statusOf(found, kind)).toEqual(["fires"]);
  });
});

describe("a rule is seen to act alone only where no other rule acts", () => {
  it("among checkpoints", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
checkpoints:
  - { name: all, tool: "*", when: always, timeout_seconds: 60 }
  - { name: large, tool: pay, when: [{ path: "$.amount", gte: 500 }], timeout_seconds: 60 }
#== pay.yaml (with the required fields)
`);
    expect(statusOf(found, "checkpoint")).toEqual(["fires", "never_alone"]);
  });

  it("among rules on one output", async () => {
    const found = await verified(`#== look.yaml (with the required fields)
assertions:
  input_invariants: []
  output_invariants:
    - { path: "$.count", gte: 3 }
    - { path: "$.count", gte: 5 }
`);
    expect(statusOf(found, "output_invariant")).toEqual(["never_alone", "fires"]);
  });

  it("among calls that forbid the same tool", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: half }
  - { name: done, terminal: true }
transitions: { open: [half], half: [done] }
#== first.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: half }
forbids_after: [pay]
#== second.yaml (with the required fields)
transitions: { valid_in_phases: [half] }
preconditions: [{ requires_prior_tool: first }]
forbids_after: [pay]
#== pay.yaml (with the required fields)
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [half], advances_to: done }
`);
    expect(statusOf(found, "forbidden_by")).toEqual(["fires", "never_alone"]);
  });
});

describe("what counts calls is tried with more than one call after the other", () => {
  it("a loop of calls that failed, where one that succeeds forbids the next", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
session_limits: { loop_detection: { window: 4, threshold: 3 } }
#== pay.yaml (with the required fields)
side_effect: write
forbids_after: [pay]
`);
    expect(statusOf(found, "loop_detection")).toEqual(["fires"]);
  });

  it("a breaker that only failures of several tools in turn trip", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
session_limits:
  loop_detection: { window: 2, threshold: 2 }
  circuit_breaker: { consecutive_errors: 3 }
#== one.yaml (with the required fields)
#== two.yaml (with the required fields)
#== tools.json
[
  { "name": "one", "input_schema": { "type": "object", "properties": {}, "additionalProperties": false } },
  { "name": "two", "input_schema": { "type": "object", "properties": {}, "additionalProperties": false } }
]
`);
    expect(statusOf(found, "circuit_breaker")).toEqual(["fires"]);
  });

  it("a limit of calls that only several calls in one step reach", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
session_limits: { max_steps: 2, max_calls_per_tool: { pay: 4 } }
#== pay.yaml (with the required fields)
`);
    expect(statusOf(found, "max_calls_per_tool")).toEqual(["fires"]);
  });

  it("a sum that only results which never came fill", async () => {
    const found = await verified(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: done, terminal: true }
transitions: { open: [done] }
aggregates: [{ name: paid, metric: sum, tool: pay, path: "$.amount", lte: 150, reason: enough }]
#== pay.yaml (with the required fields)
side_effect: financial
argument_value_invariants: [{ path: "$.amount", gte: 1, lte: 100 }]
preconditions: [{ requires_prior_tool: start }]
#== start.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`);
    expect(statusOf(found, "aggregate")).toEqual(["fires"]);
  });
});

describe("what asks for nothing is no rule", () => {
  it.each(['{ "type": "object" }', "{}", '{ "type": "object", "properties": { "a": {}, "b": true } }'])(
    "a schema that any arguments fit: %s",
    async (schema) => {
      const found = await verified(`#== look.yaml (with the required fields)
#== tools.json
[{ "name": "look", "description": "d", "inputSchema": ${schema} }]
`);
      expect(found.rules).toEqual([]);
    },
  );

  it("but not one that asks for something", async () => {
    const found = await verified(`#== look.yaml (with the required fields)
#== tools.json
[{ "name": "look", "inputSchema": { "type": "object", "properties": { "a": { "type": "array", "items": { "type": "string" } } } } }]
`);
    expect(found.rules.length).toBeGreaterThan(0);
    expect(found.rules.map(({ status }) => status)).not.toContain("cannot_fire");
  });
});
