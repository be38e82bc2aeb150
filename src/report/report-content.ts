import type { Difference } from "../analysis/difference.js";
import type { Verification } from "../analysis/verification.js";
import type { Artifact } from "../artifact/compiled.js";
import type { Coverage } from "./coverage.js";

/** A mistake or doubt that compiling the pack gave. */
export interface ReportFinding {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly help: string | null;
}

/** What of a pack is meant as it is, so that it is no reason to worry. */
export interface Suppressed {
  /** Ids of rules, and names of tools. */
  readonly rules: readonly string[];
  readonly tools: readonly string[];
  /** Every way to get stuck that was found. */
  readonly isStuckMeant: boolean;
}

/** Everything a report can show; what was not looked into is empty or null, and the page says so. */
export interface ReportContent {
  readonly artifact: Artifact;
  readonly findings: readonly ReportFinding[];
  /** Of each pack of the artifact, in its order, as are the differences: two packs may have one name. */
  readonly verifications: readonly (Verification | null)[];
  /** Of each pack, what is suppressed with a reason. */
  readonly suppressed: readonly Suppressed[];
  readonly difference: readonly (Difference | null)[];
  readonly coverage: Coverage | null;
  /** Where links to sources lead: the folder of the pack as seen from the report; null for an artifact without sources. */
  readonly sources: string | null;
}
