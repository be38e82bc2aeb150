import { describe, expect, it } from "vitest";
import { decodeArtifact } from "../../src/artifact/decode.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import {
  type AcceptedPack,
  type Files,
  inFolder,
  type RefusedPack,
  sessionText,
  testAccepted,
  testRefused,
  toolText,
} from "../support/hostile-pack.js";

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"];

/** Every place where the user may choose a name, filled with the one name. */
function everywhere(name: string): Files {
  const value = `{ ${name}: { ${name}: 1 } }`;
  const tool = toolText(
    {
      assertions: `{ input_invariants: [{ path: "$.${name}", equals: ${value} }], output_invariants: [] }`,
      golden_cases: `
  - id: ${name}
    arguments: ${value}
    given: { phase: ${name}, labels: [${name}], bindings: ${value}, principal: ${value}, history: [{ tool: ${name}, arguments: ${value}, output: ${value} }] }
    expect_ok: true`,
      allowed_errors: `[${name}, { code: ${name}, reason: ${name} }]`,
      transitions: `{ valid_in_phases: [${name}], advances_to: ${name} }`,
      forbids_after: `[${name}]`,
      binds: `[{ name: ${name}, path: "$['${name}']" }]`,
      argument_value_invariants: `[{ path: "$.${name}", ref: ${name} }]`,
    },
    name,
  );
  const session = sessionText({
    agent: name,
    phases: `[{ name: ${name}, initial: true }, { name: end, terminal: true }]`,
    transitions: `{ ${name}: [end, ${name}] }`,
    session_limits: `{ max_calls_per_tool: { ${name}: 1 } }`,
    policy: `{ label_gates: [{ when_label: ${name}, deny_tools: [${name}], reason: ${name} }] }`,
    resources: `{ ${name}: { type: ${name}, extract_from: { path: "$.${name}" } } }`,
    aggregates: `[{ name: ${name}, metric: count, tool: ${name}, lte: 1, reason: ${name}, when: [{ binding: ${name}, equals: ${value}, then_lte: 2 }] }]`,
  });
  const schema = {
    type: "object",
    properties: Object.fromEntries([[name, { $ref: `#/$defs/${name}` }]]),
    required: [name],
    $defs: Object.fromEntries([[name, { enum: [Object.fromEntries([[name, 1]])] }]]),
    dependentRequired: Object.fromEntries([[name, [name]]]),
  };
  return {
    [`${name}.yaml`]: tool,
    "session.yaml": session,
    "tools.json": JSON.stringify([{ name, input_schema: schema }]),
  };
}

function asWorkflow(name: string): Files {
  const files = Object.entries(everywhere(name)).map(([file, text]) => [`${name}/${file}`, text]);
  const workflow = `schema_version: "1.0"
workflow: ${name}
roles: [{ name: ${name}, session_contract: ${name}/session.yaml }, { name: starter, session_contract: ${name}/session.yaml }]
handoffs: [{ from: ${name}, to: ${name}, requires_artifacts: [${name}] }, { from: starter, to: ${name} }]
shared_resources: [{ alias: ${name}, mode: single_writer }]
`;
  return { ...Object.fromEntries(files), "workflow.yaml": workflow };
}

const packs: readonly AcceptedPack[] = NAMES.flatMap((name) => [
  { what: `a pack whose every name is ${name}`, files: () => everywhere(name) },
  { what: `a workflow whose every name is ${name}`, files: () => asWorkflow(name) },
]);

describe("names that every object has", () => {
  testAccepted(packs);

  it.each(packs.map((pack) => [pack.what, pack] as const))("%s has an artifact that keeps them", async (_, pack) => {
    const { artifact } = await inFolder(pack, (folder) => compileFolder(folder));
    if (artifact === null) throw new Error("the pack does not compile");
    expect(decodeArtifact(encodeArtifact(artifact))).toEqual({ ok: true, artifact });
  });
});

/** Places that allow only certain names, each with the code for any other. */
function misplaced(name: string): readonly RefusedPack[] {
  const tool = (what: string, code: string, text: string): RefusedPack => {
    return { what: `${name} as ${what}`, code, files: () => ({ "t.yaml": text }) };
  };
  const session = (what: string, code: string, fields: Readonly<Record<string, string>>): RefusedPack => {
    const files = () => ({ "t.yaml": toolText(), "session.yaml": sessionText(fields) });
    return { what: `${name} as ${what}`, code, files };
  };
  return [
    tool("a key of a contract", "unknown_key", `${toolText()}${name}: { polluted: true }\n`),
    tool("the only key of a contract", "missing_field", `${name}: { tool: t }\n`),
    tool("a key of a nested mapping", "unknown_key", toolText({ timeouts: `{ total_ms: 1, ${name}: 1 }` })),
    tool("a key in place of a required one", "missing_field", toolText({ timeouts: `{ ${name}: { total_ms: 1 } }` })),
    tool("a key of an operator entry", "unknown_key", toolText({ binds: `[{ name: a, path: $.a, ${name}: 1 }]` })),
    tool("a duplicate key", "duplicate_key", `${toolText()}${name}: 1\n${name}: 2\n`),
    tool("an alias that is not there", "unknown_alias", `${toolText()}x: *${name}\n`),
    tool("a side effect", "unknown_value", toolText({ side_effect: name })),
    tool("a tool that is not there", "unknown_tool", toolText({ forbids_after: `[${name}]` })),
    tool(
      "a slot that is not bound",
      "unknown_binding",
      toolText({ argument_value_invariants: `[{ path: $.a, ref: ${name} }]` }),
    ),
    tool("a phase that is not there", "unknown_phase", toolText({ transitions: `{ valid_in_phases: [${name}] }` })),
    tool(
      "a reason",
      "unknown_reason",
      toolText({ golden_cases: `[{ id: a, arguments: {}, expect_ok: false, expected_error: ${name} }]` }),
    ),
    session("a key of a session", "unknown_key", { [name]: "1" }),
    session("a limited tool that is not there", "unknown_tool", {
      session_limits: `{ max_calls_per_tool: { ${name}: 1 } }`,
    }),
    session("a risk class", "unknown_key", { risk_defaults: `{ ${name}: block }` }),
    session("a provider", "unknown_key", { provider_constraints: `{ ${name}: { warn_floating_alias: true } }` }),
    session("a suppressed check", "unknown_check", { graph_analysis: `{ suppress: [{ check: ${name}, reason: x }] }` }),
  ];
}

describe("names that every object has, out of place", () => {
  testRefused(NAMES.slice(0, 4).flatMap(misplaced));
});
