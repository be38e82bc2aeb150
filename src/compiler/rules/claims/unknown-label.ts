import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly label: string;
  readonly known: ReadonlySet<string>;
}

/** Labels are declared only in the gates that use them. */
export const unknownLabel = defineRule<Params>({
  code: "unknown_label",
  stage: "graph",
  severity: "warning",
  what: "A claim names a label that no label gate names.",
  why: "Without a gate the label changes nothing, so the claim can hold only by chance; usually one of the two is misspelt.",
  fix: "Correct the label, or add the gate under `label_gates` in session.yaml.",
  message: ({ label }) => `no label gate names the label ${quoted(label)}`,
  help: ({ label, known }) => didYouMean(label, known, "add a gate under `label_gates` in session.yaml"),
  check(context, report) {
    const gates = context.session?.policy?.label_gates ?? [];
    const known = new Set(gates.flatMap(({ when_label: label }) => label ?? []));
    for (const { never } of context.claims?.claims ?? []) {
      const label = never?.when_label;
      if (never === undefined || label === undefined || known.has(label)) continue;
      report(valueSpan(never, "when_label"), { label, known }, never.tool);
    }
  },
});
