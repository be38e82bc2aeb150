import type { PackRule } from "../../artifact/pack-rules.js";
import { sumNumber } from "../../base/exact-sum.js";
import { judge } from "../../guard/decide/decide.js";
import type { Program, Proposal } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { contributionOf } from "../../guard/session/aggregate.js";
import type { Session } from "../../guard/session/session.js";
import { mainReason } from "../model/rule-reasons.js";
import type { Workbench } from "../model/workbench.js";
import { Abstraction, aggregateValue, type Counter } from "../state/abstraction.js";
import { isCumulative } from "./goals.js";
import { perform, Search, type SearchBounds, type SearchExtensions, type Visit } from "./search.js";

/** Whether a rule counts the calls of all tools. */
export function isSessionLimit({ body: { kind } }: PackRule): boolean {
  return kind === "max_steps" || kind === "max_tool_calls";
}

function firstAllowed(program: Program, session: Session, calls: Iterable<Proposal>): Proposal | null {
  for (const proposal of calls) if (judge(program, session, proposal) === null) return proposal;
  return null;
}

/** How often the most frequent of the latest calls of a tool was made. */
function mostEqual(recent: readonly string[], tool: string): number {
  const own = recent.filter((call) => call.startsWith(`${tool} `));
  return Math.max(0, ...own.map((call) => own.filter((other) => other === call).length));
}

/** The counting rules of a tool: how far they are from their bounds, and which calls bring them nearer. */
export class Counting {
  constructor(private readonly bench: Workbench) {}

  /** A counting rule that was not seen to refuse a call alone, or not a call of this tool. */
  isWanted(rule: PackRule): boolean {
    return isCumulative(rule) && (this.isNew(rule) || this.bench.isUnseen(rule));
  }

  /** No call of this tool was refused for the reason of the rule so far. */
  isNew(rule: PackRule): boolean {
    const reason = mainReason(rule);
    return reason !== undefined && !this.bench.given.findings.reasons(this.bench.compiled.name).has(reason);
  }

  /** How many more calls a limit allows; null for other rules. */
  remaining({ body }: PackRule, session: Session): number | null {
    switch (body.kind) {
      case "max_tool_calls":
        return body.max - session.toolCalls;
      case "max_steps":
        return body.max - session.ownSteps;
      case "max_calls_per_step":
        return session.openSteps === 0 ? Number.POSITIVE_INFINITY : body.max - (session.stepCalls ?? 0);
      case "max_calls_per_tool":
        return body.max - (session.callsOf.get(this.bench.compiled.name) ?? 0);
      default:
        return null;
    }
  }

  /** What the rule counts. */
  pursued({ body }: PackRule): Counter {
    const { aggregates } = this.bench.program;
    if (body.kind === "aggregate") {
      const index = aggregates.findIndex(({ name }) => name === body.aggregate.name);
      const sign =
        body.aggregate.lte === null && body.aggregate.when.every(({ then_lte: lte }) => lte === null) ? -1 : 1;
      const value = aggregateValue(body.aggregate, index);
      return (session) => sign * value(session);
    }
    if (body.kind === "loop_detection") return ({ recent }) => mostEqual(recent, this.bench.compiled.name);
    if (body.kind === "max_calls_per_step") return ({ stepCalls }) => stepCalls ?? 0;
    if (body.kind === "max_calls_per_tool") return ({ callsOf }) => callsOf.get(this.bench.compiled.name) ?? 0;
    return body.kind === "max_steps" ? ({ ownSteps }) => ownSteps : ({ toolCalls }) => toolCalls;
  }

  gain(index: number, { args }: Proposal): number {
    const aggregate = this.bench.program.aggregates[index];
    const contribution = aggregate === undefined ? null : contributionOf(aggregate, args);
    if (!contribution) return 0;
    return sumNumber(contribution.total) + contribution.distinct.length + Math.max(0, ...contribution.values);
  }

  private worth({ body }: PackRule, proposal: Proposal): number {
    if (body.kind !== "aggregate") return 1;
    return this.gain(
      this.bench.program.aggregates.findIndex(({ name }) => name === body.aggregate.name),
      proposal,
    );
  }

  /** The largest amount that one call adds to what a rule counts. */
  best(rule: PackRule): number {
    const { good } = this.bench.under.library.argumentsOf(this.bench.compiled.name);
    return Math.max(0, ...good.map((args) => this.worth(rule, proposalOf(this.bench.prober.tool, args))));
  }

  /** How much of their bounds the tool's aggregates have used, summed up. */
  used(session: Session): number {
    let used = 0;
    for (const index of this.bench.prober.tool.aggregates) {
      const aggregate = this.bench.program.aggregates[index];
      if (aggregate?.lte) used += aggregateValue(aggregate, index)(session) / aggregate.lte;
    }
    return used;
  }

  /** The state after the first allowed call. A call whose output is rejected counts, but does not advance the session. */
  after({ node, session }: Visit, calls: Iterable<Proposal>, isRejected: boolean): Visit | null {
    const { program, moves } = this.bench;
    const call = firstAllowed(program, session, calls);
    if (call === null) return null;
    const [output = null] = [...(isRejected ? moves.rejectedOutputs(call.tool) : []), ...moves.outputs(call.tool)];
    const outcome = { kind: "result", output } as const;
    const { session: next } = perform(program, session, call, outcome);
    const action = { kind: "call", tool: call.tool.name, args: call.args, outcome } as const;
    return { node: { parent: node, action, depth: node.depth + 1 }, session: next };
  }

  /** A search for states with a higher count. */
  search(rule: PackRule, bounds: (depth: number) => SearchBounds, extensions?: SearchExtensions): Search {
    const { program, prober, moves, given } = this.bench;
    const abstraction = new Abstraction(program, prober.tool, this.pursued(rule));
    return new Search(program, abstraction, moves, bounds(given.bounds.depth), prober.tool, extensions);
  }
}
