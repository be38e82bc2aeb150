import type { CompiledPack } from "../../artifact/compiled.js";
import type { CompiledRule, Place } from "../../artifact/compiled-value.js";
import { isOfModel, type ModelRuleBody, type RuleBody } from "../../artifact/pack-rules.js";
import type { TypeName } from "../../base/json.js";
import { movedBound } from "../../base/moved-bound.js";
import { weakerThan } from "../../operators/index.js";
import { argumentPath } from "./argument-path.js";
import { narrowerEntries, weakerEntries } from "./changed-operators.js";
import { weakerExpressions } from "./weaker-expression.js";
import { weakerSchemas } from "./weaker-schema.js";

/** A rule on calls. */
type CallRuleBody = Exclude<RuleBody, ModelRuleBody>;
type BodyOf = { readonly [K in CallRuleBody["kind"]]: Extract<CallRuleBody, { readonly kind: K }> };

/** A weaker form of a rule; `what` says what the sentence of the rule would not show. */
export interface WeakerRule<B = RuleBody> {
  readonly body: B;
  readonly what?: string;
  /** A rule that refuses all that this form allows in addition, where that is less than the rule itself. */
  readonly lost?: RuleBody;
}

type Weaken<B> = (body: B, pack: CompiledPack) => readonly WeakerRule<B>[];

const none = (): readonly [] => [];

function each<B>(bodies: readonly B[]): readonly WeakerRule<B>[] {
  return bodies.map((body) => ({ body }));
}

/** Each way to replace one item of a list. */
function inTurn<T>(items: readonly T[], change: (item: T) => readonly T[]): readonly (readonly T[])[] {
  return items.flatMap((item, at) =>
    change(item).map((next) => items.map((old, index) => (index === at ? next : old))),
  );
}

/** The list without each of its items in turn. */
function withoutEach<T>(items: readonly T[]): readonly (readonly T[])[] {
  return items.map((_, at) => items.filter((__, index) => index !== at));
}

type ArgumentEntry = BodyOf["input_invariant" | "execution_constraint" | "argument_invariant"];

/** What is lost of an entry are the operators that its weaker form does not have. */
function lostOf<E extends CompiledRule>(entry: E, weaker: E): E {
  return { ...entry, operators: entry.operators.filter((operator) => !weaker.operators.includes(operator)) };
}

const entry = <B extends ArgumentEntry>(body: B) =>
  weakerEntries(body).map((weaker) => ({ body: weaker, lost: lostOf(body, weaker) }));

const limit = <B extends { readonly max: number }>(body: B) => each([{ ...body, max: movedBound(body.max, 1) }]);

/** Entries for fewer principals deny less. */
const denial: Weaken<BodyOf["policy_deny"]> = (body) =>
  each(
    inTurn(body.entry.principal, narrowerEntries).map((principal) => ({
      ...body,
      entry: { ...body.entry, principal },
    })),
  );

/** Entries for more principals allow more: with weaker conditions, or with one less of several. */
const permission: Weaken<BodyOf["policy_allow"]> = (body) =>
  each(
    inTurn(body.entries, (allowed) => {
      const weaker = inTurn(allowed.principal, weakerEntries);
      const fewer = allowed.principal.length > 1 ? withoutEach(allowed.principal) : [];
      return [...weaker, ...fewer].map((principal) => ({ ...allowed, principal }));
    }).map((entries) => ({ ...body, entries })),
  );

const phase: Weaken<BodyOf["phase"]> = (body, { phases }) =>
  each(
    (phases?.names ?? [])
      .filter((name) => !body.phases.includes(name))
      .map((name) => ({ ...body, phases: [...body.phases, name] })),
  );

const precondition: Weaken<BodyOf["precondition"]> = (body) => {
  const { prior, step_count: steps } = body;
  const weaker: BodyOf["precondition"][] = [];
  if (prior !== null) {
    if (prior.resource !== null) weaker.push({ ...body, prior: { ...prior, resource: null } });
    for (const outputs of [...withoutEach(prior.with_output), ...inTurn(prior.with_output, weakerEntries)]) {
      weaker.push({ ...body, prior: { ...prior, with_output: outputs } });
    }
  }
  if (steps !== null && steps > 1) weaker.push({ ...body, step_count: steps - 1 });
  if (steps !== null && prior !== null) weaker.push({ ...body, step_count: null }, { ...body, prior: null });
  return each(weaker);
};

