import type { CheckKind } from "../../artifact/check-order.js";
import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { first } from "./caps.js";
import { ARGUMENT_KINDS, checksOf } from "./checks-of.js";

/** The slots that a tool's checks read: by `ref`, and by the conditions of its aggregates. */
export function slotsRead(tool: CompiledTool, { aggregates }: CompiledPack): readonly string[] {
  const conditions = checksOf(tool.checks, "aggregate").flatMap(({ index }) => aggregates[index]?.when ?? []);
  return [...checksOf(tool.checks, "ref"), ...conditions].map(({ slot }) => slot);
}

/** The phases a tool may be called in; null for all. */
export function phasesOf(tool: CompiledTool): readonly string[] | null {
  return checksOf(tool.checks, "phase")[0]?.phases ?? null;
}

/** Checks that a call passes again and again if it does once. */
const LASTING: ReadonlySet<CheckKind> = new Set<CheckKind>([...ARGUMENT_KINDS, "checkpoint", "label_gate", "max_cost"]);
/** Checks on how long the whole session is. */
const OF_SESSION: ReadonlySet<CheckKind> = new Set<CheckKind>(["max_steps", "max_tool_calls", "loop_detection"]);

/** Whether a tool can be called as long as the session lasts. */
function isEndless({ checks }: CompiledTool): boolean {
  return checks.every(({ kind }) => LASTING.has(kind) || OF_SESSION.has(kind));
}

/** Which tools have a bearing on whether, and by which rule, calls of a tool are refused. */
export class Influence {
  private readonly byName: ReadonlyMap<string, CompiledTool>;

  constructor(private readonly pack: CompiledPack) {
    this.byName = new Map(pack.tools.map((tool) => [tool.name, tool]));
  }

  /** The tools that some tools need to be called, or that can make them refused, with all that those need in turn. */
  on(tools: readonly string[]): ReadonlySet<string> {
    const found = new Set<string>();
    const open = tools.flatMap((name) => [name, ...this.harming(name)]);
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const tool = this.byName.get(name);
      if (tool === undefined || found.has(name)) continue;
      found.add(name);
      open.push(...this.needed(tool));
    }
    return found;
  }

  /** Tools that bring about what the checks of the tool compare with. */
  writing(tool: CompiledTool): readonly string[] {
    const { pack } = this;
    const priors = checksOf(tool.checks, "precondition").flatMap(({ prior }) => (prior === null ? [] : [prior.tool]));
    const slots = new Set(slotsRead(tool, pack));
    const writers = pack.tools.filter(({ binds }) => binds.some(({ slot }) => slots.has(slot)));
    const references = checksOf(tool.checks, "envelope").flatMap(({ index }) => pack.envelopes[index]?.stages ?? []);
    return [...priors, ...writers.map(({ name }) => name), ...references.map((stage) => stage.tool)];
  }

  /** Tools that can bring about what the tool needs. */
  private needed(tool: CompiledTool): readonly string[] {
    const raising = checksOf(tool.checks, "aggregate").flatMap(({ index }) => this.raising(index));
    return [...this.writing(tool), ...raising, ...this.leading(tool), ...this.fillers(tool)];
  }

  /** Only a lower bound makes others' calls useful, or an upper one on the smallest value. */
  private raising(index: number): readonly string[] {
    const aggregate = this.pack.aggregates[index];
    if (aggregate === undefined) return [];
    const { metric, gte, lte, when, tools } = aggregate;
    const bounds = metric === "min" ? [lte, ...when.map(({ then_lte: bound }) => bound)] : [];
    const isUseful = [gte, ...when.map(({ then_gte: bound }) => bound), ...bounds].some((bound) => bound !== null);
    return isUseful ? (tools ?? this.pack.tools.map(({ name }) => name)) : [];
  }

  /** Tools that advance the session into a phase of the tool. */
  private leading(tool: CompiledTool): readonly string[] {
    const phases = phasesOf(tool);
    if (phases === null) return [];
    return this.pack.tools
      .filter(({ advances_to: next }) => next !== null && phases.includes(next))
      .map(({ name }) => name);
  }

  /** Tools that fill the steps it waits for; others than it asks for too, so that these can be what is missing. */
  private fillers(tool: CompiledTool): readonly string[] {
    const preconditions = checksOf(tool.checks, "precondition");
    if (preconditions.every(({ step_count: least }) => least === null)) return [];
    const asked = new Set(preconditions.map(({ prior }) => prior?.tool));
    return this.free(new Set(this.pack.tools.map(({ name }) => name).filter((name) => !asked.has(name))));
  }

  /** Tools that calls can fill a session with: best those that need nothing and lead nowhere, the others where these run out. */
  free(names: ReadonlySet<string> | null = null): readonly string[] {
    const tools = this.pack.tools.filter(({ name }) => names?.has(name) !== false);
    const free = tools.filter((tool) => checksOf(tool.checks, "precondition").length === 0);
    const staying = free.filter(({ advances_to: next }) => next === null);
    const best = staying.length > 0 ? staying : free;
    const all = best.some(isEndless) ? best : [...new Set([...best, ...free, ...tools])];
    return first(all, "fillers").map(({ name }) => name);
  }

  /** Tools that forbid the tool, or lead out of its phases. */
  private harming(name: string): readonly string[] {
    const tool = this.byName.get(name);
    if (tool === undefined) return [];
    const phases = phasesOf(tool);
    const leaving = this.pack.tools.filter(
      ({ advances_to: next }) => next !== null && phases?.includes(next) === false,
    );
    return [
      ...checksOf(tool.checks, "forbidden_by").flatMap(({ tools }) => tools.map((other) => other.tool)),
      ...leaving.map((other) => other.name),
    ];
  }
}
