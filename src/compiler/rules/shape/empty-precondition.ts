import { isDamaged } from "../../../language/draft.js";
import { keySpan, spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly parts: readonly string[];
}

/** An entry that requires nothing always holds. */
export const emptyPrecondition = defineRule<Params>({
  code: "empty_precondition",
  stage: "resolve",
  severity: "error",
  what: "A precondition requires nothing, or narrows a prior tool that it does not name.",
  why: "`with_output` and `resource` are about the call of `requires_prior_tool`; without it the entry would always hold.",
  fix: "Add `requires_prior_tool` or `requires_step_count`.",
  message: ({ parts }) =>
    parts.length === 0
      ? "the precondition requires nothing"
      : `${parts.map((part) => `\`${part}\``).join(" and ")} without \`requires_prior_tool\``,
  help: ({ parts }) =>
    parts.length === 0 ? "add `requires_prior_tool` or `requires_step_count`" : "add `requires_prior_tool`",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const entry of contract.preconditions ?? []) {
        if (entry.requires_prior_tool !== undefined || isDamaged(entry, "requires_prior_tool")) continue;
        const parts = (["with_output", "resource"] as const).filter((part) => entry[part] !== undefined);
        const steps = entry.requires_step_count !== undefined || isDamaged(entry, "requires_step_count");
        const [part] = parts;
        if (part !== undefined) report(keySpan(entry, part), { parts }, name);
        else if (!steps) report(spanOf(entry), { parts }, name);
      }
    }
  },
});
