import {
  type CheckOf,
  type CompiledCheck,
  type CompiledEnvelope,
  type CompiledPack,
  type CompiledTool,
  pathConditions,
} from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Environment } from "../../guard/values/judge-value.js";
import { checksOf } from "../model/checks-of.js";
import { place, type Samples, type Side, type ValueClasses } from "../state/value-classes.js";
import { breakingValues, candidateValues, judgeBy, satisfyingValues } from "../values/operator-values.js";

/** The operators by which a check judges the value at its path. */
export function operatorsOf(check: CompiledCheck): readonly CompiledOperator[] {
  if (check.kind === "derived_invariant") return [check.operator];
  const isEntry =
    check.kind === "input_invariant" || check.kind === "execution_constraint" || check.kind === "argument_invariant";
  return isEntry ? check.operators : [];
}

/** What judging values takes. */
export interface Judging {
  readonly pack: CompiledPack;
  readonly samples: Samples;
  readonly env: Environment;
}

type Prior = NonNullable<CheckOf<"precondition">["prior"]>;

/** Whether a tool reads a value from the required answer of an earlier call that another answer would unset. */
function isRead({ checks }: CompiledTool, { tool: name, with_output: asked }: Prior, pack: CompiledPack): boolean {
  const isAsked = ({ source, path }: { readonly source: Side; readonly path: JsonPath }) =>
    source === "output" && asked.some((entry) => entry.path.text === path.text);
  const binds = pack.tools.find((tool) => tool.name === name)?.binds.filter(isAsked) ?? [];
  return checks.some((check) => {
    if (check.kind === "ref") return binds.some(({ slot }) => slot === check.slot);
    const stages = check.kind === "envelope" ? pack.envelopes[check.index]?.stages : undefined;
    return stages?.some((stage) => stage.tool === name && stage.role !== "constrained" && isAsked(stage)) === true;
  });
}

/** Links the entity of a call with that of the required earlier call. */
export function linkPrior(
  classes: ValueClasses,
  tool: CompiledTool,
  { prior, pack }: { readonly prior: Prior; readonly pack: CompiledPack },
): void {
  if (prior.resource === null) return;
  const source = place(prior.tool, "arguments", prior.resource);
  classes.join(place(tool.name, "arguments", prior.resource), source);
  // With several preconditions on one earlier tool, it may have to be called for another entity too.
  const asked = checksOf(tool.checks, "precondition").filter((check) => check.prior?.tool === prior.tool);
  if (asked.length > 1 || isRead(tool, prior, pack)) classes.use(source).plural.set(source.text, source);
}

/** The operators of a tool's argument rules at a path. */
function operatorsAt({ tools }: CompiledPack, name: string, path: JsonPath): readonly CompiledOperator[] {
  const checks = tools.find((tool) => tool.name === name)?.checks ?? [];
  return checks.flatMap((check) => ("path" in check && check.path.text === path.text ? operatorsOf(check) : []));
}

/** Values that operators refuse, including some that other operators accept. */
function refusedBy(
  operators: readonly CompiledOperator[],
  asked: readonly CompiledOperator[],
  env: Environment,
): readonly Json[] {
  const joint = candidateValues([...operators, ...asked], env);
  return [...breakingValues(operators, env), ...joint.filter((value) => judgeBy(operators, value, env) !== true)];
}

/** Wants entities that a rule refuses: they get past the precondition only if the earlier call had the same one. */
export function linkEntities(classes: ValueClasses, tool: CompiledTool, { pack, env }: Judging): void {
  const priors = checksOf(tool.checks, "precondition").flatMap(({ prior }) => prior ?? []);
  for (const check of tool.checks) {
    if (!("path" in check)) continue;
    const { path } = check;
    const sources = priors.filter(({ resource }) => resource?.text === path.text);
    const texts = new Set(sources.map((prior) => place(prior.tool, "arguments", path).text));
    if (texts.size === 0) continue;
    const others = tool.checks.filter((other) => other !== check && "path" in other && other.path.text === path.text);
    const asked = [...sources.flatMap((prior) => operatorsAt(pack, prior.tool, path)), ...others.flatMap(operatorsOf)];
    const refused = refusedBy(operatorsOf(check), asked, env);
    const alone = refused.filter((value) => judgeBy(others.flatMap(operatorsOf), value, env) === true);
    const [accepted] = satisfyingValues(operatorsAt(pack, tool.name, path), env);
    // The schema would also refuse a value of another type.
    const alike = alone.filter((value) => typeof value === typeof accepted);
    const best = [alike, alone, refused].find(({ length }) => length > 0);
    classes.want(place(tool.name, "arguments", path), best ?? [], texts);
  }
}

