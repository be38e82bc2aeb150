import type { ProblemKind, ProblemOf } from "../language/problem.js";
import { defineRule, type Rule, type Wording } from "./rule.js";

/** The rule that words one kind of problem. */
export interface ProblemRule<K extends ProblemKind> extends Rule {
  readonly code: K;
}

/** Declares the rule that words one kind of problem found while reading. */
export function problemRule<K extends ProblemKind>(kind: K, wording: Wording<ProblemOf<K>>): ProblemRule<K> {
  const rule = defineRule<ProblemOf<K>>({
    ...wording,
    code: kind,
    stage: "read",
    severity: "error",
    check(context, report) {
      for (const problem of context.problems(kind)) report(problem.span, problem);
    },
  });
  return { ...rule, code: kind };
}
