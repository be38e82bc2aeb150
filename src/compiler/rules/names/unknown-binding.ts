import type { Span } from "../../../diagnostics/source.js";
import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { keySpan, valueSpan } from "../../../language/located.js";
import { givenSessions } from "../../given-sessions.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import { expressionProblems } from "../expressions/expression-rule.js";

interface Params {
  readonly slot: string;
  readonly where: string;
  readonly known: Iterable<string>;
}

interface SlotReference {
  readonly slot: string;
  readonly span: Span;
  readonly where: string;
}

function* slotReferences(context: RuleContext): Generator<SlotReference> {
  for (const { contract } of context.tools) {
    for (const entry of contract.argument_value_invariants ?? []) {
      if (entry.ref !== undefined) yield { slot: entry.ref, span: valueSpan(entry, "ref"), where: "ref" };
    }
    for (const unbind of contract.unbinds ?? []) {
      if (unbind.name !== undefined) yield { slot: unbind.name, span: valueSpan(unbind, "name"), where: "unbinds" };
    }
  }
  for (const { given, where } of givenSessions(context)) {
    const bindings = given.bindings ?? {};
    for (const slot of Object.keys(bindings)) yield { slot, span: keySpan(bindings, slot), where };
  }
  for (const { when } of context.session?.aggregates ?? []) {
    for (const override of when ?? []) {
      if (override.binding !== undefined)
        yield { slot: override.binding, span: valueSpan(override, "binding"), where: "when" };
    }
  }
  for (const { problem, where } of expressionProblems(context)) {
    const { kind, name: slot, span } = problem;
    if (kind === "unknown_binding" && slot !== undefined) yield { slot, span, where };
  }
  const limits = context.session?.slot_limits ?? {};
  for (const slot of Object.keys(limits)) yield { slot, span: keySpan(limits, slot), where: "slot_limits" };
}

/** A slot that is never bound blocks calls permanently, or never changes a bound. */
export const unknownBinding = defineRule<Params>({
  code: "unknown_binding",
  stage: "resolve",
  severity: "error",
  what: "A rule refers to a slot that no contract binds.",
  why: "An unset slot blocks every call that must equal it, and a conditional bound on it never takes effect.",
  fix: "Add the slot to the `binds` of the tool that produces the value, or correct the name.",
  message: ({ slot, where }) => `${quoted(where)} refers to ${quoted(slot)}, which no contract binds`,
  help: ({ slot, known }) => didYouMean(slot, known, "add it to the `binds` of the tool that produces the value"),
  check(context, report) {
    const slots = context.slots();
    if (slots === null) return;
    for (const { slot, span, where } of slotReferences(context)) {
      if (!slots.has(slot)) report(span, { slot, where, known: slots.keys() });
    }
  },
});
