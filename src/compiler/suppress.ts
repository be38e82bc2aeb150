import { SUPPRESSIBLE_VERIFICATION } from "../diagnostics/verification-findings.js";
import type { Draft } from "../language/draft.js";
import { spanOf } from "../language/located.js";
import type { SessionContract, Suppression } from "../language/schema/session.js";
import type { Finding } from "./finding.js";
import type { VerificationSuppression } from "./verification-suppression.js";

function isForVerification({ check }: Draft<Suppression>): boolean {
  return check !== undefined && SUPPRESSIBLE_VERIFICATION.has(check);
}

/** The suppressions of one pack, and which of them were needed. */
export class Suppressions {
  private readonly entries: readonly Draft<Suppression>[];
  private readonly used = new Set<Draft<Suppression>>();

  constructor(session: Draft<SessionContract> | null) {
    this.entries = session?.graph_analysis?.suppress ?? [];
  }

  /** Whether a finding is suppressed; only warnings can be, and only by an entry with a reason. */
  suppresses(finding: Finding): boolean {
    if (finding.severity === "error") return false;
    const matching = this.entries.filter(
      ({ check, tool, reason }) =>
        check === finding.code && reason !== undefined && (tool === undefined || tool === finding.tool),
    );
    for (const entry of matching) this.used.add(entry);
    return matching.length > 0;
  }

  /** The entries that suppressed nothing so far; those for findings of the exploration are judged there. */
  unused(): readonly Draft<Suppression>[] {
    return this.entries.filter((entry) => !this.used.has(entry) && !isForVerification(entry));
  }

  /** The entries for findings of the exploration. */
  forVerification(): readonly VerificationSuppression[] {
    return this.entries.filter(isForVerification).map((entry) => ({
      check: entry.check ?? "",
      tool: entry.tool ?? null,
      span: spanOf(entry),
    }));
  }
}
