import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Span } from "../diagnostics/source.js";
import { listed } from "../diagnostics/wording.js";
import { keySpan, placesIn, valueSpan } from "../language/located.js";
import { type DefaultField, givenFields, takesDefault } from "../language/tool-defaults.js";
import type { RuleContext } from "./rule-context.js";

/** Of more tools only the number is said. */
const MOST_NAMED = 10;

const known = new WeakMap<RuleContext, Map<DefaultField, readonly string[]>>();

/** The tools that take a default, by name; found once, because many findings may be about one default. */
export function takersOf(context: RuleContext, field: DefaultField): readonly string[] {
  const defaults = context.session?.tool_defaults;
  if (defaults === undefined) return [];
  const byField = known.get(context) ?? new Map<DefaultField, readonly string[]>();
  known.set(context, byField);
  const takers =
    byField.get(field) ??
    context.tools.filter(({ contract }) => takesDefault(contract, defaults, field)).map(({ name }) => name);
  byField.set(field, takers);
  return takers;
}

function covers(outer: Span, inner: Span): boolean {
  return outer.source === inner.source && outer.start <= inner.start && inner.end <= outer.end;
}

/** A finding about a default, with the tools that take it: what is written once is a rule of all of them. */
export function withTakers(context: RuleContext, diagnostic: Diagnostic): Diagnostic {
  const defaults = context.session?.tool_defaults;
  if (defaults === undefined) return diagnostic;
  const { keys } = placesIn(defaults);
  const field = givenFields(defaults).find((each) => {
    const key = keys.get(each);
    return key !== undefined && covers({ ...key, end: valueSpan(defaults, each).end }, diagnostic.span);
  });
  const takers = field === undefined ? [] : takersOf(context, field);
  if (field === undefined || takers.length === 0) return diagnostic;
  const more = takers.length - MOST_NAMED;
  const names = listed(takers.slice(0, MOST_NAMED), more > 0 ? "," : "and");
  const message = `this default is taken by ${names}${more > 0 ? ` and ${more} more` : ""}`;
  return { ...diagnostic, related: [...(diagnostic.related ?? []), { span: keySpan(defaults, field), message }] };
}
