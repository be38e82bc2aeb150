import { quoted } from "../../../diagnostics/wording.js";
import { keySpan } from "../../../language/located.js";
import { constantsIn } from "../../expression/pack-expressions.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly name: string;
}

/** A limit that is written down and never compared limits nothing. */
export const unusedConstant = defineRule<Params>({
  code: "unused_constant",
  stage: "graph",
  severity: "warning",
  what: "No expression reads a constant of session.yaml.",
  why: "Whoever reads or changes it believes that it matters, and no rule knows it.",
  fix: "Read it in the rule that it was meant for, or remove it.",
  message: ({ name }) => `no expression reads the constant ${quoted(name)}`,
  help: ({ name }) => `write ${quoted(`constants.${name}`)} in the expression that it is for, or remove it`,
  check(context, report) {
    const constants = context.session?.constants ?? {};
    const read = constantsIn(context);
    for (const name of Object.keys(constants)) if (!read.has(name)) report(keySpan(constants, name), { name });
  },
});
