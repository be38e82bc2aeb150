import type { Signal } from "../../trace/plan.js";
import type { Candidate, Lockstep } from "./lockstep.js";
import type { PackSide } from "./pack-side.js";
import type { PairVisit, Watcher } from "./watcher.js";

/** Number of states in which unfit arguments, labels, costs and outputs are tried. */
const MOST_TRIES = 6;
const MOST_OPEN_TRIES = 40;
/** Calls of one tool that stay unsettled, and calls that are tried beside each. */
const MOST_OPEN = 3;
const MOST_BESIDE = 6;
/** Arguments that are varied where rules changed. */
const MOST_FITTING = 2;
/** Arguments that one check refuses. */
const MOST_REFUSED = 12;

/** Proposes calls of one tool to both packs in the states that a search visits. */
export class PairProber {
  private tries = 0;
  private openTries = 0;
  private readonly signals: readonly Signal[];
  private readonly sides: readonly PackSide[];

  constructor(
    private readonly lockstep: Lockstep,
    private readonly tool: string,
    private readonly watcher: Watcher,
  ) {
    const sides = [lockstep.old, lockstep.new];
    const bodies = sides.flatMap(({ under }) => under.rules.ofTool(tool).map(({ body }) => body));
    this.signals = bodies.flatMap((body): Signal[] => {
      if (body.kind === "label_gate") return [{ kind: "label", label: body.label }];
      return body.kind === "max_cost" ? [{ kind: "cost", usd: body.max }] : [];
    });
    this.sides = sides;
  }

  visit(visit: PairVisit): void {
    const { node, pair } = visit;
    const calls = this.lockstep.suggested(this.tool, pair, (moves, tool, session) => moves.probing(tool, session));
    const [allowed] = calls.filter((candidate) => this.watcher.see(node, pair, candidate));
    const fitting = calls.filter((candidate) => this.isAllowedByOne(visit, candidate));
    if ((fitting.length > 0 || node.parent === null) && this.tries < MOST_TRIES) {
      this.tries += fitting.length === 0 ? 0 : 1;
      this.tryRefused(visit);
      for (const candidate of this.lockstep.crossing(this.tool, fitting.slice(0, MOST_FITTING))) {
        this.watcher.see(node, pair, candidate);
      }
      if (allowed !== undefined) {
        this.trySignals(visit, allowed);
        this.tryOutputs(visit, allowed);
      }
    }
    if (this.openTries < MOST_OPEN_TRIES) this.tryOpen(visit);
  }

  private isAllowedByOne({ pair }: PairVisit, candidate: Candidate): boolean {
    const { old, new: current } = this.lockstep.judge(pair, candidate);
    return old !== "refused" || current !== "refused";
  }

  private tryRefused({ node, pair }: PairVisit): void {
    const refused = this.lockstep.suggested(this.tool, pair, (moves, tool, session) =>
      [...moves.refused(tool, session).values()].flatMap((calls) => calls.slice(0, MOST_REFUSED)),
    );
    for (const candidate of refused) this.watcher.see(node, pair, candidate);
  }

  /** Labels and costs from outside. */
  private trySignals({ node, pair }: PairVisit, candidate: Candidate): void {
    const asked = this.sides.flatMap(({ moves }, at) => moves.signals(at === 0 ? pair.old : pair.new));
    for (const action of [...this.signals, ...asked]) {
      const after = { parent: node, action, depth: node.depth + 1 };
      this.watcher.see(after, this.lockstep.signal(pair, action), candidate);
    }
  }

  private tryOutputs(visit: PairVisit, candidate: Candidate): void {
    const outputsOf = ({ under }: PackSide) => {
      const { good, bad } = under.library.outputsOf(this.tool);
      return [...[...bad.values()].flat(), ...good];
    };
    const { old, new: current } = this.lockstep;
    for (const output of [...outputsOf(old), ...outputsOf(current), ...this.lockstep.outputs(this.tool)]) {
      this.watcher.perform(visit, candidate, { kind: "result", output });
    }
    // A guarantee may compare a result with the arguments of its call.
    for (const { args, output } of [...old.scenes, ...current.scenes]) {
      const judged = this.lockstep.candidate(this.tool, args);
      if (output !== null && this.watcher.see(visit.node, visit.pair, judged))
        this.watcher.perform(visit, judged, { kind: "result", output });
    }
  }

  /** Calls while another one is unsettled. */
  private tryOpen(visit: PairVisit): void {
    const { node, pair } = visit;
    this.openTries += 1;
    const beside = this.lockstep.likely(this.tool, pair).slice(0, MOST_BESIDE);
    for (const tool of this.lockstep.tools) {
      const calls = this.lockstep.likely(tool, pair).filter((candidate) => this.watcher.see(node, pair, candidate));
      for (const candidate of calls.slice(0, MOST_OPEN)) {
        const busy = this.watcher.perform(visit, candidate, { kind: "open" });
        if (busy !== null) for (const other of beside) this.watcher.see(busy.node, busy.pair, other);
      }
    }
  }
}
