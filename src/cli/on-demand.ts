import type { Difference } from "../analysis/difference.js";
import type { SearchBounds } from "../analysis/search/search.js";
import type { WorkflowVerification } from "../analysis/workflow/workflow-verification.js";
import type { Artifact } from "../artifact/compiled.js";
import type { PackGoldenCases } from "../artifact/golden-case.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PlayedCase } from "../golden/played-case.js";
import type { Source } from "./read-source.js";
import type { Terminal } from "./terminal.js";
import type { Verified } from "./verification/findings.js";
import type { PlaceSpans } from "./verification/place-span.js";
import type { Shown } from "./write-report.js";

/**
 * The parts of compiling that only some runs need. They are most of the code, so each is loaded where there is something for
 * it to do.
 */

/** The golden cases of each pack, played on the guard. */
export async function playedCases(
  artifact: Artifact,
  golden: readonly PackGoldenCases[],
  { env }: Terminal,
): Promise<readonly PlayedCase[]> {
  if (golden.flat().length === 0) return [];
  const { playGoldenCases } = await import("../golden/play-golden-cases.js");
  return playGoldenCases(artifact, golden, env);
}

/** What exploring the packs shows. */
export async function exploredPacks(
  source: Pick<Source, "artifact" | "claims" | "examples" | "suppressions">,
  bounds: SearchBounds,
): Promise<readonly Verified[]> {
  const { verifyPacks } = await import("./verification/verify-packs.js");
  return verifyPacks(source, bounds);
}

/** What exploring the packs and the workflow showed. */
export interface Explored {
  readonly packs: readonly Verified[];
  readonly workflow: WorkflowVerification | null;
}

export const NOT_EXPLORED: Explored = { packs: [], workflow: null };

/** What exploring the workflow shows, after its packs; null where there is none. */
export async function exploredWorkflow(
  source: Pick<Source, "artifact" | "roleClaims">,
  verified: readonly Verified[],
  bounds: SearchBounds & { readonly sessions: number },
): Promise<WorkflowVerification | null> {
  if (source.artifact.workflow === null) return null;
  const { verifyWorkflowOf } = await import("./verification/verify-workflow.js");
  return verifyWorkflowOf(source, verified, bounds);
}

/** What exploring found, as findings at their places. */
export async function exploredFindings(
  { packs, workflow }: Explored,
  suppressions: Source["suppressions"],
  spans: PlaceSpans,
): Promise<readonly Diagnostic[]> {
  if (packs.length === 0 && workflow === null) return [];
  const [{ verificationFindings }, { workflowFindings }] = await Promise.all([
    import("./verification/findings.js"),
    import("./verification/workflow-findings.js"),
  ]);
  const ofWorkflow = workflow === null ? [] : workflowFindings(workflow, suppressions.flat(), spans);
  return [...packs.flatMap((each) => verificationFindings(each, spans)), ...ofWorkflow];
}

/** What exploring showed, for a terminal. */
export async function exploredTexts({ packs, workflow }: Explored, isFull: boolean): Promise<readonly string[]> {
  if (packs.length === 0 && workflow === null) return [];
  const [{ verificationText }, { workflowText }] = await Promise.all([
    import("./verification/summary.js"),
    import("./verification/workflow-summary.js"),
  ]);
  const texts = packs.map((each) => verificationText(each, isFull));
  return workflow === null ? texts : [...texts, workflowText(workflow, isFull)];
}

/** How each pack differs from an earlier one. */
export async function differenceFrom(
  before: Artifact,
  after: Artifact,
  bounds: SearchBounds,
): Promise<readonly (Difference | null)[]> {
  const [{ diffArtifacts }, { sentenceOf }] = await Promise.all([
    import("../analysis/diff/diff-packs.js"),
    import("../report/sentences.js"),
  ]);
  const { packs } = await diffArtifacts(before, after, { bounds, wording: sentenceOf });
  return packs;
}

/** The page for reviewers. */
export async function pageOf(terminal: Terminal, source: Source, shown: Shown): Promise<string> {
  const { reportPage } = await import("./write-report.js");
  return reportPage(terminal, source, shown);
}
