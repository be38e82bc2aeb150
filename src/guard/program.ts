import type {
  Artifact,
  CheckOf,
  CompiledAggregate,
  CompiledCheck,
  CompiledEnvelope,
  CompiledPack,
  CompiledTool,
} from "../artifact/compiled.js";
import type { CompiledInvariant, CompiledOperator } from "../artifact/compiled-value.js";
import type { Json } from "../base/json.js";
import type { JsonPath } from "../base/json-path.js";
import type { Environment } from "./judge-value.js";
import type { Block } from "./verdict.js";

/** A precondition's prior tool, whose committed calls the session watches. */
export interface Watch {
  readonly index: number;
  readonly tool: string;
  readonly withOutput: readonly CompiledInvariant[];
  readonly resource: JsonPath | null;
}

/** A precondition that knows its watch. */
export interface Precondition extends CheckOf<"precondition"> {
  readonly watch: Watch | null;
}

/** An entry on the arguments, with its commonest form at hand: one name, one operator. */
export interface ArgumentCheck extends CompiledInvariant {
  readonly kind: "input_invariant" | "execution_constraint" | "argument_invariant";
  readonly key: string | null;
  readonly only: CompiledOperator | null;
}

/** The kinds of check that are not run as they stand in the artifact. */
type PreparedKind = "precondition" | "input_invariant" | "execution_constraint" | "argument_invariant";

/** A check as the guard runs it. */
export type Check = Exclude<CompiledCheck, { readonly kind: PreparedKind }> | Precondition | ArgumentCheck;

/** A stage of an envelope that a tool takes part in. */
export interface ToolStage {
  readonly envelope: number;
  readonly stage: CompiledEnvelope["stages"][number];
  /** The reference the stage writes; null for a constrained value that nothing is compared with later. */
  readonly writes: ReferenceName | null;
}

/** What an envelope remembers: a reference by role, or the last value of a monotonic one. */
export type ReferenceName = "ceiling" | "floor" | "anchor" | "last";

/** One tool with everything a call of it touches. */
export interface Tool {
  readonly name: string;
  /** Null for a tool without a contract. */
  readonly compiled: CompiledTool | null;
  readonly checks: readonly Check[];
  readonly checkpoints: readonly CheckOf<"checkpoint">[];
  readonly aggregates: readonly number[];
  /** How many proposals the loop detection looks at; null without one. */
  readonly loopWindow: number | null;
  readonly stages: readonly ToolStage[];
  readonly watches: readonly Watch[];
  readonly binds: CompiledTool["binds"];
  readonly advancesTo: string | null;
  readonly commitsAtDispatch: boolean;
  readonly isRead: boolean;
  /** Whether its output may turn out to break a rule, so that the call counts but satisfies nothing. */
  readonly canBeViolated: boolean;
}

/** One pack, made ready to judge calls; all sessions under it share it. */
interface PreparedPack {
  readonly pack: CompiledPack;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly watches: readonly Watch[];
  readonly aggregates: readonly CompiledAggregate[];
  readonly envelopes: readonly CompiledEnvelope[];
  /** From each phase, the phases that may follow it. */
  readonly edges: ReadonlyMap<string, ReadonlySet<string>>;
  /** The environment variables that rules of the pack read. */
  readonly variables: readonly string[];
  /** Makes the tool that stands for a name without a contract. */
  unmatched(name: string): Tool;
}

/** A pack for one session: who is calling and the environment do not change while it lasts. */
export interface Program extends PreparedPack {
  readonly artifact: Artifact;
  readonly principal: Json | null;
  readonly env: Environment;
  /** Policies judged so far: they depend on nothing that changes. */
  readonly refusals: Map<CheckOf<"policy">, Block | null>;
}

function referenceOf(
  constraint: CompiledEnvelope["constraint"],
  role: CompiledEnvelope["stages"][number]["role"],
): ReferenceName | null {
  if (role === "initial") return "last";
  if (role === "constrained") return constraint.startsWith("monotonic") ? "last" : null;
  return role;
}

function stagesOf(envelopes: readonly CompiledEnvelope[], tool: string): readonly ToolStage[] {
  return envelopes.flatMap(({ stages, constraint }, envelope) =>
    stages
      .filter((stage) => stage.tool === tool)
      .map((stage) => ({ envelope, stage, writes: referenceOf(constraint, stage.role) })),
  );
}

function aggregatesOf(aggregates: readonly CompiledAggregate[], tool: string): readonly number[] {
  return aggregates.flatMap(({ tools }, index) => (tools === null || tools.includes(tool) ? [index] : []));
}

