import type { CheckOf } from "../../../artifact/compiled.js";
import type { PackRule, RuleBody, RuleKind } from "../../../artifact/pack-rules.js";
import { SCALARS } from "../../../artifact/schema-places.js";
import { domainOf } from "../../../operators/index.js";
import { PhasePaths } from "../../proof/phase-paths.js";
import { isCheckpointKept } from "./checkpoint-strength.js";
import { areConstantsKept } from "./constants-read.js";
import { type Atom, areAtomsKept, atomsOf, demandAsMuch, isFalseOnlyWith, isSamePath } from "./entry-strength.js";
import { isDemandAsStrong, isPatternAsStrong } from "./model-strength.js";
import { isSchemaKept } from "./schema-strength.js";
import { isClosedTo } from "./schema-tests.js";
import { isAggregateKept, isEnvelopeKept } from "./session-value-strength.js";
import {
  type AsStrong,
  always,
  atLeast,
  atMost,
  equal,
  fewer,
  inEveryField,
  isWithin,
  type Reading,
  type Strength,
  strengthBy,
} from "./strength.js";

type BodyOf = { readonly [K in RuleKind]: Extract<RuleBody, { readonly kind: K }> };
type Prior = NonNullable<CheckOf<"precondition">["prior"]>;
type PolicyEntry = BodyOf["policy_deny"]["entry"];

/** A call for the same entity is also a call for any; but which call is the latest, whose output counts, depends on it. */
const isResourceKept: AsStrong<Prior> = (after, before) => {
  if (before.resource === null) return after.resource === null || before.with_output.length === 0;
  return after.resource !== null && isSamePath(after.resource, before.resource);
};

const isPriorKept = inEveryField<Prior>({
  tool: equal(({ tool }) => tool),
  with_output: (after, before) => demandAsMuch(after.with_output, before.with_output),
  resource: isResourceKept,
});

/** What cannot be judged is denied, so a denial covers another one if it surely does not apply only where the other surely does not. */
const isDenialKept = inEveryField<PolicyEntry>({
  at: always,
  because: always,
  principal: ({ principal: after }, { principal: before }) =>
    after.every((now) => before.some((then) => isFalseOnlyWith(now, then))),
});

const isPermissionKept = inEveryField<PolicyEntry>({
  at: always,
  because: always,
  principal: ({ principal: after }, { principal: before }) => demandAsMuch(after, before),
});

const areAtoms = (after: RuleBody, before: RuleBody) => areAtomsKept(atomsOf(after), atomsOf(before));
const place = { kind: always, at: always } as const;
const maximum = { ...place, max: atMost<{ readonly max: number }>(({ max }) => max) } as const;
const worded = { ...place, because: always } as const;
const entry = { ...worded, path: areAtoms, operators: always } as const;

/** For every kind of rule, whether its new form stops everything that its old form stops. */
const KEPT: { readonly [K in RuleKind]: AsStrong<BodyOf[K]> } = {
  gate: inEveryField<BodyOf["gate"]>({ ...place, source: always }),
  policy_deny: (after, before, reading) => isDenialKept(after.entry, before.entry, reading),
  policy_allow: (after, before, reading) =>
    after.entries.every((now) => before.entries.some((then) => isPermissionKept(now, then, reading))),
  default_deny: always,
  label_gate: inEveryField<BodyOf["label_gate"]>({ ...place, reason: always, label: equal(({ label }) => label) }),
  phase: inEveryField<BodyOf["phase"]>({
    ...worded,
    phases: fewer(({ phases }) => phases),
    advances_to: equal(({ advances_to: next }) => next),
  }),
  forbidden_by: equal(({ tool }) => tool),
  precondition: inEveryField<BodyOf["precondition"]>({
    ...worded,
    prior: ({ prior: after }, { prior: before }, reading) =>
      before === null || (after !== null && isPriorKept(after, before, reading)),
    step_count: atLeast(({ step_count: steps }) => steps),
  }),
  max_steps: inEveryField<BodyOf["max_steps"]>(maximum),
  max_tool_calls: inEveryField<BodyOf["max_tool_calls"]>(maximum),
  max_calls_per_tool: inEveryField<BodyOf["max_calls_per_tool"]>(maximum),
  max_calls_per_step: inEveryField<BodyOf["max_calls_per_step"]>(maximum),
  max_cost: inEveryField<BodyOf["max_cost"]>(maximum),
  loop_detection: inEveryField<BodyOf["loop_detection"]>({
    ...place,
    window: atLeast(({ window }) => window),
    threshold: atMost(({ threshold }) => threshold),
  }),
  schema: inEveryField<BodyOf["schema"]>({
    ...place,
    schema: ({ schema: after }, { schema: before }) => isSchemaKept(after, before),
  }),
  input_invariant: inEveryField<BodyOf["input_invariant"]>(entry),
  execution_constraint: inEveryField<BodyOf["execution_constraint"]>(entry),
  argument_invariant: inEveryField<BodyOf["argument_invariant"]>(entry),
  derived_invariant: inEveryField<BodyOf["derived_invariant"]>({
    ...place,
    path: areAtoms,
    operator: always,
    optional: always,
    passes: always,
  }),
  ref: inEveryField<BodyOf["ref"]>({
    ...worded,
    path: equal(({ path }) => path),
    slot: equal(({ slot }) => slot),
    tolerance: atMost(({ tolerance }) => tolerance ?? 0),
  }),
  capture: inEveryField<BodyOf["capture"]>({
    ...place,
    path: equal(({ path }) => path),
    decode: equal(({ decode }) => decode ?? null),
    as: equal(({ as }) => as ?? null),
    each: equal(({ each }) => each ?? null),
  }),
  requires: inEveryField<BodyOf["requires"]>({ ...place, reason: always, that: equal(({ that }) => that.tree) }),
  ensures: equal(({ requirement }) => requirement.that.tree),
  aggregate: (after, before, reading) => isAggregateKept(after.aggregate, before.aggregate, reading),
  envelope: (after, before, reading) => isEnvelopeKept(after.envelope, before.envelope, reading),
  checkpoint: isCheckpointKept,
  output_invariant: areAtoms,
  output_stage: (after, before, reading) =>
    isSamePath(after.stage.path, before.stage.path) && isEnvelopeKept(after.envelope, before.envelope, reading),
  circuit_breaker: (after, before) => after.of === before.of && after.most <= before.most,
  provider_block: isPatternAsStrong,
  provider_warn: isPatternAsStrong,
  floating_alias: equal(({ provider }) => provider),
  response_format: isDemandAsStrong,
};

