import {
  type Artifact,
  type CompiledAggregate,
  type CompiledCheck,
  type CompiledEnvelope,
  type CompiledPack,
  type CompiledTool,
  expressionsOf,
} from "../../artifact/compiled.js";
import { membersOf } from "../../artifact/members.js";
import type { Json } from "../../base/json.js";
import { isOperator, partsOf } from "../../operators/index.js";
import { preparedOf } from "../expression/of-pack.js";
import { providerRules } from "../model/request.js";
import { prepareMatchers } from "../values/match-pattern.js";
import { ArgumentFields } from "./argument-fields.js";
import { prepareCheck, type Watches } from "./prepare-check.js";
import type { PreparedPack, Program, Tool } from "./program.js";
import { collectionsOf, type SlotEffects, slotEffects } from "./slot-effects.js";
import type { Collection, ReferenceName, ToolStage, Watch } from "./tool-effects.js";

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

/** The tools whose calls forbid another tool. */
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

type Judging = Pick<Tool, "checks" | "glances" | "checkpoints" | "fields" | "loopWindow" | "readsNow">;

function judgingOf(compiled: readonly CompiledCheck[], pack: CompiledPack, watches: Watches): Judging {
  const fields = new ArgumentFields();
  const checks = compiled.flatMap((check) =>
    check.kind === "checkpoint" ? [] : [prepareCheck(check, { pack, watches, fields })],
  );
  return {
    checks,
    glances: {
      blind: checks.flatMap(({ blind }) => blind ?? []),
      surely: checks.flatMap(({ surely }) => surely ?? []),
    },
    checkpoints: compiled.flatMap((check) => (check.kind === "checkpoint" ? [check] : [])),
    fields,
    loopWindow: compiled.find((check) => check.kind === "loop_detection")?.window ?? null,
    readsNow: compiled.flatMap(expressionsOf).some((that) => preparedOf(that, pack).reads.now),
  };
}

/** Prepares what outputs are judged by, so that no settlement has to. */
function prepareEnsures({ ensures = [] }: CompiledTool, pack: CompiledPack): void {
  for (const { that } of ensures) preparedOf(that, pack);
}

function prepareTool(
  compiled: CompiledTool,
  pack: CompiledPack,
  {
    watches,
    forbidding,
    collections,
  }: {
    readonly watches: Watches;
    readonly forbidding: ReadonlySet<string>;
    readonly collections: readonly Collection[];
  },
): Tool {
  prepareEnsures(compiled, pack);
  return toolOf(compiled.name, judgingOf(compiled.checks, pack, watches), slotEffects(compiled, collections), {
    compiled,
    aggregates: aggregatesOf(pack.aggregates, compiled.name),
    isCounted: forbidding.has(compiled.name) || hasCallLimit(compiled.checks),
    stages: stagesOf(pack.envelopes, compiled.name),
    watches: [...watches.values()].filter(({ tool }) => tool === compiled.name),
    advancesTo: compiled.advances_to,
    commitsAtDispatch: compiled.commits === "at_dispatch",
    isRead: compiled.side_effect === "read",
  });
}

type OtherEffects = Omit<Tool, keyof Judging | keyof SlotEffects | "name">;

/** Field by field: spreads would give each tool a hidden class of its own, which slows down everything that reads one. */
function toolOf(name: string, judging: Judging, slots: SlotEffects, others: OtherEffects): Tool {
  return {
    name,
    compiled: others.compiled,
    checks: judging.checks,
    glances: judging.glances,
    checkpoints: judging.checkpoints,
    fields: judging.fields,
    loopWindow: judging.loopWindow,
    readsNow: judging.readsNow,
    aggregates: others.aggregates,
    isCounted: others.isCounted,
    stages: others.stages,
    watches: others.watches,
    binds: slots.binds,
    unbinds: slots.unbinds,
    rebinds: slots.rebinds,
    collections: slots.collections,
    advancesTo: others.advancesTo,
    commitsAtDispatch: others.commitsAtDispatch,
    isRead: others.isRead,
  };
}

/** The environment variables that a part of a pack compares with. */
export function variablesIn(part: unknown): readonly string[] {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (isOperator(value)) {
      const name = partsOf(value).variable(value);
      if (name !== null) names.add(name);
    } else for (const item of membersOf(value)) collect(item);
  };
  collect(part);
  return [...names];
}

function unmatchedTool(pack: CompiledPack): (name: string) => Tool {
  const judging = judgingOf(pack.unmatched_checks, pack, new Map());
  const others: OtherEffects = {
    compiled: null,
    aggregates: aggregatesOf(pack.aggregates, ""),
    isCounted: hasCallLimit(pack.unmatched_checks),
    stages: [],
    watches: [],
    advancesTo: null,
    commitsAtDispatch: false,
    isRead: false,
  };
  return (name) => toolOf(name, judging, NO_EFFECTS, others);
}

const NO_EFFECTS: SlotEffects = { binds: [], unbinds: [], rebinds: [], collections: [] };

/** Prepares every pattern that decisions, outputs and errors are matched with. */
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
  const collections = collectionsOf(pack);
  const context = { watches, forbidding, collections };
  const tools = new Map(pack.tools.map((tool) => [tool.name, prepareTool(tool, pack, context)]));
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of pack.phases?.transitions ?? []) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  const { aggregates, envelopes } = pack;
  return {
    pack,
    tools,
    watches: [...watches.values()],
    aggregates,
    envelopes,
    collections,
    edges,
    variables: variablesIn(pack),
    providers: providerRules(pack),
    unmatched: unmatchedTool(pack),
  };
}

const preparedPacks = new WeakMap<CompiledPack, PreparedPack>();

/** Prepares one pack of an artifact for one session; the parts that sessions share are prepared once. */
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
  return programOf(prepared, { artifact, principal, env: new Map(present) });
}

/** The program of one session. Field by field, like tools. */
export function programOf(
  prepared: PreparedPack,
  { artifact, principal, env }: Pick<Program, "artifact" | "principal" | "env">,
): Program {
  return {
    pack: prepared.pack,
    tools: prepared.tools,
    watches: prepared.watches,
    aggregates: prepared.aggregates,
    envelopes: prepared.envelopes,
    collections: prepared.collections,
    edges: prepared.edges,
    variables: prepared.variables,
    providers: prepared.providers,
    unmatched: prepared.unmatched,
    artifact,
    principal,
    env,
    refusals: new Map(),
  };
}