const aggregate: Weaken<BodyOf["aggregate"]> = ({ kind, aggregate: given }) => {
  const { gte, lte, when, tools } = given;
  const weaker = [
    ...(gte === null ? [] : [{ ...given, gte: movedBound(gte, -1) }]),
    ...(lte === null ? [] : [{ ...given, lte: movedBound(lte, 1) }]),
    ...[
      ...withoutEach(when),
      ...inTurn(when, (entry) => [
        ...(entry.then_gte === null ? [] : [{ ...entry, then_gte: movedBound(entry.then_gte, -1) }]),
        ...(entry.then_lte === null ? [] : [{ ...entry, then_lte: movedBound(entry.then_lte, 1) }]),
      ]),
    ].map((entries) => ({ ...given, when: entries })),
    ...(tools === null || tools.length < 2 ? [] : withoutEach(tools).map((fewer) => ({ ...given, tools: fewer }))),
  ];
  return each(weaker.map((next) => ({ kind, aggregate: next })));
};

const envelope: Weaken<BodyOf["envelope"]> = ({ kind, envelope: given }) =>
  each(given.band === null ? [] : [{ kind, envelope: { ...given, band: 2 * given.band } }]);

type Condition = NonNullable<BodyOf["checkpoint"]["when"]>[number];

function narrowerConditions(condition: Condition): readonly Condition[] {
  return "that" in condition ? [] : narrowerEntries(condition);
}

/** A checkpoint asks less if one condition less is enough, or if all are needed. What silence means, no test can wait for. */
const checkpoint: Weaken<BodyOf["checkpoint"]> = (body) => {
  const { when, match } = body;
  const conditions = when ?? [];
  const fewer = conditions.length > 1 && match === "any" ? withoutEach(conditions) : [];
  return each([
    ...[...fewer, ...inTurn(conditions, narrowerConditions)].map((next) => ({ ...body, when: next })),
    ...(conditions.length > 1 && match === "any" ? [{ ...body, match: "all" as const }] : []),
  ]);
};

/** What a definition demanded of an argument, as a rule of its own. */
function lostRule(at: Place, name: string, type: TypeName | null): RuleBody {
  const path = argumentPath(name);
  return type === null
    ? { kind: "capture", at, path }
    : { kind: "argument_invariant", at, path, operators: [{ op: "type", value: type }] };
}

/** For every kind of rule, its weaker forms besides none at all; a new kind does not compile without an entry. */
const WEAKER: { readonly [K in keyof BodyOf]: Weaken<BodyOf[K]> } = {
  gate: none,
  policy_deny: denial,
  policy_allow: permission,
  default_deny: none,
  label_gate: none,
  phase,
  forbidden_by: none,
  precondition,
  max_steps: limit,
  max_tool_calls: limit,
  max_calls_per_tool: limit,
  max_calls_per_step: limit,
  max_cost: limit,
  loop_detection: (body) =>
    each([
      { ...body, threshold: body.threshold + 1 },
      { ...body, window: body.window - 1 },
    ]),
  schema: (body) =>
    weakerSchemas(body.schema).map(({ what, next, lost }) => {
      const weaker = { what, body: { ...body, schema: next } };
      return lost?.name == null ? weaker : { ...weaker, lost: lostRule(body.at, lost.name, lost.type) };
    }),
  input_invariant: entry,
  execution_constraint: entry,
  argument_invariant: entry,
  derived_invariant: (body) => each(weakerThan(body.operator).map((operator) => ({ ...body, operator }))),
  ref: (body) => each(body.tolerance === null ? [] : [{ ...body, tolerance: 2 * body.tolerance }]),
  capture: none,
  requires: (body) => each(weakerExpressions(body.that).map((that) => ({ ...body, that }))),
  ensures: ({ kind, requirement }) =>
    each(weakerExpressions(requirement.that).map((that) => ({ kind, requirement: { ...requirement, that } }))),
  aggregate,
  envelope,
  checkpoint,
  output_invariant: ({ kind, invariant }) =>
    weakerEntries(invariant).map((weaker) => ({
      body: { kind, invariant: weaker },
      lost: { kind, invariant: lostOf(invariant, weaker) },
    })),
  output_stage: none,
  circuit_breaker: (body) => each([{ ...body, most: body.most + 1 }]),
};

/** Keeps a body and the entry of its own kind together. */
function weaken<K extends keyof BodyOf>(kind: K, body: BodyOf[K], pack: CompiledPack): readonly WeakerRule[] {
  return WEAKER[kind](body, pack);
}

/** The weaker forms of a rule on calls, each with one thing changed. */
export function weakerRules(body: RuleBody, pack: CompiledPack): readonly WeakerRule[] {
  return isOfModel(body) ? [] : weaken(body.kind, body, pack);
}
