import { quoted } from "../../../diagnostics/wording.js";
import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly constraint: string;
}

/** A width that the constraint does not use would do nothing. */
export const unusedBand = defineRule<Params>({
  code: "unused_band",
  stage: "resolve",
  severity: "error",
  what: "An envelope has a `band` that its constraint does not use.",
  why: "The band would do nothing; most likely `within_band` was meant.",
  fix: "Write `constraint: within_band`, or remove `band`.",
  message: ({ constraint }) => `\`band\` has no effect with ${quoted(constraint)}`,
  help: () => "write `constraint: within_band`, or remove `band`",
  check(context, report) {
    for (const envelope of context.session?.envelopes ?? []) {
      const { constraint, band } = envelope;
      if (constraint === undefined || constraint === "within_band" || band === undefined) continue;
      report(keySpan(envelope, "band"), { constraint });
    }
  },
});
