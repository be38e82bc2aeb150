import { parseProviderPattern } from "../../../base/provider-pattern.js";
import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { PROVIDER_FIELDS, type ProviderName } from "../../provider-fields.js";
import { defineRule } from "../../rule.js";

interface Params {
  /** A bare term, or the field that the path of another begins with. */
  readonly term: string;
  readonly isPath: boolean;
  readonly provider: ProviderName;
}

/** Names of models have a version, so a dash or a digit. */
function canBeModel(term: string): boolean {
  return /[-0-9]/.test(term);
}

/** The terms of a pattern that are neither a field of the provider's requests nor a model. */
function unknownTerms(pattern: string, provider: ProviderName): readonly Params[] {
  const parsed = parseProviderPattern(pattern);
  const terms = parsed.ok ? parsed.terms : [];
  return terms
    .map((term) => ({ term: term.kind === "bare" ? term.text : (term.path[0] ?? ""), isPath: term.kind === "value" }))
    .filter(({ term, isPath }) => !PROVIDER_FIELDS[provider].has(term) && (isPath || !canBeModel(term)))
    .map((unknown) => ({ ...unknown, provider }));
}

/** A field that no request has makes a pattern that matches none. */
export const unknownProviderField = defineRule<Params>({
  code: "unknown_provider_field",
  stage: "resolve",
  severity: "warning",
  what: "A provider pattern names a field that requests to this provider do not have.",
  why: "All terms of a pattern must match, so a pattern with a field that is never there stops no request.",
  fix: "Write a top-level field of the provider's request, `path.to.parameter=value`, or the name of a model.",
  message: ({ term, isPath, provider }) =>
    isPath
      ? `${quoted(term)} is not a field of ${provider} requests`
      : `${quoted(term)} is neither a field of ${provider} requests nor a model name`,
  help: ({ term, isPath, provider }) => {
    if (isPath && term.includes("[")) return "write an item of a list as a name of the path: `messages.0.role=system`";
    if (term.includes(".")) return `write which value is meant: \`${term}=value\``;
    return didYouMean(
      term,
      PROVIDER_FIELDS[provider],
      "write a top-level field of the request, `parameter=value`, or the name of a model",
    );
  },
  check(context, report) {
    for (const provider of ["anthropic", "openai"] as const) {
      const constraints = context.session?.provider_constraints?.[provider];
      for (const list of [constraints?.block_incompatible ?? [], constraints?.warn_incompatible ?? []]) {
        for (const [index, pattern] of list.entries()) {
          for (const unknown of unknownTerms(pattern, provider)) report(valueSpan(list, index), unknown);
        }
      }
    }
  },
});
