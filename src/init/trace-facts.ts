import type { Json } from "../base/json.js";
import { isUnanswered, outcomeOf, type TracedCall, type TracedSession } from "../replay/traced-session.js";
import { type Leaves, leavesOf, ToolArguments } from "./argument-facts.js";

/** A value of an earlier output that an argument always equals. */
export interface Link {
  readonly path: string;
  readonly tool: string;
  readonly output: string;
}

/** With fewer different values an equality may be chance, with fewer calls an order. */
const FEWEST_VALUES = 2;
const FEWEST_CALLS = 3;

interface Seen {
  readonly output: Leaves;
  readonly step: number;
}

/** What is known of the calls of one tool. */
class ToolFacts {
  calls = 0;
  readonly args = new ToolArguments();
  /** The tools that were called before every call of this one. */
  before: Set<string> | null = null;
  private readonly links = new Map<string, { links: Map<string, Link>; values: Set<string> }>();

  add(args: Leaves, earlier: ReadonlyMap<string, Seen>, step: number): void {
    this.calls += 1;
    this.args.add(args);
    const prior = [...earlier].filter(([, seen]) => seen.step < step).map(([tool]) => tool);
    this.before = new Set(this.before === null ? prior : prior.filter((tool) => this.before?.has(tool)));
    for (const [path, value] of args) this.link(path, value, earlier);
  }

  linked(): readonly Link[] {
    return [...this.links.values()].flatMap(({ links, values }) => {
      const [first] = links.values();
      return first === undefined || values.size < FEWEST_VALUES ? [] : [first];
    });
  }

  private link(path: string, value: Json, earlier: ReadonlyMap<string, Seen>): void {
    const equal = new Map<string, Link>();
    for (const [tool, { output }] of earlier) {
      for (const [place, other] of output)
        if (other === value) equal.set(`${tool} ${place}`, { path, tool, output: place });
    }
    const known = this.links.get(path);
    if (known === undefined && this.calls === 1) {
      this.links.set(path, { links: equal, values: new Set([JSON.stringify(value)]) });
    } else if (known !== undefined) {
      for (const name of known.links.keys()) if (!equal.has(name)) known.links.delete(name);
      known.values.add(JSON.stringify(value));
    }
  }

  /** An argument that a call lacks is equal to nothing. */
  dropMissing(args: Leaves): void {
    for (const path of this.links.keys()) if (!args.has(path)) this.links.delete(path);
  }
}

function happened(outcome: TracedCall["outcome"]): boolean {
  return outcome === undefined || outcome.kind === "result" || outcome.kind === "happened";
}

/** What holds in all recorded sessions. */
export class TraceFacts {
  sessions = 0;
  private readonly tools = new Map<string, ToolFacts>();

  /** Calls of tools that are not offered are left out: no rule could name them, and their names may be any text. */
  constructor(private readonly offered: ReadonlySet<string>) {}

  add({ calls }: TracedSession): void {
    this.sessions += 1;
    const earlier = new Map<string, Seen>();
    const begins = ({ before }: TracedCall) => before.some(({ kind }) => kind === "step");
    // Without steps of its own in the record, every call is one.
    const opensSteps = calls.some(begins);
    let step = 0;
    for (const call of calls) {
      if (!opensSteps || begins(call)) step += 1;
      if (!this.offered.has(call.tool)) continue;
      const args = leavesOf(call.args);
      const facts = this.of(call.tool);
      facts.add(args, earlier, step);
      facts.dropMissing(args);
      const before = earlier.get(call.tool);
      // What such a call answered is never known, so that nothing can be compared with it.
      if (isUnanswered(call) && before !== undefined) earlier.set(call.tool, { ...before, output: new Map() });
      const outcome = outcomeOf(call);
      if (!happened(outcome)) continue;
      const output = outcome?.kind === "result" ? leavesOf(outcome.output as Json) : new Map();
      earlier.set(call.tool, { output, step });
    }
  }

  /** The tools that were called before every call of a tool. */
  priorsOf(tool: string): readonly string[] {
    return this.callsOf(tool) < FEWEST_CALLS ? [] : [...(this.tools.get(tool)?.before ?? [])].sort();
  }

  boundsOf(tool: string): readonly { readonly path: string; readonly operators: string }[] {
    return this.callsOf(tool) < FEWEST_CALLS ? [] : (this.tools.get(tool)?.args.drafts() ?? []);
  }

  linksOf(tool: string): readonly Link[] {
    return this.tools.get(tool)?.linked() ?? [];
  }

  private callsOf(tool: string): number {
    return this.tools.get(tool)?.calls ?? 0;
  }

  private of(tool: string): ToolFacts {
    const known = this.tools.get(tool) ?? new ToolFacts();
    this.tools.set(tool, known);
    return known;
  }
}
