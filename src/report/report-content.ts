import type { Difference } from "../analysis/difference.js";
import type { Verification } from "../analysis/verification.js";
import type { WorkflowVerification } from "../analysis/workflow/workflow-verification.js";
import type { Artifact } from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import type { Coverage } from "./coverage.js";

/** An error or warning from compiling the pack. */
export interface ReportFinding {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly help: string | null;
}

/** Results that a pack declares as intended. */
export interface Suppressed {
  /** Ids of rules, and names of tools. */
  readonly rules: readonly string[];
  readonly tools: readonly string[];
  /** Every dead end that was found. */
  readonly isStuckMeant: boolean;
}

/** Calls of recorded sessions that the pack refuses. */
export interface Refusals {
  /** The first of them. */
  readonly calls: readonly RefusedCall[];
  readonly count: number;
}

/** A recorded call that the pack refuses. */
export interface RefusedCall {
  readonly session: string;
  /** Which call of the session, from 1. */
  readonly number: number;
  readonly tool: string;
  readonly reason: string;
  readonly rule: Place | null;
  /** The words of the policy that was broken; null where the rule has none. */
  readonly because: string | null;
  /** After an earlier refusal: in truth the session might have gone on otherwise. */
  readonly isHypothetical: boolean;
}

/** Everything a report can show; what was not examined is empty or null, and the page says so. */
export interface ReportContent {
  readonly artifact: Artifact;
  readonly findings: readonly ReportFinding[];
  /** For each pack of the artifact, in its order, because two packs may have one name; likewise the differences. */
  readonly verifications: readonly (Verification | null)[];
  /** What exploring the workflow showed. */
  readonly workflow: WorkflowVerification | null;
  /** Whether every deadlock of it is suppressed with a reason. */
  readonly isDeadlockMeant: boolean;
  /** For each pack, what is suppressed with a reason. */
  readonly suppressed: readonly Suppressed[];
  readonly difference: readonly (Difference | null)[];
  readonly coverage: Coverage | null;
  /** Null if no recorded sessions were decided again. */
  readonly refusals: Refusals | null;
  /** The target of links to sources: the folder of the pack relative to the report; null for an artifact without sources. */
  readonly sources: string | null;
}
