import { quoted } from "../../../diagnostics/wording.js";
import { defineRule } from "../../rule.js";
import { isMatchKey, writtenKeys } from "../../slot-forms.js";

interface Params {
  readonly key: string;
}

/** A key that is never found would leave the whole slot unknown after every call. */
export const unmatchedKey = defineRule<Params>({
  code: "unmatched_key",
  stage: "resolve",
  severity: "error",
  what: "A key of `unbinds` is read from `@`, the match of a path.",
  why: "An unbind has no path, so there is no match that its key could be read from.",
  fix: "Read the key from the arguments, such as `$.id`, or from the output with `{ source: output, path: $.id }`.",
  message: ({ key }) => `${quoted(key)} is read from the match of a path, and an unbind has none`,
  help: ({ key }) =>
    `write ${quoted(`$${key.slice(1)}`)} for a key in the arguments, or ${quoted(`{ source: output, path: $${key.slice(1)} }`)}`,
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const unbind of contract.unbinds ?? []) {
        for (const { span, part } of writtenKeys(unbind)) if (isMatchKey(part)) report(span, { key: part }, name);
      }
    }
  },
});
