import type { CompiledPack, CompiledProvider } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { REASONS } from "../../artifact/reasons.js";
import type { JsonObject } from "../../base/json.js";
import { membersOf, providerOf, requestBody } from "./body.js";
import { isFloating, modelOf, type RequestPattern, requestPattern } from "./pattern-match.js";
import type { ModelRequest, RequestBlock, RequestVerdict, RequestWarning } from "./public.js";

/** A pattern and its place in the contracts. */
interface PatternRule extends RequestPattern {
  readonly at: Place;
}

/** The constraints of one provider, prepared to judge requests. */
export interface ProviderRules {
  readonly blocks: readonly PatternRule[];
  readonly warns: readonly PatternRule[];
  /** Null if floating names get no warning. */
  readonly floating: { readonly at: Place | null } | null;
}

function ready(patterns: CompiledProvider["block_incompatible"]): readonly PatternRule[] {
  return patterns.map(({ at, pattern }) => ({ at, ...requestPattern(pattern) }));
}

/** Prepares the constraints of a pack, by provider. */
export function providerRules({ providers }: CompiledPack): ReadonlyMap<string, ProviderRules> {
  return new Map(
    providers.map(({ name, block_incompatible: blocks, warn_incompatible: warns, warn_floating_alias: floating }) => [
      name,
      {
        blocks: ready(blocks),
        warns: ready(warns),
        floating: floating === false ? null : { at: floating === true ? null : floating },
      },
    ]),
  );
}

function blockOf({ at, text }: PatternRule, found: readonly string[]): RequestBlock {
  return {
    kind: "block",
    reason: "provider_incompatible",
    message: REASONS.provider_incompatible,
    rule: { ...at },
    pattern: text,
    required: `a request that does not match \`${text}\``,
    found: found.join(", "),
    hint: `change the request so that one of these no longer holds: ${found.join(", ")}`,
  };
}

/** The first pattern that blocks the request. */
function refusal(rules: ProviderRules, request: JsonObject): RequestBlock | null {
  for (const pattern of rules.blocks) {
    const found = pattern.matched(request);
    if (found !== null) return blockOf(pattern, found);
  }
  return null;
}

function warningsOf({ warns, floating }: ProviderRules, request: JsonObject): readonly RequestWarning[] {
  const warnings: RequestWarning[] = [];
  for (const { at, text, matched } of warns) {
    const found = matched(request);
    if (found === null) continue;
    const message = `the request matches \`${text}\`: ${found.join(", ")}`;
    warnings.push({ code: "provider_warning", pattern: text, message, rule: { ...at } });
  }
  const model = modelOf(request);
  if (floating !== null && model !== null && isFloating(model)) {
    const rule = floating.at === null ? {} : { rule: { ...floating.at } };
    const message = "the model is named without a date: name a dated version, so that it does not change unnoticed";
    warnings.push({ code: "floating_alias", message, ...rule });
  }
  return warnings;
}

/** Judges a request to a model. */
export function judgeRequest(
  rules: ReadonlyMap<string, ProviderRules>,
  mode: "enforce" | "shadow" | "log-only",
  given: ModelRequest,
): RequestVerdict {
  const { provider, request, parsed } = membersOf(given);
  const own = rules.get(providerOf(provider));
  const body = requestBody(request, parsed === true);
  if (own === undefined || mode === "log-only") return { kind: "allow", warnings: [] };
  const refused = refusal(own, body);
  if (refused !== null && mode === "enforce") return refused;
  const warnings = warningsOf(own, body);
  return { kind: "allow", warnings, ...(refused === null ? {} : { would: refused }) };
}
