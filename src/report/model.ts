import type {
  Artifact,
  CheckOf,
  CompiledCheck,
  CompiledPack,
  CompiledSlot,
  CompiledTool,
} from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import { packName } from "../artifact/pack-name.js";
import { slotsOfTool } from "../artifact/slots-of-check.js";
import type { JsonObject } from "../base/json.js";
import { type WorkflowModel, workflowModel } from "./workflow-model.js";

/** A phase of a session. */
export interface PhaseModel {
  readonly name: string;
  readonly isInitial: boolean;
  readonly isTerminal: boolean;
}

/** A declared transition between two phases, and the tools whose calls take it; without a tool it is never taken. */
export interface TransitionModel {
  readonly from: string;
  readonly to: string;
  readonly tools: readonly string[];
}

/** A tool, the phases it may be called in and the one it advances to. */
export interface ToolModel {
  readonly name: string;
  readonly at: Place;
  readonly sideEffect: CompiledTool["side_effect"];
  /** Null if it may be called in every phase. */
  readonly phases: readonly string[] | null;
  readonly advancesTo: string | null;
  /** The guard refuses every call of it. */
  readonly isBlocked: boolean;
}

/** A bound value: the tools that write it, and the tools and aggregates that read it. */
export interface SlotModel {
  readonly name: string;
  /** Absent for a plain slot. */
  readonly kind?: "keyed" | "union";
  /** How many entries are kept, where session.yaml says so. */
  readonly limit?: number;
  readonly writers: readonly { readonly tool: string; readonly source: "arguments" | "output" }[];
  readonly readers: readonly string[];
}

/** The values that an envelope compares. */
export interface EnvelopeModel {
  readonly name: string;
  readonly constraint: string;
  readonly reason: string;
  readonly stages: readonly { readonly tool: string; readonly role: string }[];
}

/** A sum or count over a session. */
export interface AggregateModel {
  readonly name: string;
  readonly metric: string;
  /** Null for all tools. */
  readonly tools: readonly string[] | null;
  /** The path whose values are counted apart. */
  readonly per?: string;
  readonly gte: number | null;
  readonly lte: number | null;
  readonly reason: string;
}

/** One pack, as drawings and pages need it. */
export interface PackModel {
  readonly name: string;
  readonly phases: readonly PhaseModel[];
  readonly transitions: readonly TransitionModel[];
  readonly tools: readonly ToolModel[];
  readonly slots: readonly SlotModel[];
  readonly envelopes: readonly EnvelopeModel[];
  readonly aggregates: readonly AggregateModel[];
  /** What expressions are judged with, where session.yaml names any. */
  readonly constants?: JsonObject;
  readonly timezone?: string;
}

/** Everything a report shows; the first pack is the artifact's own, the others are those of its workflow's roles. */
export interface ReportModel {
  readonly hash: string;
  readonly packs: readonly PackModel[];
  readonly workflow: WorkflowModel | null;
}

function checkOf<K extends CompiledCheck["kind"]>({ checks }: CompiledTool, kind: K): CheckOf<K> | undefined {
  return checks.find((check): check is CheckOf<K> => check.kind === kind);
}

function toolModel(tool: CompiledTool): ToolModel {
  const { name, at, side_effect: sideEffect, advances_to: advancesTo } = tool;
  const phases = checkOf(tool, "phase")?.phases ?? null;
  return { name, at, sideEffect, phases, advancesTo, isBlocked: checkOf(tool, "gate") !== undefined };
}

function transitionsOf({ phases }: CompiledPack, tools: readonly ToolModel[]): readonly TransitionModel[] {
  return (phases?.transitions ?? []).map(({ from, to }) => ({
    from,
    to,
    tools: tools
      .filter(
        ({ phases: own, advancesTo, isBlocked }) => advancesTo === to && !isBlocked && (own?.includes(from) ?? true),
      )
      .map(({ name }) => name),
  }));
}

/** The form of a slot that is not plain, and its own limit. */
function formFields(form: CompiledSlot | undefined): Pick<SlotModel, "kind" | "limit"> {
  if (form === undefined || form.kind === "plain") return {};
  return { kind: form.kind, ...(form.limit === null ? {} : { limit: form.limit }) };
}

function slotsOf({ tools, aggregates, slots = [] }: CompiledPack): readonly SlotModel[] {
  const names = new Set(tools.flatMap(({ binds }) => binds.map(({ slot }) => slot)));
  const formOf = (name: string) => slots.find((slot) => slot.name === name);
  return [...names].sort().map((name) => ({
    name,
    ...formFields(formOf(name)),
    writers: tools.flatMap(({ name: tool, binds }) =>
      binds.filter(({ slot }) => slot === name).map(({ source }) => ({ tool, source })),
    ),
    readers: [
      ...tools.filter((tool) => slotsOfTool(tool).has(name)),
      ...aggregates.filter(({ when }) => when.some(({ slot }) => slot === name)),
    ].map((reader) => reader.name),
  }));
}

/** The facts of one pack. */
export function packModel(pack: CompiledPack): PackModel {
  const tools = pack.tools.map(toolModel);
  const { phases, constants, timezone } = pack;
  return {
    name: packName(pack),
    phases: (phases?.names ?? []).map((name) => ({
      name,
      isInitial: phases?.initial === name,
      isTerminal: phases?.terminal.includes(name) ?? false,
    })),
    transitions: transitionsOf(pack, tools),
    tools,
    slots: slotsOf(pack),
    envelopes: pack.envelopes.map(({ name, constraint, reason, stages }) => ({
      name,
      constraint,
      reason,
      stages: stages.map(({ tool, role }) => ({ tool, role })),
    })),
    aggregates: pack.aggregates.map(({ name, metric, tools: covered, per, gte, lte, reason }) => ({
      name,
      metric,
      tools: covered,
      ...(per === undefined ? {} : { per: per.text }),
      gte,
      lte,
      reason,
    })),
    ...(constants === undefined ? {} : { constants }),
    ...(timezone === undefined ? {} : { timezone }),
  };
}

/** The facts of an artifact that a report shows; packs without a tool, such as that of a mere workflow, are left out. */
export function reportModel(artifact: Artifact): ReportModel {
  const { hash, packs } = artifact;
  const workflow = workflowModel(artifact);
  return { hash, packs: packs.filter(({ tools }) => tools.length > 0).map(packModel), workflow };
}

/** The tools that may be called in a phase without leading out of it. */
export function stayingTools({ tools }: PackModel, phase: string): readonly ToolModel[] {
  return tools.filter(
    ({ phases, advancesTo, isBlocked }) =>
      !isBlocked && (phases?.includes(phase) ?? true) && (advancesTo === null || advancesTo === phase),
  );
}
