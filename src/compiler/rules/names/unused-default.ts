import { quoted } from "../../../diagnostics/wording.js";
import { isDamaged, isLost } from "../../../language/draft.js";
import { keySpan } from "../../../language/located.js";
import { givenFields } from "../../../language/tool-defaults.js";
import { defineRule } from "../../rule.js";
import { takersOf } from "../../taken-defaults.js";

interface Params {
  readonly field: string;
}

/** A default that every contract replaces is read as a rule of the pack, and is none. */
export const unusedDefault = defineRule<Params>({
  code: "unused_default",
  stage: "resolve",
  severity: "warning",
  what: "No tool takes a default of `tool_defaults`.",
  why: "Whoever reads session.yaml takes it for a rule of the pack, and every contract has its own.",
  fix: "Remove the default, or the field from the contracts that should take it.",
  message: ({ field }) => `no tool takes the default of ${quoted(field)}`,
  help: ({ field }) => `remove it, or leave ${quoted(field)} out of the contracts that should take it`,
  check(context, report) {
    const defaults = context.session?.tool_defaults;
    // A contract that could not be read may take any.
    if (defaults === undefined || context.tools.some(({ contract }) => isLost(contract))) return;
    for (const field of givenFields(defaults)) {
      if (!isDamaged(defaults, field) && takersOf(context, field).length === 0)
        report(keySpan(defaults, field), { field });
    }
  },
});
