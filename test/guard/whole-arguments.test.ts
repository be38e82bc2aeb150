import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { artifactOf } from "../support/guard-artifact.js";

const SECRET = "do not tell 4711";
const MEMBERS = 'an object with "id","secret"';

/** The refusal of a call whose arguments have a secret, after another call with the same arguments. */
async function refused(rules: string, definition?: object) {
  const schema = { name: "act", input_schema: { type: "object", ...definition } };
  const guard = await createGuard(
    artifactOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
envelopes:
  - name: near
    constraint: lte_ceiling
    reason: Near
    stages: [{ tool: look, path: $, role: ceiling }, { tool: far, path: $, role: constrained }]
#== look.yaml (with the required fields)
binds:
  - { name: id, path: $.id }
  - { name: seen, path: $ }
  - { name: by_id, path: $, key: $.id }
  - { name: all, path: $, collect: union }
#== far.yaml (with the required fields)
#== act.yaml (with the required fields)
${rules}
#== tools.json
[${JSON.stringify(schema)}]`),
    { env: {} },
  );
  const args = { id: 1, secret: SECRET };
  const looked = await guard.propose({ tool: "look", args });
  if (looked.kind === "allow") await guard.settle(looked.callId, { kind: "result", output: {} });
  const verdict = await guard.propose({ tool: rules === "" && definition === undefined ? "far" : "act", args });
  if (verdict.kind !== "block") throw new Error(`not refused: ${verdict.kind}`);
  return verdict;
}

describe("a refusal never shows all arguments of a call", () => {
  it.each([
    ['args == {"id": 2}', `args is ${MEMBERS}`],
    ['args in [{"id": 2}]', `args is ${MEMBERS}`],
    ["[args] == []", `args is ${MEMBERS}`],
    ['[1].map(x, args).all(all, all == {"id": 2})', `all is ${MEMBERS}`],
    ["args.map(name, args[name]) == []", `args is ${MEMBERS}`],
    ["args.exists_one(name, args[name] == 3)", `args is ${MEMBERS}`],
    ['{"x": args}.x == {}', `{"x": args}.x is ${MEMBERS}`],
    ["slots.seen == 3", `slots.seen is ${MEMBERS}`],
    ["slots.by_id[args.id] == 3", `slots.by_id[args.id] is ${MEMBERS}`],
    ["slots.all == []", `slots.all is [${MEMBERS}]`],
    ["slots.all.all(each, each == 3)", `each is ${MEMBERS}`],
  ])("by the expression %s", async (that, found) => {
    const verdict = await refused(`requires:\n  - that: |\n      ${that}\n    reason: The policy says so`);
    expect(verdict).toMatchObject({ reason: "requirement_failed", found });
    expect(JSON.stringify(verdict)).not.toContain(SECRET);
  });

  it.each([
    ["argument_value_invariants: [{ path: $, exact_match: x }]", MEMBERS],
    ["argument_value_invariants: [{ path: $, ref: id }]", MEMBERS],
    ["assertions: { input_invariants: [{ path: $, type: string }], output_invariants: [] }", MEMBERS],
    ["assertions: { input_invariants: [{ path: '$.*', type: boolean }], output_invariants: [] }", "1"],
    ["binds: [{ name: kept, path: $.id, key: $ }]", MEMBERS],
    ["binds: [{ name: kept, path: $, decode: json }]", MEMBERS],
    ["binds: [{ name: kept, path: $, key: '@.other' }]", MEMBERS],
    ["", `${MEMBERS} against ceiling ${MEMBERS}`],
  ])("by the rule %s", async (rules, found) => {
    const verdict = await refused(rules);
    expect(verdict.found).toBe(found);
    expect(JSON.stringify(verdict)).not.toContain(SECRET);
  });

  it.each([
    { required: ["other"] },
    { maxProperties: 1 },
    { minProperties: 3 },
    { anyOf: [{ required: ["other"] }, { required: ["another"] }] },
    { not: { required: ["id"] } },
    { const: { id: 2 } },
    { enum: [{ id: 2 }] },
  ])("by the schema %j", async (definition) => {
    const verdict = await refused("", definition);
    expect(verdict.found).toBe(MEMBERS);
    expect(JSON.stringify(verdict)).not.toContain(SECRET);
  });
});
