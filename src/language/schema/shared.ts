import Type, { type Static, type TOptional, type TSchema, type TUnsafe } from "typebox";
import type { Json } from "../../base/json.js";
import type { Family } from "../../operators/operator.js";
import { type Operands, operandSchema, type WordOf, wordsOf } from "../../operators/words.js";
import { SIDE_EFFECTS } from "../side-effects.js";

/** Pieces that the file kinds share. A `format` here is one of the language's own; see formats.ts for what each accepts. */

/** A mapping with exactly these keys. */
export function record<P extends Record<string, TSchema>>(properties: P, description?: string) {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });
}

/** A mapping whose keys are names that the user chose. */
export function namedMap<T extends TSchema>(item: T, description: string) {
  return Type.Unsafe<{ readonly [name: string]: Static<T> }>({
    type: "object",
    additionalProperties: item,
    description,
  });
}

/**
 * A key that only packs of language version 1.1 may have. It is optional, so that files of 1.0 need not have it;
 * later-keys.ts finds where it is used, and a rule refuses it in a pack of 1.0.
 */
export function later<T extends TSchema>(schema: T & { readonly description?: string }) {
  const optional = Type.Optional<T>(schema);
  return Object.assign(optional, { description: `${schema.description} (language version 1.1)`, since: "1.1" });
}

/** Any JSON value. */
export function anyValue(description: string) {
  return Type.Unsafe<Json>({ description });
}

export function text(description: string) {
  return Type.String({ description, minLength: 1 });
}

export function toolName(description: string) {
  return Type.String({ description, format: "tool-name" });
}

/** A path that may match several values. */
export function path(description: string) {
  return Type.String({ description, format: "json-path" });
}

/** A path made of names and indices only. */
export function definitePath(description: string) {
  return Type.String({ description, format: "definite-json-path" });
}

export function regex(description: string) {
  return Type.String({ description, format: "linear-regex" });
}

export function count(description: string, minimum = 0) {
  return Type.Integer({ description, minimum });
}

export const sideEffect = (description: string) => Type.Enum([...SIDE_EFFECTS], { description });

type OperatorFields<F extends Family> = { readonly [K in WordOf<F>]: TOptional<TUnsafe<Operands[K]>> };

/** The operators of a family, all optional. */
export function operatorFields<F extends Family>(family: F): OperatorFields<F> {
  const entries = wordsOf(family).map((word) => [word, Type.Optional(Type.Unsafe(operandSchema(word, family)))]);
  return Object.fromEntries(entries); // a field for every keyword of the family
}

/** One entry of the full operator family. */
export const invariant = record(
  { path: path("JSONPath into the judged value"), ...operatorFields("full") },
  "A path and at least one operator; all operators of the entry must hold",
);
export type Invariant = Static<typeof invariant>;

/** `reason` of a rule. */
export const reason = later(text("Why, in the words of the policy; refusals show it"));

/** An entry of the full operator family that is a rule of its own. */
export const ruleInvariant = record(
  { path: path("JSONPath into the judged value"), ...operatorFields("full"), reason },
  "A path and at least one operator; all operators of the entry must hold",
);

/** One entry of `argument_value_invariants`, the narrower family. */
export const valueInvariant = record(
  {
    path: path("JSONPath into the arguments"),
    ...operatorFields("value"),
    ref: Type.Optional(text("Name of a bound slot whose value the argument must equal")),
    tolerance: Type.Optional(
      Type.Number({ description: "Allowed relative difference from the bound number; only with ref", minimum: 0 }),
    ),
    reason,
  },
  "A path and at least one operator on the value there",
);
export type ValueInvariant = Static<typeof valueInvariant>;

/** One condition of a checkpoint. */
export const condition = record(
  { path: path("JSONPath into the arguments"), ...operatorFields("condition") },
  "A path and at least one operator",
);
export type Condition = Static<typeof condition>;

const principalCondition = record(
  { path: path("JSONPath into the principal"), ...operatorFields("full") },
  "A condition on who is calling",
);

/** One condition on the principal, or several that must all hold. */
export const principal = Type.Union([principalCondition, Type.Array(principalCondition, { minItems: 1 })], {
  description: "Who is meant: one condition, or several that must all hold",
});
export type PrincipalCondition = Static<typeof principalCondition>;
export type Principal = Static<typeof principal>;

/** A boolean expression in CEL; the compiler reads it. */
export function expression(description: string) {
  return Type.String({ description, minLength: 1 });
}

/** One condition of a checkpoint that is an expression. */
const expressionCondition = record(
  { that: Object.assign(expression("Expression that asks for approval (language version 1.1)"), { since: "1.1" }) },
  "An expression that asks for approval where it is true or cannot be judged",
);
export type ExpressionCondition = Static<typeof expressionCondition>;

/** `requires` and `ensures`: what must be true, and why. */
export const requirementFields = {
  that: expression("Expression that must be true"),
  reason: text("Why, in the words of the policy"),
};

/** `let`: names for expressions. */
export const letExpressions = namedMap(expression("The expression that the name stands for"), "Names for expressions");

const checkpointFields = {
  when: Type.Union(
    [Type.Literal("always"), Type.Array(Type.Union([condition, expressionCondition]), { minItems: 1 })],
    {
      description: "`always`, or the conditions that ask for approval",
    },
  ),
  when_side_effect: Type.Optional(sideEffect("Only for tools of this side effect; holds together with `when`")),
  match: Type.Optional(
    Type.Enum(["any", "all"], { description: "Whether any (default) or all conditions must be met" }),
  ),
  timeout_seconds: Type.Number({ description: "How long to wait for an approval, at least 30", minimum: 30 }),
  on_timeout: Type.Optional(
    Type.Enum(["deny", "allow"], { description: "What happens without a decision (default: deny)" }),
  ),
  context: Type.Optional(
    Type.Array(
      record({ path: path("JSONPath into the arguments"), label: text("How the field is called in the request") }),
      { description: "Fields that the approver is shown" },
    ),
  ),
  reason,
};

/** `checkpoint` of one tool. */
export const toolCheckpoint = record(checkpointFields, "Human approval before high-stakes calls");

/** One entry of `checkpoints` in session.yaml. */
export const sessionCheckpoint = record(
  {
    name: text("Unique name of the checkpoint"),
    tool: Type.String({ description: 'The tool to gate, or "*" for all', format: "tool-name-or-star" }),
    ...checkpointFields,
  },
  "Human approval before high-stakes calls",
);
export type Checkpoint = Static<typeof toolCheckpoint>;
export type SessionCheckpoint = Static<typeof sessionCheckpoint>;
