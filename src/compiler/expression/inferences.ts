import { allParts } from "../../artifact/expression-parts.js";
import { isJsonObject, type Json } from "../../base/json.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { inferExpression } from "./infer.js";
import type { Outcome } from "./outcome.js";
import { type ExpressionUse, packExpressions } from "./pack-expressions.js";
import type { ReadExpression } from "./read-expression.js";
import { ANYTHING, ofKinds, type Shape, shapeOfArguments } from "./shape.js";
import type { Inference } from "./surprise.js";

/** What is certain about an expression for the calls of one tool. */
export interface InferredFor extends Inference {
  /** Null where the pack has no tool that it is for. */
  readonly tool: NamedTool | null;
  /** The outcome by the schema of the tool alone, which may accept arguments that it does not declare. */
  readonly bySchema: Outcome;
}

/** An expression without problems, with what is certain about it for each of its tools. */
export interface InferredUse {
  readonly use: ExpressionUse;
  readonly expression: ReadExpression;
  readonly inferred: readonly InferredFor[];
}

/** Keywords that may bring further properties. */
const OTHERS = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"];

/** The arguments that the definition of a tool names; null where it may have others. */
export function declaredArguments(context: RuleContext, tool: string): readonly string[] | null {
  const schema: Json | undefined = context.definition(tool)?.inputSchema;
  if (!isJsonObject(schema) || OTHERS.some((keyword) => keyword in schema)) return null;
  return isJsonObject(schema.properties) ? Object.keys(schema.properties) : null;
}

function acceptedBy(context: RuleContext, tool: NamedTool): Shape {
  const schema = context.inputSchemas().get(tool.name);
  return schema === undefined ? ofKinds("map") : shapeOfArguments(schema.check);
}

function argumentsOf(context: RuleContext, tool: NamedTool, isOfSession: boolean): Shape {
  const shape = acceptedBy(context, tool);
  const declared = isOfSession ? declaredArguments(context, tool.name) : null;
  if (declared === null) return shape;
  // A rule for many tools takes an argument that one of them does not declare for missing there.
  return {
    ...shape,
    member: (name) => (declared.includes(name) ? shape.member(name) : { presence: "never", shape: ANYTHING }),
  };
}

/** The most parts of all expressions of a pack, counted once for each tool: the artifact has each of them for each tool. */
export const MOST_PARTS = 250_000;

function infer(context: RuleContext): readonly InferredUse[] {
  const { uses, surroundings } = packExpressions(context);
  let left = MOST_PARTS;
  return uses.flatMap((use): readonly InferredUse[] => {
    if (!use.result.ok) return [];
    const { expression } = use.result;
    const tools: readonly (NamedTool | null)[] = use.tools.length === 0 ? [null] : use.tools;
    const isOfSession = use.owner === null && use.place === "requires";
    const parts = allParts(expression.tree).length;
    const inferred = tools.flatMap((tool): readonly InferredFor[] => {
      left -= parts;
      if (left < 0) return [];
      const inferWith = (args: Shape) =>
        inferExpression(expression.tree, { ...surroundings, args, tool: tool?.name ?? null });
      const inference = inferWith(tool === null ? ofKinds("map") : argumentsOf(context, tool, isOfSession));
      const isDeclared = tool === null || !isOfSession;
      const bySchema = isDeclared ? inference.outcome : inferWith(acceptedBy(context, tool)).outcome;
      return [{ tool, ...inference, bySchema }];
    });
    return [{ use, expression, inferred }];
  });
}

/** Whether an expression can be true for calls of a tool while a slot has no value. */
export function holdsWithout(
  context: RuleContext,
  { use, expression }: InferredUse,
  tool: NamedTool,
  slot: string,
): boolean {
  const { surroundings } = packExpressions(context);
  const isOfSession = use.owner === null && use.place === "requires";
  const facts = {
    ...surroundings,
    args: argumentsOf(context, tool, isOfSession),
    tool: tool.name,
    unset: new Set([slot]),
  };
  return inferExpression(expression.tree, facts).outcome.mayBeTrue;
}

const known = new WeakMap<RuleContext, readonly InferredUse[]>();

/** Every expression without problems, with what is certain about it. */
export function inferredUses(context: RuleContext): readonly InferredUse[] {
  const found = known.get(context) ?? infer(context);
  known.set(context, found);
  return found;
}
