import type { PackRule, RuleBody } from "../../../artifact/pack-rules.js";
import { canonicalJson } from "../../../base/canonical-json.js";

/** Places, and texts that are only for people, do not affect meaning. */
const PLACES: ReadonlySet<string> = new Set(["at"]);
const WORDS: ReadonlySet<string> = new Set(["at", "reason", "because", "context", "timeout_seconds"]);
/** Values that users wrote: whatever their members are called, all of them matter. */
const OF_USERS: ReadonlySet<string> = new Set(["value", "values", "constants"]);
const NAMES: ReadonlySet<string> = new Set([...WORDS, "name"]);

function isPlace(value: object): boolean {
  return Object.keys(value).sort().join() === "file,line";
}

function without(value: unknown, keys: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, keys));
  if (typeof value !== "object" || value === null) return value;
  // A place used as a setting only means that the setting exists.
  if (isPlace(value)) return true;
  const kept = Object.entries(value).filter(([key]) => !keys.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, OF_USERS.has(key) ? item : without(item, keys)]));
}

/** A part of a pack without the places it was written at. */
export function contentOf(value: unknown): unknown {
  return without(value, PLACES);
}

/** Whether two rules judge the same, whatever their texts for people. */
export function isSameContent(one: RuleBody, other: RuleBody): boolean {
  return canonicalJson(without(one, WORDS)) === canonicalJson(without(other, WORDS));
}

type Entries = readonly { readonly path: { readonly text: string } }[];

function pathsOf(entries: Entries | null): readonly string[] {
  return (entries ?? []).map(({ path }) => path.text);
}

/** The topic and the details of a rule: rules with equal ones are two forms of one rule. */
function subject(body: RuleBody): { readonly topic: string; readonly details: readonly string[] } {
  switch (body.kind) {
    case "policy_deny":
      return { topic: "", details: pathsOf(body.entry.principal) };
    case "label_gate":
      return { topic: body.label, details: [] };
    case "forbidden_by":
      return { topic: body.tool, details: [] };
    case "precondition":
      return { topic: body.prior?.tool ?? "", details: pathsOf(body.prior?.with_output ?? null) };
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      return { topic: body.path.text, details: body.operators.map(({ op }) => op) };
    case "derived_invariant":
      return { topic: `${body.path.text} ${body.operator.op}`, details: [] };
    case "ref":
      return { topic: body.path.text, details: [body.slot] };
    case "capture":
      return { topic: body.path.text, details: [body.as ?? "", ...(body.each ?? []).map(({ text }) => text)] };
    case "aggregate":
      return { topic: body.aggregate.name, details: [] };
    case "envelope":
      return { topic: body.envelope.name, details: [] };
    case "checkpoint":
      return {
        topic: body.name ?? "",
        details: (body.when ?? []).map((entry) => ("that" in entry ? entry.that.text : entry.path.text)),
      };
    case "requires":
      return { topic: body.reason, details: [] };
    case "ensures":
      return { topic: body.requirement.reason, details: [] };
    case "output_invariant":
      return { topic: body.invariant.path.text, details: body.invariant.operators.map(({ op }) => op) };
    case "output_stage":
      return { topic: `${body.envelope.name} ${body.stage.path.text}`, details: [] };
    case "circuit_breaker":
      return { topic: body.of, details: [] };
    case "provider_block":
    case "provider_warn":
      return { topic: body.provider, details: [body.pattern] };
    case "floating_alias":
      return { topic: body.provider, details: [] };
    case "response_format":
      return { topic: body.demand.field, details: [] };
    default:
      return { topic: "", details: [] };
  }
}

const known = new WeakMap<PackRule, readonly string[]>();

/** Texts by which rules of two packs are matched, the most specific first; cached, because each is needed many times. */
export function subjectsOf(rule: PackRule): readonly string[] {
  const texts = known.get(rule) ?? subjectTexts(rule.body);
  known.set(rule, texts);
  return texts;
}

function subjectTexts(body: RuleBody): readonly string[] {
  const { topic, details } = subject(body);
  const exact = canonicalJson(contentOf(body));
  const meant = canonicalJson(without(body, NAMES));
  return [exact, meant, canonicalJson([body.kind, topic, [...details].sort()]), canonicalJson([body.kind, topic])];
}
