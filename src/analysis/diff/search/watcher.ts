import { actionsTo, type Node } from "../../search/search.js";
import type { Action, PlannedOutcome } from "../../trace/plan.js";
import type { DivergenceList, FoundDivergence } from "./divergence-list.js";
import type { Candidate, Lockstep, Outcomes, Pair, PairVerdict } from "./lockstep.js";
import type { Freedom } from "./pack-side.js";

/** A pair of sessions, and how it was reached. */
export interface PairVisit {
  readonly node: Node;
  readonly pair: Pair;
}

const FREEDOMS: readonly Freedom[] = ["refused", "approval", "allowed"];

function isFreer(one: Freedom, other: Freedom): boolean {
  return FREEDOMS.indexOf(one) > FREEDOMS.indexOf(other);
}

/** Proposes calls to both packs, and records those that they judge differently. */
export class Watcher {
  constructor(
    private readonly lockstep: Lockstep,
    private readonly list: DivergenceList,
  ) {}

  /** Whether both packs allow the call, if need be after an approval. */
  see(node: Node, pair: Pair, candidate: Candidate): boolean {
    const verdicts = this.lockstep.judge(pair, candidate);
    if (verdicts.old !== verdicts.new) this.noteCall(node, pair, candidate, verdicts);
    return verdicts.old !== "refused" && verdicts.new !== "refused";
  }

  /** The pair after a call that both allow; null if they judge its output differently. */
  perform({ node, pair }: PairVisit, candidate: Candidate, outcome: PlannedOutcome): PairVisit | null {
    const outcomes = this.lockstep.perform(pair, candidate, outcome);
    if (outcomes === null) return null;
    const action: Action = { kind: "call", tool: candidate.tool, args: candidate.args, outcome };
    if ((outcomes.old.violation === null) !== (outcomes.new.violation === null)) {
      this.noteOutput(node, action, outcomes);
      return null;
    }
    return { node: { parent: node, action, depth: node.depth + 1 }, pair: outcomes.pair };
  }

  private noteCall(node: Node, pair: Pair, candidate: Candidate, verdicts: PairVerdict): void {
    const now = isFreer(verdicts.new, verdicts.old) ? "allowed" : "refused";
    const { tool, args } = candidate;
    const { old, new: current } = this.lockstep;
    const rule = now === "allowed" ? old.obstacle(pair.old, candidate.old) : current.obstacle(pair.new, candidate.new);
    const [output = null] = this.lockstep.outputs(tool);
    const last: Action = { kind: "call", tool, args, outcome: { kind: "result", output } };
    this.list.add({ tool, now, over: "call", rule, ...this.lazyPlan(node, last) });
  }

  private noteOutput(node: Node, last: Action & { readonly kind: "call" }, { old, new: current }: Outcomes): void {
    const { lockstep } = this;
    const now = current.violation === null ? "allowed" : "refused";
    const rule = now === "allowed" ? lockstep.old.broken(last.tool, old) : lockstep.new.broken(last.tool, current);
    this.list.add({ tool: last.tool, now, over: "result", rule, ...this.lazyPlan(node, last) });
  }

  private lazyPlan(node: Node, last: Action): Pick<FoundDivergence, "length" | "plan"> {
    const { circumstances } = this.lockstep;
    return { length: node.depth + 1, plan: () => ({ ...circumstances, actions: [...actionsTo(node), last] }) };
  }
}
