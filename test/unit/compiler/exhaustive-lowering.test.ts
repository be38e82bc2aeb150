import { describe, expect, it } from "vitest";
import { type Edit, typeErrorsWith } from "../../support/type-errors.js";

/** The type errors of the lowering in a copy of the compiler with these changes. */
const errorsWith = (edits: readonly Edit[]) => typeErrorsWith("src/compiler/compile.ts", edits);

const SHARED = "src/language/schema/shared.ts";
const TOOL = "src/language/schema/tool.ts";
const SESSION = "src/language/schema/session.ts";

/** A new key in each kind of entry, and what then does not compile. */
const NEW_KEYS: readonly (readonly [kind: string, edit: Edit, where: string])[] = [
  [
    "an operator of the full family",
    [
      SHARED,
      'path: path("JSONPath into the judged value"), ...operatorFields("full") }',
      'path: path("JSONPath into the judged value"), new_full: Type.Optional(text("x")), ...operatorFields("full") }',
    ],
    "preconditionCheck",
  ],
  [
    "an invariant that is a rule of its own",
    [SHARED, '...operatorFields("full"), reason }', '...operatorFields("full"), reason, new_rule: reason }'],
    "argumentChecks",
  ],
  [
    "an operator of argument_value_invariants",
    [
      SHARED,
      '    ...operatorFields("value")',
      '    new_value: Type.Optional(text("x")),\n    ...operatorFields("value")',
    ],
    "argumentChecks",
  ],
  [
    "a condition of checkpoints",
    [
      SHARED,
      '...operatorFields("condition")',
      'new_condition: Type.Optional(text("x")), ...operatorFields("condition")',
    ],
    "lowerCondition",
  ],
  [
    "a condition that is an expression",
    [SHARED, "  { that: Object.assign(", '  { new_that: Type.Optional(text("x")), that: Object.assign('],
    "lowerCondition",
  ],
  [
    "an entry of requires and ensures",
    [SHARED, "  that: expression(", '  new_requirement: Type.Optional(text("x")),\n  that: expression('],
    "lowerRequirement",
  ],
  [
    "an entry of requires in session.yaml",
    [
      SESSION,
      "  { tools: Type.Optional(toolList(",
      '  { new_requirement: Type.Optional(text("x")), tools: Type.Optional(toolList(',
    ],
    "sessionRequirements",
  ],
  [
    "a condition on the principal",
    [
      SHARED,
      'path: path("JSONPath into the principal"), ',
      'path: path("JSONPath into the principal"), new_principal: Type.Optional(text("x")), ',
    ],
    "lowerPrincipal",
  ],
  [
    "the condition of an aggregate",
    [SESSION, "    then_gte: Type", '    new_override: Type.Optional(text("x")),\n    then_gte: Type'],
    "lowerAggregate",
  ],
  [
    "an envelope",
    [SESSION, "    band: Type", '    new_envelope: Type.Optional(text("x")),\n    band: Type'],
    "lowerEnvelope",
  ],
  [
    "a stage",
    [
      SESSION,
      '    role: Type.Enum(["ceiling"',
      '    new_stage: Type.Optional(text("x")),\n    role: Type.Enum(["ceiling"',
    ],
    "lowerStage",
  ],
  [
    "a label gate",
    [SESSION, "    when_label: text", '    new_gate: Type.Optional(text("x")),\n    when_label: text'],
    "labelGates",
  ],
  [
    "a checkpoint of the session",
    [
      SHARED,
      '    name: text("Unique name of the checkpoint"),',
      '    name: text("Unique name of the checkpoint"),\n    new_checkpoint: Type.Optional(text("x")),',
    ],
    "namedCheckpoint",
  ],
  [
    "a precondition",
    [
      TOOL,
      "    requires_step_count: Type",
      '    new_precondition: Type.Optional(text("x")),\n    requires_step_count: Type',
    ],
    "preconditionCheck",
  ],
  [
    "an allowed error",
    [TOOL, "    message_regex: Type", '    new_error: Type.Optional(text("x")),\n    message_regex: Type'],
    "lowerAllowedError",
  ],
  [
    "a bind",
    [TOOL, '    name: text("Slot name', '    new_bind: Type.Optional(text("x")),\n    name: text("Slot name'],
    "lowerBind",
  ],
  [
    "the response format",
    [
      TOOL,
      "          finish_reason: Type",
      '          new_format: Type.Optional(text("x")),\n          finish_reason: Type',
    ],
    "lowerResponseFormat",
  ],
];

/** An operator that the language has and the lowering lacks. */
const LOST_OPERATOR: Edit = [
  "src/operators/length-lte.ts",
  '    lower: (value) => ({ op: "length_lte", value }),\n',
  "",
];

describe("lowering", () => {
  it("compiles as it is", async () => {
    expect(await errorsWith([])).toEqual([]);
  }, 60_000);

  it("does not compile with a key that it drops, whichever entry has it, nor without an operator", async () => {
    const errors = await errorsWith([...NEW_KEYS.map(([, change]) => change), LOST_OPERATOR]);
    const missed = NEW_KEYS.filter(([, , where]) => !errors.some((error) => error.where === where));
    expect(missed.map(([kind]) => kind)).toEqual([]);
    expect(errors).toContainEqual({ where: "lengthLte", message: expect.stringContaining("'lower' is missing") });
  }, 60_000);
});
