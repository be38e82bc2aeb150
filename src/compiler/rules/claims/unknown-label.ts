import type { Expression } from "../../../artifact/expression.js";
import { allParts } from "../../../artifact/expression-parts.js";
import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { packExpressions } from "../../expression/pack-expressions.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly label: string;
  readonly known: ReadonlySet<string>;
}

/** The label of `"label" in labels`; null for any other part. */
function askedIn(part: Expression): string | null {
  if (part.kind !== "binary" || part.op !== "in" || !readsLabels(part.right)) return null;
  const { left } = part;
  return left.kind === "literal" && typeof left.value === "string" ? left.value : null;
}

function readsLabels(part: Expression): boolean {
  return part.kind === "variable" && part.name === "labels";
}

/** The labels that expressions ask about; null where one may ask about any. */
function labelsAsked(context: RuleContext): readonly string[] | null {
  const { uses } = packExpressions(context);
  const parts = uses.flatMap(({ result }) => (result.ok ? allParts(result.expression.tree) : []));
  const asked = parts.flatMap((part) => askedIn(part) ?? []);
  return parts.filter(readsLabels).length > asked.length ? null : asked;
}

/** Labels are declared only in the gates and the expressions that use them. */
export const unknownLabel = defineRule<Params>({
  code: "unknown_label",
  stage: "graph",
  severity: "warning",
  what: "A claim names a label that no label gate names and no expression asks about.",
  why: "Without them the label changes nothing, so the claim can hold only by chance; usually one of the two is misspelt.",
  fix: "Correct the label, or add the gate under `label_gates` in session.yaml.",
  message: ({ label }) => `no label gate names the label ${quoted(label)}`,
  help: ({ label, known }) => didYouMean(label, known, "add a gate under `label_gates` in session.yaml"),
  check(context, report) {
    const gates = context.session?.policy?.label_gates ?? [];
    const asked = labelsAsked(context);
    if (asked === null) return;
    const known = new Set([...gates.flatMap(({ when_label: label }) => label ?? []), ...asked]);
    for (const { never } of context.claims?.claims ?? []) {
      const label = never?.when_label;
      if (never === undefined || label === undefined || known.has(label)) continue;
      report(valueSpan(never, "when_label"), { label, known }, never.tool);
    }
  },
});
