import type { Expression } from "../../../artifact/expression.js";
import { quoted } from "../../../diagnostics/wording.js";
import { kindWords, type ValueKind } from "../../expression/value-kind.js";
import { defineRule } from "../../rule.js";
import { surprisesOf } from "./surprise-rule.js";

interface Params {
  readonly text: string;
  readonly kinds: Iterable<ValueKind>;
  readonly isWhole: boolean;
  /** The other side of `x == "a" || "b"`. */
  readonly compared: string | null;
  readonly joined: string;
}

/** The left side of the comparison before a value that stands alone, as in `x == "a" || "b"`. */
function comparedBefore(part: Expression, within: Expression): Expression | null {
  if ((within.kind !== "or" && within.kind !== "and") || within.right !== part) return null;
  const before = within.left.kind === within.kind ? within.left.right : within.left;
  return before.kind === "binary" && (before.op === "==" || before.op === "!=") ? before.left : null;
}

/** A rule is true or false; a value that is neither can never be judged. */
export const expressionNotBoolean = defineRule<Params>({
  code: "expression_not_boolean",
  stage: "resolve",
  severity: "error",
  what: "An expression, or a part that must be true or false, is of another kind.",
  why: "It can never be judged, so every call would be refused.",
  fix: "Compare the value with something.",
  message: ({ text, kinds, isWhole }) =>
    isWhole
      ? `the expression is ${kindWords(kinds)}, not a condition`
      : `${quoted(text)} is ${kindWords(kinds)}, and ${"`&&`, `||`, `!`, `? :` and macros"} take conditions`,
  help: ({ text, compared, joined }) =>
    compared === null
      ? "compare it with a value: `… == …`"
      : joined === "or"
        ? `write \`${compared} == ${text}\` again, or \`${compared} in [\u2026, ${text}]\``
        : `write \`${compared} == ${text}\` again`,
  check(context, report) {
    for (const { span, surprise, use, textOf } of surprisesOf(context, "no_boolean")) {
      const { part, within, kinds } = surprise;
      const before = comparedBefore(part, within);
      const compared = before === null ? null : textOf(before);
      const params = { text: textOf(part), kinds, isWhole: part === within, compared, joined: within.kind };
      report(span, params, use.owner?.name);
    }
  },
});
