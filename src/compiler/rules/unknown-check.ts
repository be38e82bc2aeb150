import { suggest } from "../../base/suggest.js";
import { quoted } from "../../diagnostics/wording.js";
import { valueSpan } from "../../language/located.js";
import { defineRule } from "../rule.js";

interface Params {
  readonly check: string;
  readonly warnings: readonly string[];
  readonly isError: boolean;
}

/** A suppression of something that cannot be suppressed does nothing. */
export const unknownCheck = defineRule<Params>({
  code: "unknown_check",
  stage: "resolve",
  severity: "error",
  what: "A suppression names a check that does not exist or is an error.",
  why: "Only warnings can be suppressed; anything else would be a suppression without effect.",
  mend: "Use the code of a warning; an error has to be mended.",
  message: ({ check, isError }) =>
    isError ? `${quoted(check)} is an error and cannot be suppressed` : `there is no check ${quoted(check)}`,
  help({ check, warnings, isError }) {
    if (isError) return "mend what it finds";
    const meant = suggest(check, warnings);
    return meant === undefined
      ? "use the code of a warning, as `contracts check` prints it"
      : `did you mean ${quoted(meant)}?`;
  },
  check(context, report) {
    const { warnings, errors } = context.codes;
    for (const suppression of context.session?.graph_analysis?.suppress ?? []) {
      const { check } = suppression;
      if (check === undefined || warnings.includes(check)) continue;
      report(valueSpan(suppression, "check"), { check, warnings, isError: errors.includes(check) });
    }
  },
});
