import type { Counted, Region, SessionSet, Statement } from "../artifact/certificate.js";
import type { CompiledCheck, CompiledPack, CompiledTool } from "../artifact/compiled.js";
import { type Asked, hasNoArguments, leastAt } from "./values.js";

type Envelope = CompiledPack["envelopes"][number];

/** For each reference that a constraint compares with, the roles of the stages that set it. */
function settersOf({ constraint }: Envelope): readonly (readonly string[])[] {
  if (constraint.startsWith("monotonic")) return [["initial", "constrained"]];
  if (constraint === "within_band") return [["anchor"]];
  return [["floor"], ["ceiling"]].filter(([role = ""]) => constraint === "bounded" || constraint.endsWith(role));
}

/** What may happen in sessions of a pack, as far as a region follows them. */
export class Transitions {
  constructor(
    private readonly pack: CompiledPack,
    private readonly region: Region,
    private readonly statement: Statement,
  ) {}

  tool(name: string): CompiledTool | undefined {
    return this.pack.tools.find((tool) => tool.name === name);
  }

  isShut({ name, checks }: CompiledTool, asked: readonly Asked[] = []): boolean {
    const isBlocked = this.region.denied.includes(name) || checks.some(({ kind }) => kind === "gate");
    return isBlocked || hasNoArguments(checks, asked);
  }

  /** What each call counts at least; null where the counter does not judge the tool. */
  private weight(counter: Counted, { name, checks }: CompiledTool, asked: readonly Asked[] = []): number | null {
    if (counter.kind === "forbidding") return counter.tool === name ? 1 : 0;
    if (counter.kind === "calls") {
      const { tool, most } = counter;
      const kind = tool === null ? "max_tool_calls" : "max_calls_per_tool";
      const isJudged = checks.some((check) => check.kind === kind && check.max === most);
      return isJudged && (tool === null || tool === name) ? 1 : null;
    }
    const { metric, path } = this.pack.aggregates[counter.index] ?? { metric: "count", path: null };
    if (!checks.some((check) => check.kind === "aggregate" && check.index === counter.index)) return null;
    return metric === "count" ? 1 : leastAt(checks, path?.text ?? "", asked);
  }

  /** The highest count that a counter leaves; null if calls may lower it, or raise it without being judged. */
  most(counter: Counted): number | null {
    if (counter.kind !== "aggregate") return counter.kind === "calls" ? counter.most : 1;
    const { metric, tools, lte, when, per } = this.pack.aggregates[counter.index] ?? { metric: "max", when: [] };
    if (per !== undefined || lte === undefined || lte === null || when.some((each) => each.then_lte === undefined))
      return null;
    const weights = (tools ?? []).flatMap((name) => this.tool(name) ?? []).map((tool) => this.weight(counter, tool));
    const isRising = metric === "count" || (metric === "sum" && tools !== null);
    if (!isRising || weights.some((weight) => weight === null || weight < 0)) return null;
    return Math.max(lte, ...when.map((each) => each.then_lte ?? lte));
  }

  /** Whether a call, of which more is asked, may be allowed in some session of a state. */
  mayCall(tool: CompiledTool, state: SessionSet, asked: readonly Asked[] = []): boolean {
    if (this.isShut(tool, asked) || tool.checks.some((check) => this.refuses(check, tool, state))) return false;
    return this.region.counters.every((counter, at) => {
      const isForbidding = counter.kind === "forbidding";
      const added = isForbidding ? Number(forbids(counter.tool, tool)) : this.weight(counter, tool, asked);
      return added === null || added <= 0 || this.room(counter, (state.counts[at] ?? 0) + added) >= 0;
    });
  }

  /** How much a count leaves below its bound, and a little more: rounding must refuse nothing. */
  private room(counter: Counted, count: number): number {
    const most = this.most(counter) ?? Number.POSITIVE_INFINITY;
    return most - count + 1e-9 * Math.max(1, Math.abs(most));
  }

  /** Every state that one more event may lead to, where that is not a part of the same state. */
  *after(state: SessionSet): Generator<SessionSet> {
    for (const tool of this.region.tools.flatMap((name) => this.tool(name) ?? [])) {
      const { name, commits } = tool;
      if (this.mayCall(tool, state)) {
        const isFree = (other: string) => this.isBeside(tool, this.tool(other), state);
        const others = state.open.filter((each) => each.tool !== name && isFree(each.tool));
        if (commits === "at_dispatch") yield* this.committed({ ...state, open: others }, tool);
        else yield* this.capped({ ...state, open: [...others, { tool: name, calls: isFree(name) ? null : 1 }] });
      }
      const open = state.open.find((each) => each.tool === name);
      if (open === undefined || commits === "at_dispatch") continue;
      const left = open.calls === null ? null : open.calls - 1;
      const others = state.open.filter((each) => each !== open);
      const ended = { ...state, open: left === 0 ? others : [...others, { tool: name, calls: left }] };
      yield* this.committed(ended, tool);
      const counted = this.counted(ended, tool, false);
      // A read that timed out counts for nothing, and may have happened.
      yield* this.capped(tool.side_effect === "read" ? { ...counted, counts: state.counts } : counted);
    }
  }

