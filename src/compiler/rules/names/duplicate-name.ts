import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly kind: string;
  readonly name: string;
  readonly first: Span;
}

type Entries = readonly { readonly [key: string]: unknown }[];

function* namedLists(context: RuleContext): Generator<readonly [kind: string, key: string, entries: Entries]> {
  for (const { contract } of context.tools) {
    yield ["slot", "name", contract.binds ?? []];
    yield ["golden case", "id", contract.golden_cases ?? []];
  }
  yield ["phase", "name", context.session?.phases ?? []];
  yield ["aggregate", "name", context.session?.aggregates ?? []];
  yield ["envelope", "name", context.session?.envelopes ?? []];
  yield ["checkpoint", "name", context.session?.checkpoints ?? []];
  yield ["role", "name", context.workflow?.roles ?? []];
  yield ["shared resource", "alias", context.workflow?.shared_resources ?? []];
}

/** A name that two entries have identifies neither. */
export const duplicateName = defineRule<Params>({
  code: "duplicate_name",
  stage: "resolve",
  severity: "error",
  what: "Two entries of one list have the same name.",
  why: "Refusals and other rules refer to an entry by its name; with two of the same name it is not known which is meant.",
  fix: "Give each its own name, or merge them.",
  message: ({ kind, name }) => `the ${kind} ${quoted(name)} is declared twice`,
  help: () => "give each its own name, or merge them",
  related: ({ first }) => [{ span: first, message: "it is declared here first" }],
  check(context, report) {
    for (const [kind, key, entries] of namedLists(context)) {
      const firstOf = new Map<string, Span>();
      for (const entry of entries) {
        const name = entry[key];
        if (typeof name !== "string") continue;
        const first = firstOf.get(name);
        if (first === undefined) firstOf.set(name, valueSpan(entry, key));
        else report(valueSpan(entry, key), { kind, name, first });
      }
    }
  },
});
