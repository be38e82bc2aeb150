import type { Place } from "../../artifact/compiled-value.js";
import type { PlayedCall } from "../../replay/play-session.js";
import type { TracedSession } from "../../replay/traced-session.js";

/** The verdict on one call, in the form that `--format json` prints. */
export interface ReplayVerdict {
  readonly index: number;
  readonly tool: string;
  readonly kind: PlayedCall["kind"];
  readonly reason?: string;
  readonly rule?: Place;
  /** The words of the policy. */
  readonly because?: string;
  /** True after the first refused call of the session. */
  readonly hypothetical?: true;
}

/** One session, in the form that `--format json` prints. */
export interface ReplayedSession {
  readonly id: string;
  readonly verdicts: readonly ReplayVerdict[];
  readonly first_block: number | null;
}

type Cause = Pick<ReplayVerdict, "reason" | "rule" | "because">;

function cause(reason: string | null, rule: Place | null, because: string | null): Cause {
  return {
    ...(reason === null ? {} : { reason }),
    ...(rule === null ? {} : { rule }),
    ...(because === null ? {} : { because }),
  };
}

/** Why a call was refused, or its output rejected. */
function causeOf(played: PlayedCall): Cause {
  if (played.kind === "block") return cause(played.reason, played.rule, played.because);
  const { violation } = played;
  if (violation !== null) return cause(violation.reason, violation.rule, violation.because ?? null);
  return cause(null, played.kind === "approval_required" ? (played.rules[0] ?? null) : null, null);
}

/** Puts the verdicts of a session together. */
export function replayedSession(id: string, session: TracedSession, played: readonly PlayedCall[]): ReplayedSession {
  const first = played.findIndex(({ kind }) => kind === "block");
  const verdicts = played.map((each, index): ReplayVerdict => {
    const tool = session.calls[index]?.tool ?? "";
    const isHypothetical = first !== -1 && index > first;
    // Nearly every call is one of these.
    if (each.kind === "allow" && each.violation === null && !isHypothetical) return { index, tool, kind: "allow" };
    const verdict = { index, tool, kind: each.kind, ...causeOf(each) };
    return isHypothetical ? { ...verdict, hypothetical: true } : verdict;
  });
  return { id, verdicts, first_block: first === -1 ? null : first };
}
