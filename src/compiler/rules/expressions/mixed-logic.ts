import { quoted } from "../../../diagnostics/wording.js";
import type { ExpressionText } from "../../expression/expression-text.js";
import { mixedLogic as mixedIn } from "../../expression/mixed-logic.js";
import { packExpressions } from "../../expression/pack-expressions.js";
import { endOf } from "../../expression/tokens.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly operator: string;
}

interface Text {
  readonly source: ExpressionText;
  readonly tool: string | undefined;
}

/** The texts that are expressions. */
function* texts(context: RuleContext): Generator<Text> {
  const { lets, uses } = packExpressions(context);
  for (const { owner, lets: named } of lets) {
    for (const each of named.own.values()) {
      const part = each.read();
      if (part !== "open" && part.problems.length === 0) yield { source: each.entry.text, tool: owner?.name };
    }
  }
  for (const { owner, source, result } of uses) if (result.ok) yield { source, tool: owner?.name };
}

/** Readers do not agree on which of the two comes first. */
export const mixedLogic = defineRule<Params>({
  code: "mixed_logic",
  stage: "resolve",
  severity: "warning",
  what: "An expression has `&&` and `||` beside each other without parentheses.",
  why: "`&&` comes first, which readers of a policy often take the other way round.",
  fix: "Put parentheses around what belongs together.",
  message: ({ operator }) =>
    `${quoted(operator)} is mixed with ${quoted(operator === "&&" ? "||" : "&&")} without parentheses`,
  help: () => "put parentheses around what belongs together: `a || (b && c)`",
  check(context, report) {
    for (const { source, tool } of texts(context)) {
      for (const token of mixedIn(source.text))
        report(source.spanAt(token.start, endOf(token)), { operator: token.text }, tool);
    }
  },
});
