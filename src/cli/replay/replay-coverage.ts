import type { Artifact } from "../../artifact/compiled.js";
import type { PlayedCall } from "../../replay/play-session.js";
import { CoverageCount } from "../../report/coverage.js";
import type { RecordedEvent } from "../../report/recorded-event.js";
import type { RefusedCall } from "../../report/report-content.js";
import type { Replayed } from "../write-report.js";
import type { ReplayedSession, ReplayVerdict } from "./replayed-session.js";

/** The report lists this many refused calls; the others are counted. */
const MOST_LISTED = 500;

const NO_SHADOW = { would: null, rules: [] } as const;

/** The events that a guard would have reported for a call. */
function eventsOf(session: string, tool: string, played: PlayedCall): RecordedEvent[] {
  const of = { session, role: null };
  if (played.kind === "block") {
    const { reason, rule } = played;
    return [{ ...of, kind: "decision", tool, verdict: "block", reason, rule, callId: null, ...NO_SHADOW }];
  }
  const { callId, isCommitted, violation } = played;
  const allowed = { ...of, kind: "decision", tool, verdict: "allow", reason: null, rule: null, callId } as const;
  const asked: RecordedEvent[] =
    played.kind === "approval_required" ? [{ ...of, kind: "approval_requested", tool, rules: played.rules }] : [];
  const broken = { reason: violation?.reason ?? null, rule: violation?.rule ?? null };
  return [...asked, { ...allowed, ...NO_SHADOW }, { ...of, kind: "settled", callId, isCommitted, ...broken }];
}

/** What recorded sessions exercise of a pack, and which of their calls it refuses. */
export class ReplayCoverage {
  private readonly count: CoverageCount;
  private readonly listed: RefusedCall[] = [];
  private refused = 0;

  constructor(artifact: Artifact) {
    this.count = new CoverageCount(artifact);
  }

  add({ id, verdicts }: ReplayedSession, played: readonly PlayedCall[]): void {
    for (const [index, verdict] of verdicts.entries()) {
      const each = played[index];
      if (each === undefined) continue;
      for (const event of eventsOf(id, verdict.tool, each)) this.count.enter(event);
      if (each.kind === "block") this.list(id, verdict);
    }
    this.count.end(id);
  }

  replayed(): Replayed {
    return { coverage: this.count.coverage(0), refusals: { calls: this.listed, count: this.refused } };
  }

  private list(session: string, verdict: ReplayVerdict): void {
    const { index, tool, reason = "", rule = null, because = null, hypothetical } = verdict;
    this.refused += 1;
    if (this.listed.length >= MOST_LISTED) return;
    const isHypothetical = hypothetical === true;
    this.listed.push({ session, number: index + 1, tool, reason, rule, because, isHypothetical });
  }
}
