import { quoted } from "../../../diagnostics/wording.js";
import { type InferredUse, inferredUses } from "../../expression/inferences.js";
import { packExpressions } from "../../expression/pack-expressions.js";
import { guardedSlots, unsetComparisons } from "../../expression/written-forms.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import { placeOfPart, textOfPart } from "./surprise-rule.js";

type Use = InferredUse["use"];

interface Params {
  readonly slot: string;
  readonly text: string;
  /** The key, as it is written; null for a plain slot. */
  readonly key: string | null;
  readonly place: Use["place"];
}

const EFFECTS: Readonly<Record<Params["place"], string>> = {
  requires: "refuses the call",
  ensures: "rejects the output",
  checkpoint: "asks for approval",
};

/** The entries of `requires` that were judged before, by the contract that has them: they may ask whether a slot has a value. */
class Guards {
  private readonly entries = new Map<NamedTool | null, { readonly slots: readonly string[]; readonly use: Use }[]>();

  add({ use, expression }: InferredUse): void {
    const slots = use.place === "requires" ? guardedSlots(expression.tree) : [];
    if (slots.length === 0) return;
    const known = this.entries.get(use.owner) ?? [];
    this.entries.set(use.owner, known);
    known.push({ slots, use });
  }

  has(slot: string, { owner, tools }: Use): boolean {
    const before = [...(this.entries.get(null) ?? []), ...(owner === null ? [] : (this.entries.get(owner) ?? []))];
    return before.some(({ slots, use }) => slots.includes(slot) && tools.every((tool) => use.tools.includes(tool)));
  }
}

/**
 * Whether the calls of a tool come after those that bind a plain slot: it names a tool that binds it as prior, or its phases,
 * and then another rule looks at the ways there.
 */
function comesAfter(context: RuleContext, { owner }: Use, slot: string): boolean {
  if (owner === null) return false;
  const { preconditions = [], transitions } = owner.contract;
  const binders = context.slots()?.get(slot) ?? [];
  const initial = context.graph().initial;
  const isLater = transitions?.valid_in_phases?.every((phase) => phase !== initial) ?? false;
  return (
    isLater || preconditions.some(({ requires_prior_tool: prior }) => binders.some(({ tool }) => tool.name === prior))
  );
}

/** What has no value yet is not unequal: it cannot be judged, and that refuses the call. */
export const unsetComparison = defineRule<Params>({
  code: "unset_comparison",
  stage: "resolve",
  severity: "warning",
  what: "An expression compares a slot with `!=`, or negates it, and does not say what holds before the slot has a value.",
  why: "Before the first call that binds it the condition cannot be judged, so it refuses the call that it was meant to allow.",
  fix: "Say what holds before: `!(key in slots.done)` for a keyed slot, `!has(slots.done) || …` for a plain one.",
  message: ({ slot, text, place }) =>
    `before ${quoted(slot)} has a value, ${quoted(text)} cannot be judged and ${EFFECTS[place]}`,
  help: ({ slot, text, key }) =>
    key === null
      ? `write \`!has(slots.${slot}) || ${text}\``
      : `write \`!(${key} in slots.${slot})\`, or \`!(${key} in slots.${slot}) || ${text}\``,
  check(context, report) {
    const { slots } = packExpressions(context).surroundings;
    const guards = new Guards();
    for (const each of inferredUses(context)) {
      guards.add(each);
      for (const { part, of, slot } of unsetComparisons(each.expression.tree, slots)) {
        const key = of.kind === "index" ? textOfPart(each, of.index) : null;
        if (guards.has(slot, each.use) || (key === null && comesAfter(context, each.use, slot))) continue;
        const params = { slot, text: textOfPart(each, part), key, place: each.use.place };
        report(placeOfPart(each, part), params, each.use.owner?.name);
      }
    }
  },
});
