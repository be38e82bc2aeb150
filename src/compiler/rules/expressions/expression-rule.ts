import type { ExpressionProblem, ExpressionProblemKind } from "../../expression/expression-problem.js";
import { type ExpressionPlace, packExpressions } from "../../expression/pack-expressions.js";
import { defineRule, type Rule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Found {
  readonly problem: ExpressionProblem;
  readonly tool: string | undefined;
  readonly where: "let" | ExpressionPlace;
}

/** What reading the expressions of a pack found, those of `let` included. */
export function* expressionProblems(context: RuleContext): Generator<Found> {
  const { lets, uses } = packExpressions(context);
  for (const { owner, lets: named } of lets) {
    for (const each of named.own.values()) {
      const part = each.read();
      for (const problem of part === "open" ? [] : part.problems) yield { problem, tool: owner?.name, where: "let" };
    }
  }
  for (const { owner, place: where, result } of uses) {
    for (const problem of result.ok ? [] : result.problems) yield { problem, tool: owner?.name, where };
  }
}

interface Definition {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** Declares the rule that reports one kind of problem of expressions. */
export function defineExpressionRule(kind: ExpressionProblemKind, definition: Definition): Rule {
  return defineRule<ExpressionProblem>({
    ...definition,
    code: kind,
    stage: "resolve",
    severity: "error",
    message: ({ message }) => message,
    help: ({ help }) => help,
    check(context, report) {
      for (const { problem, tool } of expressionProblems(context)) {
        if (problem.kind === kind) report(problem.span, problem, tool);
      }
    },
  });
}
