import { allParts } from "../../../artifact/expression-parts.js";
import type { ExpressionProblem } from "../../expression/expression-problem.js";
import { MOST_PARTS } from "../../expression/inferences.js";
import { packExpressions } from "../../expression/pack-expressions.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import { expressionProblems } from "./expression-rule.js";

type Params = Pick<ExpressionProblem, "span" | "message" | "help">;

/** The first expression with which those of the pack are too large together. */
function excess(context: RuleContext): Params | null {
  let parts = 0;
  for (const { result, tools, source } of packExpressions(context).uses) {
    if (!result.ok) continue;
    parts += allParts(result.expression.tree).length * Math.max(1, tools.length);
    if (parts <= MOST_PARTS) continue;
    return {
      span: source.spanAt(0, source.text.length),
      message: `up to here the expressions have more than ${MOST_PARTS} parts, counted once for each tool that they are for`,
      help: "limit entries of session.yaml with `tools`, or write shorter expressions",
    };
  }
  return null;
}

/** Bounds on expressions keep every judgement, and the artifact, short. */
export const expressionTooLarge = defineRule<Params>({
  code: "expression_too_large",
  stage: "resolve",
  severity: "error",
  what: "An expression is longer than 4,096 characters after `let`, has more than 500 parts, nests more than three macros or goes through more than 100 `let`s; or all expressions of a pack have more than 250,000 parts, counted once for each tool.",
  why: "Judging a call has to stay short, whatever the arguments are, and the artifact has each expression for each of its tools.",
  fix: "Split it into several entries, each with its own reason, or limit entries of session.yaml with `tools`.",
  message: ({ message }) => message,
  help: ({ help }) => help,
  check(context, report) {
    for (const { problem, tool } of expressionProblems(context)) {
      if (problem.kind === "expression_too_large") report(problem.span, problem, tool);
    }
    const beyond = excess(context);
    if (beyond !== null) report(beyond.span, beyond);
  },
});
