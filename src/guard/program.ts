import type {
  Artifact,
  CheckOf,
  CompiledAggregate,
  CompiledCheck,
  CompiledEnvelope,
  CompiledPack,
  CompiledTool,
} from "../artifact/compiled.js";
import type { CompiledInvariant, Place } from "../artifact/compiled-value.js";
import { partsOf } from "../artifact/parts.js";
import type { Json } from "../base/json.js";
import type { JsonPath } from "../base/json-path.js";
import { ArgumentFields } from "./argument-fields.js";
import type { FieldTest } from "./field-test.js";
import type { Environment } from "./judge-value.js";
import { prepareMatchers } from "./match-pattern.js";
import { type ProviderRules, providerRules } from "./model/request.js";
import { prepareCheck } from "./prepare-check.js";
import type { Proposal, Session } from "./session.js";
import type { Block } from "./verdict.js";

/** A precondition's prior tool, whose committed calls the session watches. */
export interface Watch {
  readonly index: number;
  readonly tool: string;
  readonly withOutput: readonly CompiledInvariant[];
  readonly resource: JsonPath | null;
}

/** The watches of a pack, by the preconditions that need them. */
export type Watches = ReadonlyMap<CompiledCheck, Watch>;

/** Judges a call; null lets it pass on to the next check. */
export type Run = (proposal: Proposal, session: Session, program: Program) => Block | null;

/** A check as the guard runs it. All of them have this one shape, which keeps running them fast. */
export interface Check {
  readonly kind: CompiledCheck["kind"];
  /** Where it was written; null where it stands for several rules. */
  readonly at: Place | null;
  readonly run: Run;
  /** Says quickly what most calls come to. */
  readonly test: FieldTest | null;
  /** Refuses a call that fails the test; the same as `run`, without judging it once more. */
  readonly refuse: Run;
  /** The part of it that does not look at arguments; null where there is none. */
  readonly blind: Run | null;
}

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
  /** The arguments its checks read by name. */
  readonly fields: ArgumentFields;
  readonly aggregates: readonly number[];
  /** Whether some check asks how often it was called. */
  readonly isCounted: boolean;
  /** How many proposals the loop detection looks at; null without one. */
  readonly loopWindow: number | null;
  readonly stages: readonly ToolStage[];
  readonly watches: readonly Watch[];
  readonly binds: CompiledTool["binds"];
  readonly advancesTo: string | null;
  readonly commitsAtDispatch: boolean;
  readonly isRead: boolean;
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
  /** What the pack says of requests to models. */
  readonly providers: ReadonlyMap<string, ProviderRules>;
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

function hasCallLimit(checks: readonly CompiledCheck[]): boolean {
  return checks.some(({ kind }) => kind === "max_calls_per_tool");
}

/** The tools of which a call forbids another tool. */
function forbiddingTools({ tools }: CompiledPack): ReadonlySet<string> {
  const checks = tools.flatMap((tool) => tool.checks);
  return new Set(checks.flatMap((check) => (check.kind === "forbidden_by" ? check.tools.map(({ tool }) => tool) : [])));
}

function watchesOf({ tools }: CompiledPack): Watches {
  const watches = new Map<CompiledCheck, Watch>();
  for (const check of tools.flatMap(({ checks }) => checks)) {
    if (check.kind !== "precondition" || check.prior === null) continue;
    const { tool, with_output: withOutput, resource } = check.prior;
    watches.set(check, { index: watches.size, tool, withOutput, resource });
  }
  return watches;
}

type Judging = Pick<Tool, "checks" | "checkpoints" | "fields" | "loopWindow">;

function judgingOf(compiled: readonly CompiledCheck[], pack: CompiledPack, watches: Watches): Judging {
  const fields = new ArgumentFields();
  return {
    checks: compiled.flatMap((check) =>
      check.kind === "checkpoint" ? [] : [prepareCheck(check, { pack, watches, fields })],
    ),
    checkpoints: compiled.flatMap((check) => (check.kind === "checkpoint" ? [check] : [])),
    fields,
    loopWindow: compiled.find((check) => check.kind === "loop_detection")?.window ?? null,
  };
}

function prepareTool(
  compiled: CompiledTool,
  pack: CompiledPack,
  { watches, forbidding }: { readonly watches: Watches; readonly forbidding: ReadonlySet<string> },
): Tool {
  const stages = stagesOf(pack.envelopes, compiled.name);
  return {
    name: compiled.name,
    compiled,
    ...judgingOf(compiled.checks, pack, watches),
    aggregates: aggregatesOf(pack.aggregates, compiled.name),
    isCounted: forbidding.has(compiled.name) || hasCallLimit(compiled.checks),
    stages,
    watches: [...watches.values()].filter(({ tool }) => tool === compiled.name),
    binds: compiled.binds,
    advancesTo: compiled.advances_to,
    commitsAtDispatch: compiled.commits === "at_dispatch",
    isRead: compiled.side_effect === "read",
  };
}

function variablesOf(pack: CompiledPack): readonly string[] {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("op" in value && value.op === "equals_env" && "name" in value) names.add(String(value.name));
    for (const item of partsOf(value)) collect(item);
  };
  collect(pack);
  return [...names];
}

function unmatchedTool(pack: CompiledPack): (name: string) => Tool {
  const common: Omit<Tool, "name"> = {
    compiled: null,
    ...judgingOf(pack.unmatched_checks, pack, new Map()),
    aggregates: aggregatesOf(pack.aggregates, ""),
    isCounted: hasCallLimit(pack.unmatched_checks),
    stages: [],
    watches: [],
    binds: [],
    advancesTo: null,
    commitsAtDispatch: false,
    isRead: false,
  };
  return (name) => ({ name, ...common });
}

/** Every pattern that a decision, an output or an error may be matched with. */
function preparePatterns({ tools, unmatched_checks: unmatched, aggregates }: CompiledPack): void {
  prepareMatchers(unmatched);
  prepareMatchers(aggregates.map(({ when }) => when));
  for (const { checks, output_invariants: outputs, allowed_errors: errors } of tools) {
    for (const part of [checks, outputs, errors]) prepareMatchers(part);
  }
}

function preparePack(pack: CompiledPack): PreparedPack {
  preparePatterns(pack);
  const watches = watchesOf(pack);
  const forbidding = forbiddingTools(pack);
  const tools = new Map(pack.tools.map((tool) => [tool.name, prepareTool(tool, pack, { watches, forbidding })]));
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of pack.phases?.transitions ?? []) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  const { aggregates, envelopes } = pack;
  return {
    pack,
    tools,
    watches: [...watches.values()],
    aggregates,
    envelopes,
    edges,
    variables: variablesOf(pack),
    providers: providerRules(pack),
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
