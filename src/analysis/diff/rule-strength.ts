import type { CheckOf, CompiledAggregate, CompiledEnvelope } from "../../artifact/compiled.js";
import type { RuleBody, RuleKind } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { isDemandAsStrong, isPatternAsStrong, readBothWays } from "./model-strength.js";
import { ofEntries, ofOperators } from "./operator-strength.js";
import { contentOf, isSameContent } from "./rule-content.js";
import { ofSchema } from "./schema-strength.js";
import { all, both, inverse, ofLower, ofPermitted, ofUpper, type Strength } from "./strength.js";

type BodyOf = { readonly [K in RuleKind]: Extract<RuleBody, { readonly kind: K }> };
type Entry = BodyOf["policy_deny"]["entry"];

function ofPhase(before: CheckOf<"phase">, after: CheckOf<"phase">): Strength {
  if (before.advances_to !== after.advances_to) return "unclear";
  return ofPermitted(before.phases, after.phases);
}

function ofResource(before: CheckOf<"precondition">["prior"], after: CheckOf<"precondition">["prior"]): Strength {
  const [from, to] = [before?.resource?.text, after?.resource?.text];
  if (from === to) return "same";
  // With a demanded output, which call is the latest hangs on the entity.
  if (before?.with_output.length !== 0 || after?.with_output.length !== 0) return "unclear";
  if (to === undefined) return "looser";
  return from === undefined ? "tighter" : "unclear";
}

function ofPrior(before: CheckOf<"precondition">["prior"], after: CheckOf<"precondition">["prior"]): Strength {
  if (before === null || after === null) return before === after ? "same" : before === null ? "tighter" : "looser";
  if (before.tool !== after.tool) return "unclear";
  return both(ofEntries(before.with_output, after.with_output), ofResource(before, after));
}

/** Each entry names principals: by all of its conditions. */
function ofPrincipals(before: readonly Entry[], after: readonly Entry[]): Strength {
  const [one, other] = [before[0], after[0]];
  if (before.length === 1 && after.length === 1 && one !== undefined && other !== undefined) {
    return ofEntries(one.principal, other.principal);
  }
  const texts = (entries: readonly Entry[]) => entries.map((entry) => canonicalJson(contentOf(entry)));
  return ofPermitted(texts(before), texts(after));
}

/** More conditions of which one is enough ask for more approvals; more that must all be met ask for fewer. */
function ofConditions(before: CheckOf<"checkpoint">, after: CheckOf<"checkpoint">): Strength {
  if (before.when === null || after.when === null)
    return after.when === before.when ? "same" : after.when === null ? "tighter" : "looser";
  if (before.match !== after.match && before.when.length > 1) return "unclear";
  const texts = (entries: typeof before.when) => (entries ?? []).map((entry) => canonicalJson(contentOf(entry)));
  const listed = ofPermitted(texts(before.when), texts(after.when));
  if (listed === "same" || before.when.length !== after.when.length) {
    return after.match === "any" ? inverse(listed) : listed;
  }
  return inverse(ofEntries(before.when, after.when));
}

function ofCheckpoint(before: CheckOf<"checkpoint">, after: CheckOf<"checkpoint">): Strength {
  const silence = ofPermitted([before.on_timeout], [after.on_timeout]);
  const ofSilence = silence === "same" ? silence : after.on_timeout === "allow" ? "looser" : "tighter";
  return both(ofSilence, ofConditions(before, after));
}

function ofAggregate(before: CompiledAggregate, after: CompiledAggregate): Strength {
  const fixed = ({ metric, tools, path, when }: CompiledAggregate) =>
    canonicalJson([metric, tools, path, when.map(({ slot, operators }) => [slot, operators])]);
  if (fixed(before) !== fixed(after)) return "unclear";
  const overrides = before.when.flatMap(({ then_gte, then_lte }, at): Strength[] => {
    const other = after.when[at];
    return other === undefined ? [] : [ofLower(then_gte, other.then_gte), ofUpper(then_lte, other.then_lte)];
  });
  return all([ofLower(before.gte, after.gte), ofUpper(before.lte, after.lte), ...overrides]);
}

