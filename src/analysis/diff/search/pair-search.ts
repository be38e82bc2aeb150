import type { Session } from "../../../guard/session/session.js";
import type { SearchBounds } from "../../search/search.js";
import { Abstraction, subsumes } from "../../state/abstraction.js";
import type { Candidate, Lockstep } from "./lockstep.js";
import type { PairVisit, Watcher } from "./watcher.js";

/** The initial pair. */
export function beginning(lockstep: Lockstep): PairVisit {
  return { node: { parent: null, action: null, depth: 0 }, pair: lockstep.begin() };
}

/** Visits the pairs of sessions that calls allowed by both packs lead to, the nearest first. */
export class PairSearch {
  private readonly queue: PairVisit[] = [];
  /** The counters of entered pairs, by their key. */
  private readonly known = new Map<string, (readonly number[])[]>();
  private readonly abstractions: readonly [Abstraction, Abstraction];
  private readonly forbidding: readonly string[];
  visited = 0;
  /** A bound cut the search off. */
  isCut = false;

  constructor(
    private readonly lockstep: Lockstep,
    focus: string,
    private readonly watcher: Watcher,
    private readonly bounds: SearchBounds,
  ) {
    const sides = [lockstep.old, lockstep.new] as const;
    const abstract = ({ program }: (typeof sides)[number]) =>
      new Abstraction(program, program.tools.get(focus) ?? null);
    this.abstractions = [abstract(lockstep.old), abstract(lockstep.new)];
    const checks = sides.flatMap(({ program }) => program.tools.get(focus)?.compiled?.checks ?? []);
    const tools = checks.flatMap((check) => (check.kind === "forbidden_by" ? check.tools.map(({ tool }) => tool) : []));
    this.forbidding = [...new Set(tools)];
  }

  *visits(start: PairVisit = beginning(this.lockstep)): Generator<PairVisit> {
    this.enter(start);
    // Items are only added while the list is walked, which `for … of` follows.
    for (const visit of this.queue) {
      if (this.visited >= this.bounds.states) {
        this.isCut = true;
        return;
      }
      this.visited += 1;
      yield visit;
      this.expand(visit);
    }
  }

  private enter(visit: PairVisit): void {
    const [old, current] = [this.abstractions[0].of(visit.pair.old), this.abstractions[1].of(visit.pair.new)];
    const key = [old.key, current.key, this.forbade(visit.pair.old), this.forbade(visit.pair.new)].join("\u0001");
    const counters = [...old.counters, ...current.counters];
    const alike = this.known.get(key) ?? [];
    if (alike.some((other) => subsumes(other, counters))) return;
    this.known.set(key, [...alike, counters]);
    this.queue.push(visit);
  }

  /** A forbidding call is worse by every counter, but a difference may exist only after it. */
  private forbade({ callsOf }: Session): string {
    return this.forbidding.filter((tool) => callsOf.has(tool)).join(",");
  }

  private expand(visit: PairVisit): void {
    const { node, pair } = visit;
    for (const tool of this.lockstep.tools) {
      for (const candidate of this.lockstep.likely(tool, pair)) {
        if (!this.watcher.see(node, pair, candidate)) continue;
        if (node.depth >= this.bounds.depth) {
          this.isCut = true;
          return;
        }
        this.follow(visit, candidate);
      }
    }
  }

  private follow(visit: PairVisit, candidate: Candidate): void {
    for (const output of this.lockstep.outputs(candidate.tool)) {
      const next = this.watcher.perform(visit, candidate, { kind: "result", output });
      if (next !== null) this.enter(next);
    }
  }
}
