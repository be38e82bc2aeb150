import type { Artifact } from "../artifact/compiled.js";
import { PackCount, type PackCoverage } from "./pack-count.js";
import { kindsOf } from "./reason-kinds.js";
import { type RecordedEvent, recordedEvent } from "./recorded-event.js";

/** What recorded sessions exercised of an artifact. */
export interface Coverage {
  /** Calls that were decided. */
  readonly calls: number;
  readonly sessions: number;
  /** Lines that are not events of a guard. */
  readonly foreign: number;
  /**
   * Refusals that no single rule of the artifact explains: it may have changed since, or no rule was responsible. Likewise
   * rules that other events name and the artifact does not have.
   */
  readonly unexplained: number;
  /** Calls that shadow mode allowed, though enforcing would have refused them or asked for an approval. */
  readonly shadowed: number;
  /** For each pack of the artifact, in its order. */
  readonly packs: readonly PackCoverage[];
}

/** The counts, or why there are none. */
export type CoverageResult =
  | { readonly ok: true; readonly coverage: Coverage }
  | { readonly ok: false; readonly problem: string };

type EventOf<K extends RecordedEvent["kind"]> = RecordedEvent & { readonly kind: K };

/** Answers to a request that refuse its call; their events name no tool. */
const DENIALS: ReadonlySet<string | null> = new Set(["approval_denied", "approval_expired"]);

/** Counts over all packs of an artifact. */
export class CoverageCount {
  private calls = 0;
  private unexplained = 0;
  private shadowed = 0;
  private readonly packs: readonly PackCount[];
  private readonly sessions = new Set<string>();
  /** Sessions that were counted and forgotten. */
  private ended = 0;
  /** The pack of which each session last called a tool. */
  private readonly lastPack = new Map<string, PackCount>();
  /** The tool for which each session asks for an approval. */
  private readonly asked = new Map<string, string>();
  private readonly roles: ReadonlyMap<string, PackCount | undefined>;

  constructor({ packs, workflow }: Artifact) {
    this.packs = packs.map((pack) => new PackCount(pack));
    this.roles = new Map(workflow?.roles.map(({ name, pack }) => [name, this.packs[pack]]));
  }

  /** How many sessions there were. */
  get sessionCount(): number {
    return this.ended + this.sessions.size;
  }

  /** A session of which no more events come needs no memory. */
  end(session: string): void {
    this.sessions.delete(session);
    this.ended += 1;
    this.lastPack.delete(session);
    this.asked.delete(session);
    for (const pack of this.packs) pack.forget(session);
  }

  /** What was counted; `foreign` lines were no events. */
  coverage(foreign: number): Coverage {
    const { calls, unexplained, shadowed } = this;
    const packs = this.packs.map((pack) => pack.coverage());
    return { calls, sessions: this.sessionCount, foreign, unexplained, shadowed, packs };
  }

  enter(event: RecordedEvent): void {
    this.sessions.add(event.session);
    switch (event.kind) {
      case "decision":
        this.enterDecision(event);
        return;
      case "settled":
        this.enterSettled(event);
        return;
      case "killed":
        this.enterKilled(event);
        return;
      case "approval_requested":
        this.asked.set(event.session, event.tool);
        for (const at of event.rules) this.packOf(event.role, event.tool)?.countRule(event.tool, at, ["checkpoint"]);
        return;
      default:
    }
  }