function ofEnvelope(before: CompiledEnvelope, after: CompiledEnvelope): Strength {
  const fixed = (envelope: CompiledEnvelope) => canonicalJson([envelope.constraint, contentOf(envelope.stages)]);
  return fixed(before) === fixed(after) ? ofUpper(before.band, after.band) : "unclear";
}

function ofDerived(before: CheckOf<"derived_invariant">, after: CheckOf<"derived_invariant">): Strength {
  const isOptional = before.optional === after.optional ? "same" : after.optional ? "looser" : "tighter";
  return all([ofOperators([before.operator], [after.operator]), ofPermitted(before.passes, after.passes), isOptional]);
}

const operatorsOnly = (a: BodyOf["input_invariant"], b: BodyOf["input_invariant"]) =>
  ofOperators(a.operators, b.operators);
const maximum = (a: { readonly max: number }, b: { readonly max: number }) => ofUpper(a.max, b.max);
const alike = (): Strength => "same";

const STRENGTHS: { readonly [K in RuleKind]: (before: BodyOf[K], after: BodyOf[K]) => Strength } = {
  gate: alike,
  policy_deny: (a, b) => inverse(ofEntries(a.entry.principal, b.entry.principal)),
  policy_allow: (a, b) => ofPrincipals(a.entries, b.entries),
  default_deny: alike,
  label_gate: alike,
  phase: ofPhase,
  forbidden_by: alike,
  precondition: (a, b) => both(ofPrior(a.prior, b.prior), ofLower(a.step_count, b.step_count)),
  max_steps: maximum,
  max_tool_calls: maximum,
  max_calls_per_tool: maximum,
  max_cost: maximum,
  loop_detection: (a, b) => both(inverse(ofUpper(a.window, b.window)), ofUpper(a.threshold, b.threshold)),
  schema: (a, b) => ofSchema(a.schema, b.schema),
  input_invariant: operatorsOnly,
  execution_constraint: (a, b) => ofOperators(a.operators, b.operators),
  argument_invariant: (a, b) => ofOperators(a.operators, b.operators),
  derived_invariant: ofDerived,
  ref: (a, b) =>
    a.slot === b.slot && a.path.text === b.path.text ? ofUpper(a.tolerance ?? 0, b.tolerance ?? 0) : "unclear",
  capture: alike,
  aggregate: (a, b) => ofAggregate(a.aggregate, b.aggregate),
  envelope: (a, b) => ofEnvelope(a.envelope, b.envelope),
  checkpoint: ofCheckpoint,
  output_invariant: (a, b) => ofOperators(a.invariant.operators, b.invariant.operators),
  output_stage: (a, b) => ofEnvelope(a.envelope, b.envelope),
  circuit_breaker: (a, b) => ofUpper(a.most, b.most),
  provider_block: readBothWays(isPatternAsStrong),
  provider_warn: readBothWays(isPatternAsStrong),
  floating_alias: alike,
  response_format: readBothWays(isDemandAsStrong),
};

/** Keeps kind and bodies together, so that both meet the comparison of their own kind. */
function compare<K extends RuleKind>(kind: K, before: BodyOf[K], after: RuleBody): Strength {
  return isOfKind(kind, after) ? STRENGTHS[kind](before, after) : "unclear";
}

function isOfKind<K extends RuleKind>(kind: K, body: RuleBody): body is BodyOf[K] {
  return body.kind === kind;
}

/** What a rule has become; `same` only where nothing that is judged differs. */
export function ofRule(before: RuleBody, after: RuleBody): Strength {
  if (isSameContent(before, after)) return "same";
  const strength = compare(before.kind, before, after);
  return strength === "same" ? "unclear" : strength;
}
