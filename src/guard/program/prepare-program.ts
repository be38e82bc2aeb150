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

/** How many keys, or values of a union, a slot keeps if the pack sets no limit. */
const DEFAULT_LIMIT = 10_000;

function collectionsOf({ slots = [] }: CompiledPack): readonly Collection[] {
  return slots
    .filter(({ kind }) => kind !== "plain")
    .map(({ name, kind, depth, limit }) => ({ name, kind, depth, limit: limit ?? DEFAULT_LIMIT }));
}

type SlotEffects = Pick<Tool, "binds" | "unbinds" | "rebinds" | "collections">;

function slotEffects({ binds, unbinds = [] }: CompiledTool, collections: readonly Collection[]): SlotEffects {
  const isPlain = (slot: string) => !collections.some(({ name }) => name === slot);
  const plain = binds.filter(({ slot }) => isPlain(slot));
  const isBound = (slot: string) => plain.some((bind) => bind.slot === slot);
  const cleared = [...new Set(unbinds.map(({ slot }) => slot))].filter(isPlain);
  const effects = collections.map(({ name }) => ({
    slot: name,
    unbinds: unbinds.filter(({ slot }) => slot === name),
    binds: binds.filter(({ slot }) => slot === name),
  }));
  return {
    binds: plain,
    unbinds: cleared.filter((slot) => !isBound(slot)),
    rebinds: cleared.filter(isBound),
    collections: effects.filter((effect) => effect.unbinds.length + effect.binds.length > 0),
  };
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

type Judging = Pick<Tool, "checks" | "checkpoints" | "fields" | "loopWindow" | "readsNow">;

function judgingOf(compiled: readonly CompiledCheck[], pack: CompiledPack, watches: Watches): Judging {
  const fields = new ArgumentFields();
  return {
    checks: compiled.flatMap((check) =>
      check.kind === "checkpoint" ? [] : [prepareCheck(check, { pack, watches, fields })],
    ),
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
  const stages = stagesOf(pack.envelopes, compiled.name);
  prepareEnsures(compiled, pack);
  return {
    name: compiled.name,
    compiled,
    ...judgingOf(compiled.checks, pack, watches),
    aggregates: aggregatesOf(pack.aggregates, compiled.name),
    isCounted: forbidding.has(compiled.name) || hasCallLimit(compiled.checks),
    stages,
    watches: [...watches.values()].filter(({ tool }) => tool === compiled.name),
    ...slotEffects(compiled, collections),
    advancesTo: compiled.advances_to,
    commitsAtDispatch: compiled.commits === "at_dispatch",
    isRead: compiled.side_effect === "read",
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
  const common: Omit<Tool, "name"> = {
    compiled: null,
    ...judgingOf(pack.unmatched_checks, pack, new Map()),
    aggregates: aggregatesOf(pack.aggregates, ""),
    isCounted: hasCallLimit(pack.unmatched_checks),
    stages: [],
    watches: [],
    binds: [],
    unbinds: [],
    rebinds: [],
    collections: [],
    advancesTo: null,
    commitsAtDispatch: false,
    isRead: false,
  };
  return (name) => ({ name, ...common });
}

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
  return { ...prepared, artifact, principal, env: new Map(present), refusals: new Map() };
}
