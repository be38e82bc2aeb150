import type { Draft } from "../language/draft.js";
import type { SessionContract, Suppression } from "../language/schema/session.js";
import type { Finding } from "./rule.js";

/** The suppressions of one pack, and which of them were needed. */
export class Suppressions {
  private readonly entries: readonly Draft<Suppression>[];
  private readonly used = new Set<Draft<Suppression>>();

  constructor(session: Draft<SessionContract> | null) {
    this.entries = session?.graph_analysis?.suppress ?? [];
  }

  /** Whether a finding is silenced; only warnings are, and only by an entry that gives a reason. */
  silences(finding: Finding): boolean {
    if (finding.severity === "error") return false;
    const matching = this.entries.filter(
      ({ check, tool, reason }) =>
        check === finding.code && reason !== undefined && (tool === undefined || tool === finding.tool),
    );
    for (const entry of matching) this.used.add(entry);
    return matching.length > 0;
  }

  /** The entries that silenced nothing so far. */
  unused(): readonly Draft<Suppression>[] {
    return this.entries.filter((entry) => !this.used.has(entry));
  }
}