/** Keeps kind and bodies together, so that both are compared by their own kind. */
function isKept<K extends RuleKind>(kind: K, after: RuleBody, before: RuleBody, reading: Reading): boolean {
  if (!isOfKind(kind, after) || !isOfKind(kind, before)) return false;
  return KEPT[kind](after, before, reading) && areConstantsKept(after, before, reading);
}

function isOfKind<K extends RuleKind>(kind: K, body: RuleBody): body is BodyOf[K] {
  return body.kind === kind;
}

/** The strength of a changed rule, by reading both forms. */
export function ofRule(before: RuleBody, after: RuleBody, reading: Reading): Strength {
  const isAsStrong: AsStrong<RuleBody> = (now, then, given) => isKept(then.kind, now, then, given);
  return strengthBy(isAsStrong, before, after, reading);
}

/** Whether the old rule names all phases of the new pack and leads on from each, so that it would refuse nothing. */
function isInAllPhases({ phases, advances_to: next }: BodyOf["phase"], { after, tool }: Reading): boolean {
  const current = after.tools.find(({ name }) => name === tool);
  if (current?.advances_to !== next || after.phases === null) return false;
  const paths = new PhasePaths(after);
  return after.phases.names.every((phase) => phases.includes(phase) && paths.leads(phase, next));
}

/** Whether each value that an atom lets pass can be remembered as the old rule demands. */
function isRemembered({ decode, as, each }: BodyOf["capture"], { operator, passes, optional }: Atom): boolean {
  if (optional || decode !== undefined || each !== undefined) return false;
  if (as === undefined) return true;
  return isWithin([...domainOf(operator).accepts.types, ...passes], SCALARS);
}

/** Whether a new schema accepts no value for an optional argument, so that it stops whatever the old rule on it stopped. */
function isRuledOut({ path, optional }: BodyOf["derived_invariant"], bodies: readonly RuleBody[]): boolean {
  const [name] = path.kind === "definite" ? path.steps : [];
  if (!optional || typeof name !== "string") return false;
  return bodies.some(
    (body) => body.kind === "schema" && typeof body.schema.root !== "boolean" && isClosedTo(body.schema.root, name),
  );
}

/** Whether the given rules of the tool stop everything that an old rule stops. */
export function isCovered({ body }: PackRule, rules: readonly PackRule[], reading: Reading): boolean {
  const bodies = rules.map((rule) => rule.body);
  if (bodies.some((after) => isKept(body.kind, after, body, reading))) return true;
  if (body.kind === "derived_invariant" && isRuledOut(body, bodies)) return true;
  switch (body.kind) {
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
    case "derived_invariant":
      return areAtomsKept(bodies.filter(({ kind }) => kind !== "output_invariant").flatMap(atomsOf), atomsOf(body));
    case "output_invariant":
      return areAtomsKept(bodies.filter(({ kind }) => kind === "output_invariant").flatMap(atomsOf), atomsOf(body));
    case "capture":
      return bodies
        .filter(({ kind }) => kind !== "output_invariant")
        .flatMap(atomsOf)
        .some((atom) => isSamePath(atom.path, body.path) && isRemembered(body, atom));
    case "provider_warn":
      // A refusal needs no warning.
      return bodies.some((after) => after.kind === "provider_block" && isPatternAsStrong(after, body));
    case "precondition":
      // An earlier call and a number of steps may be required by separate rules.
      return [
        { ...body, prior: null },
        { ...body, step_count: null },
      ].every((part) => bodies.some((after) => isKept(body.kind, after, part, reading)));
    case "policy_allow":
      return bodies.some(({ kind }) => kind === "default_deny");
    case "forbidden_by":
      return !reading.after.tools.some(({ name }) => name === body.tool);
    case "phase":
      return isInAllPhases(body, reading);
    default:
      return false;
  }
}
