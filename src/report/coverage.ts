import type { Artifact } from "../artifact/compiled.js";
import { PackCount, type PackCoverage } from "./pack-count.js";
import { kindsOf } from "./reason-kinds.js";
import { type RecordedEvent, recordedEvent } from "./recorded-event.js";

/** What recorded sessions exercised of an artifact. */
export interface Coverage {
  /** Calls that were decided. */
  readonly calls: number;
  readonly sessions: number;
  /** Lines that are no events of a guard. */
  readonly foreign: number;
  /** Refusals that no single rule of the artifact explains: it may have changed since, or none was responsible. */
  readonly unexplained: number;
  readonly packs: readonly PackCoverage[];
}

/** The counts, or why there are none. */
export type CoverageResult =
  | { readonly ok: true; readonly coverage: Coverage }
  | { readonly ok: false; readonly problem: string };

type Decision = RecordedEvent & { readonly kind: "decision" };

/** Counts over all packs of an artifact. */
class Count {
  calls = 0;
  unexplained = 0;
  readonly packs: readonly PackCount[];
  readonly sessions = new Set<string>();
  private readonly roles: ReadonlyMap<string, PackCount | undefined>;

  constructor({ packs, workflow }: Artifact) {
    this.packs = packs.map((pack) => new PackCount(pack));
    this.roles = new Map(workflow?.roles.map(({ name, pack }) => [name, this.packs[pack]]));
  }

  enter(event: RecordedEvent): void {
    this.sessions.add(event.session);
    switch (event.kind) {
      case "decision":
        this.enterDecision(event);
        return;
      case "settled":
        if (event.isCommitted) for (const pack of this.packs) pack.committed(event.session, event.callId);
        return;
      case "approval_requested":
        for (const at of event.rules) this.packOf(event.role, event.tool)?.fire(event.tool, at, ["checkpoint"]);
        return;
      default:
    }
  }

  private enterDecision({ tool: told, verdict, reason, rule, callId, session, role }: Decision): void {
    // An answered approval tells only its call: the tool was told when the approval was asked for.
    const tool = told ?? this.packs.map((pack) => pack.toolOf(session, callId)).find((name) => name !== null) ?? null;
    if (told !== null) this.calls += 1;
    const pack = tool === null ? undefined : this.packOf(role, tool);
    if (tool === null || pack === undefined) {
      if (verdict === "block") this.unexplained += 1;
      return;
    }
    const compiled = pack.tools.get(tool);
    if (callId !== null && compiled !== undefined) pack.named(session, callId, compiled);
    if (verdict === "approval_required") return;
    if (verdict === "allow") {
      pack.decided(tool, "allowed");
      if (compiled !== undefined) pack.began(session, compiled);
      return;
    }
    pack.decided(tool, "refused");
    if (!pack.fire(tool, rule, kindsOf(reason))) this.unexplained += 1;
  }

  private packOf(role: string | null, tool: string): PackCount | undefined {
    return this.roles.get(role ?? "") ?? this.packs.find(({ tools }) => tools.has(tool));
  }
}

/**
 * Counts what recorded sessions exercised. The lines are the events that a guard tells its listeners, one JSON object each,
 * with the session, and in a workflow the role, beside them:
 * `guard.on("decision", (told) => log.write(JSON.stringify({ session: guard.sessionId, ...told }) + "\n"))`,
 * likewise for `settled`, which tells when a phase is left, and `approval_requested`.
 */
export function coverageOf(artifact: Artifact, lines: string): CoverageResult {
  const count = new Count(artifact);
  let foreign = 0;
  for (const line of lines.split("\n")) {
    if (line.trim() === "") continue;
    const event = recordedEvent(line);
    if (event === null) foreign += 1;
    else count.enter(event);
  }
  if (count.sessions.size === 0) return { ok: false, problem: "no line is an event of a guard" };
  const { calls, unexplained, sessions } = count;
  const packs = count.packs.map((pack) => pack.coverage());
  return { ok: true, coverage: { calls, sessions: sessions.size, foreign, unexplained, packs } };
}
