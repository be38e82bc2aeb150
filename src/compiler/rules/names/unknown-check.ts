import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly check: string;
  readonly known: readonly string[];
  readonly exists: boolean;
}

/** A suppression of something that cannot be suppressed does nothing. */
export const unknownCheck = defineRule<Params>({
  code: "unknown_check",
  stage: "resolve",
  severity: "error",
  what: "A suppression names a check that does not exist or cannot be suppressed.",
  why: "Only warnings can be suppressed; a suppression of anything else has no effect.",
  fix: "Use the code of a warning; an error has to be fixed.",
  message: ({ check, exists }) =>
    exists ? `${quoted(check)} cannot be suppressed` : `there is no check ${quoted(check)}`,
  help({ check, known, exists }) {
    if (exists) return "fix what it finds";
    return didYouMean(check, known, "use the code of a warning, as `contracts check` prints it");
  },
  check(context, report) {
    const { suppressible, others } = context.codes;
    for (const suppression of context.session?.graph_analysis?.suppress ?? []) {
      const { check } = suppression;
      if (check === undefined || suppressible.includes(check)) continue;
      report(valueSpan(suppression, "check"), { check, known: suppressible, exists: others.includes(check) });
    }
  },
});