  private enterDecision(event: EventOf<"decision">): void {
    const { tool: named, verdict, reason, rule, callId, session, role } = event;
    // The event of an answered approval has only a call id: the tool was in the event of the request.
    const tool = named ?? this.ownerOf(event)?.toolOf(session, callId) ?? null;
    const pack = tool === null ? undefined : this.packOf(role, tool);
    if (callId !== null && pack?.isRepeated(session, callId, verdict)) return;
    if (named !== null) this.calls += 1;
    if (verdict === "allow" && (event.would !== null || event.rules.length > 0)) this.shadowed += 1;
    if (tool === null || pack === undefined) {
      if (verdict === "block" && !this.enterDenial(event)) this.unexplained += 1;
      return;
    }
    this.lastPack.set(session, pack);
    const compiled = pack.tools.get(tool);
    if (callId !== null && compiled !== undefined) pack.rememberTool(session, callId, compiled);
    if (verdict === "approval_required") return;
    if (verdict === "allow") {
      pack.countVerdict(tool, "allowed");
      if (compiled !== undefined) pack.send(session, compiled);
      this.enterShadow(pack, tool, event);
      return;
    }
    pack.countVerdict(tool, "refused");
    if (!pack.countRule(tool, rule, kindsOf(reason))) this.unexplained += 1;
  }

  /** The refusal of a call that waited for an approval: its checkpoint was counted when it asked. Returns whether it is one. */
  private enterDenial({ session, role, reason }: EventOf<"decision">): boolean {
    const tool = DENIALS.has(reason) ? this.asked.get(session) : undefined;
    const pack = tool === undefined ? undefined : this.packOf(role, tool);
    if (tool === undefined || pack === undefined) return false;
    this.asked.delete(session);
    pack.countVerdict(tool, "refused");
    return true;
  }

  /** What shadow mode did not enforce: the rules are as responsible as if it had. */
  private enterShadow(pack: PackCount, tool: string, { would, rule, rules }: EventOf<"decision">): void {
    if (rule !== null && !pack.countRule(tool, rule, kindsOf(would))) this.unexplained += 1;
    for (const at of rules) pack.countRule(tool, at, ["checkpoint"]);
  }

  private enterSettled(event: EventOf<"settled">): void {
    const { session, callId, isCommitted, reason, rule } = event;
    const pack = this.ownerOf(event);
    if (isCommitted) pack?.commit(session, callId);
    if (rule === null) return;
    const tool = pack?.toolOf(session, callId) ?? null;
    if (tool === null || !pack?.countRule(tool, rule, kindsOf(reason))) this.unexplained += 1;
  }

  private enterKilled({ session, role, breaker }: EventOf<"killed">): void {
    if (breaker === null) return;
    // Without a role it is a session of the artifact's own pack, unless the recording left the role out.
    const pack = this.roles.get(role ?? "") ?? this.lastPack.get(session) ?? this.packs[0];
    if (!pack?.countBreaker(session, breaker)) this.unexplained += 1;
  }

  /** The pack under which a call was decided, known by its session and id. */
  private ownerOf({ session, role, callId }: EventOf<"decision" | "settled">): PackCount | undefined {
    const own = this.roles.get(role ?? "");
    if (own !== undefined) return own;
    return this.packs.find((pack) => pack.toolOf(session, callId) !== null);
  }

  private packOf(role: string | null, tool: string): PackCount | undefined {
    return this.roles.get(role ?? "") ?? this.packs.find(({ tools }) => tools.has(tool));
  }
}

/**
 * Counts what recorded sessions exercised. The lines are the events that a guard passes to its listeners, one JSON object
 * each, together with the session and, in a workflow, the role:
 * `guard.on("decision", (event) => log.write(JSON.stringify({ session: guard.sessionId, ...event }) + "\n"))`,
 * likewise for `settled`, which shows when a phase is left and what an output broke, `killed` and `approval_requested`.
 */
export function coverageOf(artifact: Artifact, lines: string): CoverageResult {
  const count = new CoverageCount(artifact);
  let foreign = 0;
  for (const line of lines.split("\n")) {
    if (line.trim() === "") continue;
    const event = recordedEvent(line);
    if (event === null) foreign += 1;
    else count.enter(event);
  }
  if (count.sessionCount === 0) return { ok: false, problem: "no line is a guard event" };
  return { ok: true, coverage: count.coverage(foreign) };
}
