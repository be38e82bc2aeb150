import type { CheckOf, CompiledCheck, CompiledTool } from "../../artifact/compiled.js";
import { canonicalKey } from "../../base/canonical-json.js";
import { addSums, compareSum } from "../../base/exact-sum.js";
import { referencesOf } from "../../guard/checks/envelope.js";
import { present } from "../../guard/decide/worlds.js";
import type { Program } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import type { ReferenceName } from "../../guard/program/tool-effects.js";
import { UNKNOWN } from "../../guard/session/call.js";
import type { Session } from "../../guard/session/session.js";
import { checksOf, watchOf } from "../model/checks-of.js";
import { isShut, writtenBy } from "./callable.js";
import { impossiblePlace } from "./impossible-values.js";
import { PhasePaths } from "./phase-paths.js";

/**
 * The tools that may still be called from a state without unsettled calls, and the phases that may be reached: an
 * over-approximation. Permanent effects of earlier calls (labels, forbidding calls, counts) are taken into account.
 */
class ReachableFrom {
  readonly tools = new Set<string>();
  readonly phases: Set<string>;
  private readonly paths: PhasePaths;

  constructor(
    private readonly program: Program,
    private readonly session: Session,
    /** Tools that something else than the rules of the session refuses. */
    private readonly refused: ReadonlySet<string>,
  ) {
    this.paths = new PhasePaths(program.pack);
    this.phases = new Set(session.phase === null ? [] : [session.phase]);
  }

  /** Adds tools until no further one can be called. */
  complete(): void {
    for (let before = -1; before < this.tools.size; ) {
      before = this.tools.size;
      for (const tool of this.program.pack.tools)
        if (!this.tools.has(tool.name) && this.isPossible(tool)) this.enter(tool);
    }
  }

  private enter({ name, advances_to: next }: CompiledTool): void {
    this.tools.add(name);
    if (next !== null) this.phases.add(next);
  }

  private isPossible(tool: CompiledTool): boolean {
    if (this.refused.has(tool.name) || impossiblePlace(tool) !== null) return false;
    return tool.checks.every((check) => this.mayPass(tool, check)) && this.hasEntity(tool);
  }

  private mayPass(tool: CompiledTool, check: CompiledCheck): boolean {
    const { program, session } = this;
    if (isShut(check, program.pack) !== null) return false;
    switch (check.kind) {
      case "policy":
        return this.isPermitted(tool);
      case "label_gate":
        return !session.labels.has(check.label);
      case "phase":
        return session.phase === null || [...this.phases].some((phase) => this.paths.isOpen(tool, phase));
      case "forbidden_by":
        return check.tools.every((other) => !session.callsOf.has(other.tool));
      case "max_calls_per_tool":
        return (session.callsOf.get(tool.name) ?? 0) < check.max;
      case "precondition":
        return check.prior === null || this.tools.has(check.prior.tool) || this.entities(check).size > 0;
      case "ref":
        return this.isBound(check.slot);
      case "aggregate":
        return this.hasRoom(check);
      case "envelope":
        return this.isReferred(tool, check);
      default:
        return true;
    }
  }

  private isPermitted({ name }: CompiledTool): boolean {
    const tool = this.program.tools.get(name);
    const policy = tool?.checks.find(({ kind }) => kind === "policy");
    return tool === undefined || policy?.run(proposalOf(tool, {}), this.session, this.program) === null;
  }

  private isWritten(slot: string): boolean {
    return this.program.pack.tools.some(
      ({ name, binds }) => this.tools.has(name) && binds.some((bind) => bind.slot === slot),
    );
  }

  private isBound(slot: string): boolean {
    return present(this.session.slots.get(slot)) !== undefined || this.isWritten(slot);
  }

  /** The entities of earlier calls that a precondition may accept. */
  private entities({ prior }: CheckOf<"precondition">): ReadonlySet<string> {
    const watch = prior === null ? undefined : watchOf(this.program, prior);
    const calls = watch === undefined ? undefined : this.session.priors[watch.index];
    const fitting = [...(calls ?? [])].filter(([, made]) => made.at(-1)?.satisfies !== false);
    return new Set(fitting.map(([entity]) => entity));
  }

  /** Counts never decrease, because no call is unsettled that could be released; with `per` another value has room. */
  private hasRoom({ index }: CheckOf<"aggregate">): boolean {
    const aggregate = this.program.aggregates[index];
    const state = this.session.aggregates[index];
    if (aggregate?.metric !== "count" || aggregate.lte === null || state === undefined) return true;
    if (state.parts !== null) return true;
    const most = Math.max(aggregate.lte, ...aggregate.when.map(({ then_lte: lte }) => lte ?? 0));
    return compareSum(addSums(state.total, 1), most) <= 0;
  }

  private isReferred(tool: CompiledTool, { index }: CheckOf<"envelope">): boolean {
    const envelope = this.program.envelopes[index];
    const isJudged = envelope?.stages.some(
      ({ tool: own, role, source }) => own === tool.name && role === "constrained" && source === "arguments",
    );
    if (envelope === undefined || isJudged !== true) return true;
    const isSet = (name: ReferenceName) =>
      present(this.session.references[index]?.get(name)) !== undefined ||
      envelope.stages.some((stage) => writtenBy(envelope, stage) === name && this.tools.has(stage.tool));
    return referencesOf(envelope.constraint).every(isSet);
  }

  /** Whether one entity may satisfy all preconditions and references at one path that cannot change any more. */
  private hasEntity({ checks }: CompiledTool): boolean {
    const byPath = new Map<string, ReadonlySet<string>[]>();
    const ask = (path: string, values: ReadonlySet<string>) => byPath.set(path, [...(byPath.get(path) ?? []), values]);
    for (const check of checksOf(checks, "precondition")) {
      const { prior } = check;
      if (prior !== null && prior.resource !== null && !this.tools.has(prior.tool))
        ask(prior.resource.text, this.entities(check));
    }
    for (const { path, slot, tolerance } of checksOf(checks, "ref")) {
      const value = present(this.session.slots.get(slot));
      if (tolerance !== null || this.isWritten(slot) || value === undefined || value === UNKNOWN) continue;
      if (path.kind === "definite") ask(path.text, new Set([canonicalKey(value)]));
    }
    return [...byPath.values()].every(([one, ...others]) =>
      [...(one ?? [])].some((entity) => others.every((other) => other.has(entity))),
    );
  }
}

/** Whether it is proved that none of the phases can be reached from a state; false means unknown. */
export function isDeadEnd(
  program: Program,
  session: Session,
  phases: readonly string[],
  refused: ReadonlySet<string> = new Set(),
): boolean {
  if (session.unsettled.size > 0) return false;
  const reachable = new ReachableFrom(program, session, refused);
  reachable.complete();
  return !phases.some((phase) => reachable.phases.has(phase));
}