/** Outputs of earlier calls that a precondition refuses, though the earlier tool's own rules accept them. */
export function linkOutputs(classes: ValueClasses, { checks }: CompiledTool, { pack, samples, env }: Judging): void {
  for (const { prior } of checksOf(checks, "precondition")) {
    const rules = pack.tools.find(({ name }) => name === prior?.tool)?.output_invariants ?? [];
    for (const { path, operators } of prior?.with_output ?? []) {
      const at = place(prior?.tool ?? "", "output", path);
      const same = rules.filter((rule) => rule.path.text === path.text).flatMap((rule) => rule.operators);
      const refused = refusedBy(operators, same, env).find((value) =>
        samples.fits(prior?.tool ?? "", "output", path, value),
      );
      if (refused !== undefined) classes.use(at).distinguishing.set(canonicalJson(refused), refused);
    }
  }
}

/** The paths of entities in a tool's arguments. */
export function entitiesOf({ checks }: CompiledTool): ReadonlySet<string> {
  return new Set(checks.flatMap((check) => (check.kind === "precondition" ? (check.prior?.resource?.text ?? []) : [])));
}

/** The paths in a tool's arguments that must repeat a value of an earlier call. */
export function repeatedPaths({ checks }: CompiledTool): readonly (string | undefined)[] {
  return checks.flatMap((check) => {
    if (check.kind === "ref") return [check.path.text];
    return check.kind === "precondition" ? [check.prior?.resource?.text] : [];
  });
}

/** Whether an envelope accepts only values close to an earlier one, not all values on one side of it. */
function isNarrow({ constraint, stages }: CompiledEnvelope): boolean {
  if (constraint === "within_band") return true;
  const textsOf = (wanted: string) =>
    stages.flatMap(({ role, tool, source, path }) => (role === wanted ? [place(tool, source, path).text] : []));
  return constraint === "bounded" && textsOf("floor").some((text) => textsOf("ceiling").includes(text));
}

/** The paths in a tool's arguments that must be close to a value of another call. */
function narrowPaths({ name }: CompiledTool, { envelopes }: CompiledPack): readonly string[] {
  const stages = envelopes.filter(isNarrow).flatMap((envelope) => envelope.stages);
  return stages.flatMap(({ tool, role, source, path }) =>
    tool === name && role === "constrained" && source === "arguments" ? [path.text] : [],
  );
}

/** Wants values that meet a checkpoint's conditions where earlier calls determine them; best of one checkpoint alone. */
export function linkCheckpoints(classes: ValueClasses, tool: CompiledTool, { pack, samples, env }: Judging): void {
  const bound = new Set([...repeatedPaths(tool), ...narrowPaths(tool, pack)]);
  const checkpoints = checksOf(tool.checks, "checkpoint");
  for (const checkpoint of checkpoints) {
    for (const { path, operators } of pathConditions(checkpoint)) {
      if (!bound.has(path.text)) continue;
      const same = operatorsAt(pack, tool.name, path);
      const met = [operators, [...operators, ...same]].flatMap((all) => satisfyingValues(all, env));
      const fitting = met.filter((value) => samples.fits(tool.name, "arguments", path, value));
      const others = checkpoints.filter((other) => other !== checkpoint).flatMap(pathConditions);
      const apart = others.filter((other) => other.path.text === path.text);
      const alone = fitting.filter((value) => apart.every((other) => judgeBy(other.operators, value, env) === false));
      classes.want(place(tool.name, "arguments", path), alone.length > 0 ? alone : fitting);
    }
  }
}
