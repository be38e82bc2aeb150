import { slotsIn } from "../../../artifact/expression-parts.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { inferredUses } from "../../expression/inferences.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import { formOf } from "../../slot-forms.js";

interface Params {
  readonly slot: string;
  readonly isPlain: boolean;
}

/** The slots that a rule reads; the bindings of golden cases only set them. */
function readSlots(context: RuleContext): ReadonlySet<string> {
  const invariants = context.tools.flatMap(({ contract }) => contract.argument_value_invariants ?? []);
  const overrides = (context.session?.aggregates ?? []).flatMap(({ when }) => when ?? []);
  const expressions = inferredUses(context).flatMap(({ expression }) => [...slotsIn(expression.tree)]);
  return new Set([
    ...expressions,
    ...invariants.flatMap(({ ref }) => ref ?? []),
    ...overrides.flatMap(({ binding }) => binding ?? []),
  ]);
}

/** A value that is stored and never compared protects nothing. */
export const unusedBind = defineRule<Params>({
  code: "unused_bind",
  stage: "graph",
  severity: "warning",
  what: "A tool binds a slot that nothing reads.",
  why: "The value is stored but never compared, so the check it was meant for is missing.",
  fix: "Add the `ref`, the expression or the aggregate's `when` that reads the slot, or drop the bind.",
  message: ({ slot }) => `nothing reads the slot ${quoted(slot)}`,
  help: ({ slot, isPlain }) =>
    isPlain
      ? `add ${quoted(`ref: ${slot}`)} where an argument must equal it, or drop the bind`
      : `read ${quoted(`slots.${slot}`)} in a \`requires\`, or drop the bind`,
  check(context, report) {
    const read = readSlots(context);
    for (const { name, contract } of context.tools) {
      for (const bind of contract.binds ?? []) {
        if (bind.name === undefined || read.has(bind.name)) continue;
        report(valueSpan(bind, "name"), { slot: bind.name, isPlain: formOf(bind).kind === "plain" }, name);
      }
    }
  },
});
