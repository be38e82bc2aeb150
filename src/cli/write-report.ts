import { dirname, relative, resolve, sep } from "node:path";
import type { Difference } from "../analysis/difference.js";
import type { WorkflowVerification } from "../analysis/workflow/workflow-verification.js";
import { plainDiagnostic } from "../diagnostics/render-json.js";
import { type Coverage, coverageOf } from "../report/coverage.js";
import { renderPage } from "../report/page/page.js";
import type { Refusals } from "../report/report-content.js";
import { UsageError } from "./exit-code.js";
import { readNamedFile } from "./read-named-file.js";
import type { Source } from "./read-source.js";
import type { Terminal } from "./terminal.js";
import { suppressedBy, type Verified } from "./verification/findings.js";
import { isDeadlockMeant } from "./verification/workflow-findings.js";

/** What deciding recorded sessions again showed. */
export interface Replayed {
  readonly coverage: Coverage;
  readonly refusals: Refusals;
}

/** What a report shows besides the pack itself. */
export interface Shown {
  readonly verified: readonly Verified[];
  /** Null where there is no workflow, or none was explored. */
  readonly workflow: WorkflowVerification | null;
  /** Of each pack of the artifact, in its order. */
  readonly difference: readonly (Difference | null)[];
  /** A file of recorded events. */
  readonly traces: string | null;
  /** What deciding recorded sessions again showed; null where none were. */
  readonly replayed: Replayed | null;
  /** The file it is written to, for its links; null for standard output. */
  readonly out: string | null;
}

function readCoverage(terminal: Terminal, { artifact }: Source, file: string): Coverage {
  const text = readNamedFile(resolve(terminal.cwd, file), file);
  const result = coverageOf(artifact, text);
  if (result.ok) return result.coverage;
  throw new UsageError(`\`${file}\` holds no recorded events: ${result.problem}`);
}

/** The links of a report lead to the contracts, relative to where it is written. */
function sourcesOf({ cwd }: Terminal, { folder }: Source, out: string | null): string | null {
  if (folder === null) return null;
  const from = out === null ? cwd : dirname(resolve(cwd, out));
  return relative(from, folder).split(sep).join("/") || ".";
}

/** The page for reviewers. */
export function reportPage(
  terminal: Terminal,
  source: Source,
  { verified, workflow, difference, traces, replayed, out }: Shown,
): string {
  const findings = source.diagnostics.map(plainDiagnostic);
  const own = source.artifact.packs.map((pack) => verified.find((each) => each.pack === pack));
  return renderPage({
    artifact: source.artifact,
    findings: findings.map(({ severity, code, message, file, line, help = null }) => ({
      severity,
      code,
      message,
      file,
      line,
      help,
    })),
    verifications: own.map((each) => each?.verification ?? null),
    suppressed: own.map((each) =>
      each === undefined ? { rules: [], tools: [], isStuckMeant: false } : suppressedBy(each),
    ),
    workflow,
    isDeadlockMeant: workflow !== null && isDeadlockMeant(workflow, source.suppressions.flat()),
    difference,
    coverage: traces === null ? (replayed?.coverage ?? null) : readCoverage(terminal, source, traces),
    refusals: replayed?.refusals ?? null,
    sources: sourcesOf(terminal, source, out),
  });
}