  private *committed(state: SessionSet, tool: CompiledTool): Generator<SessionSet> {
    const { name, advances_to: next } = tool;
    // A claim about what comes before a call is over once it was committed.
    if (this.statement.kind === "never_without_prior" && this.statement.prior === name) return;
    const phase = this.region.hasPhases && next !== null ? next : state.phase;
    const committed = this.region.kept.includes(name) ? [...state.committed, name] : state.committed;
    yield* this.capped(this.counted({ ...state, phase, committed }, tool, true));
  }

  private counted(state: SessionSet, tool: CompiledTool, isCommitted: boolean): SessionSet {
    const { statement } = this;
    const counts = this.region.counters.map((counter, at) => {
      const sum = (state.counts[at] ?? 0) + (this.weight(counter, tool) ?? 0);
      return counter.kind === "forbidding" ? Math.min(sum, 1) : sum;
    });
    const isCounted = statement.kind === "at_most" && statement.tool === tool.name;
    const isAfter = statement.kind === "never_after" && statement.after === tool.name && isCommitted;
    const past = isAfter ? 1 : isCounted ? Math.min(statement.calls, state.past) + 1 : state.past;
    return { ...state, counts, past };
  }

  /** Limits count open calls too: no session has more of them, and none is in a state above a limit. */
  private *capped(state: SessionSet): Generator<SessionSet> {
    const rooms = this.region.counters.map((counter, at) => this.room(counter, state.counts[at] ?? 0));
    if (rooms.some((room) => room < 0)) return;
    const open = state.open.flatMap(({ tool: name, calls }) => {
      const tool = this.tool(name);
      const most = this.region.counters.map((counter, at) => {
        const weight = counter.kind === "forbidding" || tool === undefined ? 0 : (this.weight(counter, tool) ?? 0);
        return weight > 0 ? Math.floor((rooms[at] ?? 0) / weight) : Number.POSITIVE_INFINITY;
      });
      const least = Math.min(calls ?? Number.POSITIVE_INFINITY, ...most);
      return least > 0 ? [{ tool: name, calls: least === Number.POSITIVE_INFINITY ? null : least }] : [];
    });
    yield { ...state, open };
  }

  private isBeside(tool: CompiledTool, other: CompiledTool | undefined, { phase }: SessionSet): boolean {
    const next = phase === null ? null : (other?.advances_to ?? null);
    return (next === null || this.isValidIn(tool, next)) && (other === undefined || !forbids(other.name, tool));
  }

  private isValidIn({ checks }: CompiledTool, phase: string): boolean {
    const edges = (this.pack.phases?.transitions ?? []).filter(({ from }) => from === phase);
    const leads = (to: string | null) => to === null || to === phase || edges.some((edge) => edge.to === to);
    return checks.every((each) => each.kind !== "phase" || (each.phases.includes(phase) && leads(each.advances_to)));
  }

  /** Whether a check that needs earlier calls, or a phase, surely refuses a call. */
  private refuses(check: CompiledCheck, tool: CompiledTool, { phase, committed }: SessionSet): boolean {
    const isShut = (name: string) => this.pack.tools.some((each) => each.name === name && this.isShut(each));
    const mayHave = (name: string) => committed.includes(name) || !(this.region.kept.includes(name) || isShut(name));
    if (check.kind === "phase") return phase !== null && !this.isValidIn(tool, phase);
    if (check.kind === "precondition") return check.prior !== null && !mayHave(check.prior.tool);
    if (check.kind === "ref")
      return !this.pack.tools.some(({ name, binds }) => binds.some(({ slot }) => slot === check.slot) && mayHave(name));
    const envelope = check.kind === "envelope" ? this.pack.envelopes[check.index] : undefined;
    const isOwn = (stage: Envelope["stages"][number]) =>
      stage.tool === tool.name && stage.role === "constrained" && stage.source === "arguments";
    if (envelope === undefined || !envelope.stages.some(isOwn)) return false;
    return settersOf(envelope).some(
      (roles) => !envelope.stages.some((stage) => roles.includes(stage.role) && mayHave(stage.tool)),
    );
  }
}

function forbids(name: string, { checks }: CompiledTool): boolean {
  return checks.some((check) => check.kind === "forbidden_by" && check.tools.some(({ tool }) => tool === name));
}
