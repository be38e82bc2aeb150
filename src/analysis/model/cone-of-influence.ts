import type { CheckKind } from "../../artifact/check-order.js";
import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { slotsIn } from "../../artifact/expression-parts.js";
import { slotsOfCheck } from "../../artifact/slots-of-check.js";
import { first } from "./caps.js";
import { ARGUMENT_KINDS, checksOf } from "./checks-of.js";

/** The slots that a tool's checks read: by `ref`, by expressions, and by the conditions of its aggregates. */
export function slotsRead(tool: CompiledTool, { aggregates }: CompiledPack): readonly string[] {
  const conditions = checksOf(tool.checks, "aggregate").flatMap(({ index }) => aggregates[index]?.when ?? []);
  const ensured = (tool.ensures ?? []).flatMap(({ that }) => [...slotsIn(that.tree)]);
  const read = tool.checks.flatMap((check) => [...slotsOfCheck(check)]);
  return [...read, ...conditions.map(({ slot }) => slot), ...ensured];
}

/** The phases a tool may be called in; null for all. */
export function phasesOf(tool: CompiledTool): readonly string[] | null {
  return checksOf(tool.checks, "phase")[0]?.phases ?? null;
}

/** Checks that a call always passes once it has passed them. */
const LASTING: ReadonlySet<CheckKind> = new Set<CheckKind>([...ARGUMENT_KINDS, "checkpoint", "label_gate", "max_cost"]);
/** Checks on the length of the whole session. */
const OF_SESSION: ReadonlySet<CheckKind> = new Set<CheckKind>(["max_steps", "max_tool_calls", "loop_detection"]);

/** Whether a tool can be called until the session ends. */
function isEndless({ checks }: CompiledTool): boolean {
  return checks.every(({ kind }) => LASTING.has(kind) || OF_SESSION.has(kind));
}

/** Which tools influence whether, and by which rule, calls of a tool are refused. */
export class ConeOfInfluence {
  private readonly byName: ReadonlyMap<string, CompiledTool>;

  constructor(private readonly pack: CompiledPack) {
    this.byName = new Map(pack.tools.map((tool) => [tool.name, tool]));
  }

  /** The tools that these tools need, or that can get them refused, with everything that those need in turn. */
  of(tools: readonly string[]): ReadonlySet<string> {
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

  /** Tools whose calls write what the checks of the tool read. */
  writersFor(tool: CompiledTool): readonly string[] {
    const { pack } = this;
    const priors = checksOf(tool.checks, "precondition").flatMap(({ prior }) => (prior === null ? [] : [prior.tool]));
    const slots = new Set(slotsRead(tool, pack));
    const writers = pack.tools.filter(({ binds, unbinds = [] }) =>
      [...binds, ...unbinds].some(({ slot }) => slots.has(slot)),
    );
    const references = checksOf(tool.checks, "envelope").flatMap(({ index }) => pack.envelopes[index]?.stages ?? []);
    return [...priors, ...writers.map(({ name }) => name), ...references.map((stage) => stage.tool)];
  }

  /** Tools whose calls can provide what the tool needs. */
  private needed(tool: CompiledTool): readonly string[] {
    const raising = checksOf(tool.checks, "aggregate").flatMap(({ index }) => this.raising(index));
    return [...this.writersFor(tool), ...raising, ...this.leading(tool), ...this.fillers(tool)];
  }

  /** Calls of other tools help only with a lower bound, or with an upper bound on the minimum. */
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

  /** Tools that fill the steps it requires; not its required earlier tools, so that a search can leave those out. */
  private fillers(tool: CompiledTool): readonly string[] {
    const preconditions = checksOf(tool.checks, "precondition");
    if (preconditions.every(({ step_count: least }) => least === null)) return [];
    const asked = new Set(preconditions.map(({ prior }) => prior?.tool));
    return this.fillersAmong(new Set(this.pack.tools.map(({ name }) => name).filter((name) => !asked.has(name))));
  }

  /** Tools that can fill a session with calls: those without preconditions that keep the phase; others if these run out. */
  fillersAmong(names: ReadonlySet<string> | null = null): readonly string[] {
    const tools = this.pack.tools.filter(({ name }) => names?.has(name) !== false);
    const free = tools.filter((tool) => checksOf(tool.checks, "precondition").length === 0);
    const staying = free.filter(({ advances_to: next }) => next === null);
    const best = staying.length > 0 ? staying : free;
    const all = best.some(isEndless) ? best : [...new Set([...best, ...free, ...tools])];
    return first(all, "fillers").map(({ name }) => name);
  }

  /** Tools whose calls forbid the tool or leave its phases. */
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
