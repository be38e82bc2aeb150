import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import type { Draft } from "../../../language/draft.js";
import { keySpan } from "../../../language/located.js";
import type { ToolContract } from "../../../language/schema/tool.js";
import { isLetName } from "../../expression/let-names.js";
import { VARIABLE_NAMES } from "../../expression/scope.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly name: string;
}

function* badNames(contract: Draft<Pick<ToolContract, "let">> | null): Generator<Params & { readonly span: Span }> {
  const named = contract?.let ?? {};
  for (const name of Object.keys(named)) if (!isLetName(name)) yield { name, span: keySpan(named, name) };
}

/** A name that already has a meaning would change what other expressions say. */
export const badLetName = defineRule<Params>({
  code: "bad_let_name",
  stage: "resolve",
  severity: "error",
  what: "A `let` has the name of a variable, a reserved word, or a name that no expression can write.",
  why: "It would hide what the name means, or could never be used.",
  fix: "Choose another name of letters, digits and `_`.",
  message: ({ name }) =>
    VARIABLE_NAMES.some((variable) => variable === name)
      ? `${quoted(name)} is a variable of every expression, so no \`let\` can have its name`
      : `${quoted(name)} is no name that an expression can use`,
  help: () => "choose another name of letters, digits and `_`",
  check(context, report) {
    for (const { name, span } of badNames(context.session)) report(span, { name });
    for (const { name: tool, contract } of context.tools) {
      for (const { name, span } of badNames(contract)) report(span, { name }, tool);
    }
  },
});