function preparePrecondition(check: CheckOf<"precondition">, watches: Watch[]): Precondition {
  if (check.prior === null) return { ...check, watch: null };
  const { tool, with_output: withOutput, resource } = check.prior;
  const watch = { index: watches.length, tool, withOutput, resource };
  watches.push(watch);
  return { ...check, watch };
}

function onlyItem<T>(items: readonly T[]): T | null {
  return items.length === 1 ? (items[0] ?? null) : null;
}

function prepareArgumentCheck(
  check: CheckOf<"input_invariant" | "execution_constraint" | "argument_invariant">,
): ArgumentCheck {
  const step = check.path.kind === "definite" ? onlyItem(check.path.steps) : null;
  return { ...check, key: typeof step === "string" ? step : null, only: onlyItem(check.operators) };
}

function prepareChecks(checks: readonly CompiledCheck[], watches: Watch[]): readonly Check[] {
  return checks.map((check): Check => {
    switch (check.kind) {
      case "precondition":
        return preparePrecondition(check, watches);
      case "input_invariant":
      case "execution_constraint":
      case "argument_invariant":
        return prepareArgumentCheck(check);
      default:
        return check;
    }
  });
}

function loopWindowOf(checks: readonly Check[]): number | null {
  return checks.find((check) => check.kind === "loop_detection")?.window ?? null;
}

function checkpointsOf(checks: readonly Check[]): readonly CheckOf<"checkpoint">[] {
  return checks.flatMap((check) => (check.kind === "checkpoint" ? [check] : []));
}

function prepareTool(
  compiled: CompiledTool,
  pack: CompiledPack,
  checks: readonly Check[],
  watches: readonly Watch[],
): Tool {
  const stages = stagesOf(pack.envelopes, compiled.name);
  const judgesOutput = stages.some(({ stage }) => stage.role === "constrained" && stage.source === "output");
  return {
    name: compiled.name,
    compiled,
    checks: checks.filter(({ kind }) => kind !== "checkpoint"),
    checkpoints: checkpointsOf(checks),
    aggregates: aggregatesOf(pack.aggregates, compiled.name),
    loopWindow: loopWindowOf(checks),
    stages,
    watches: watches.filter(({ tool }) => tool === compiled.name),
    binds: compiled.binds,
    advancesTo: compiled.advances_to,
    commitsAtDispatch: compiled.commits === "at_dispatch",
    isRead: compiled.side_effect === "read",
    canBeViolated: compiled.output_invariants.length > 0 || judgesOutput,
  };
}

function variablesOf(pack: CompiledPack): readonly string[] {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("op" in value && value.op === "equals_env" && "name" in value) names.add(String(value.name));
    for (const item of Object.values(value)) collect(item);
  };
  collect(pack);
  return [...names];
}

function unmatchedTool(pack: CompiledPack): (name: string) => Tool {
  const all = prepareChecks(pack.unmatched_checks, []);
  const common: Omit<Tool, "name"> = {
    compiled: null,
    checks: all.filter(({ kind }) => kind !== "checkpoint"),
    checkpoints: checkpointsOf(all),
    aggregates: aggregatesOf(pack.aggregates, ""),
    loopWindow: loopWindowOf(all),
    stages: [],
    watches: [],
    binds: [],
    advancesTo: null,
    commitsAtDispatch: false,
    isRead: false,
    canBeViolated: false,
  };
  return (name) => ({ name, ...common });
}

function preparePack(pack: CompiledPack): PreparedPack {
  const watches: Watch[] = [];
  const checks = new Map(pack.tools.map((tool) => [tool.name, prepareChecks(tool.checks, watches)]));
  const tools = new Map(
    pack.tools.map((tool) => [tool.name, prepareTool(tool, pack, checks.get(tool.name) ?? [], watches)]),
  );
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of pack.phases?.transitions ?? []) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  const { aggregates, envelopes } = pack;
  return {
    pack,
    tools,
    watches,
    aggregates,
    envelopes,
    edges,
    variables: variablesOf(pack),
    unmatched: unmatchedTool(pack),
  };
}

const preparedPacks = new WeakMap<CompiledPack, PreparedPack>();

/** Makes one pack of an artifact ready to judge the calls of one session; what sessions can share is made once. */
export function prepareProgram(
  artifact: Artifact,
  pack: CompiledPack,
  { env, principal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly principal: Json | null },
): Program {
  const prepared = preparedPacks.get(pack) ?? preparePack(pack);
  preparedPacks.set(pack, prepared);
  const present = prepared.variables.flatMap((name): [string, string][] =>
    Object.hasOwn(env, name) && env[name] !== undefined ? [[name, env[name]]] : [],
  );
  return { ...prepared, artifact, principal, env: new Map(present), refusals: new Map() };
}
