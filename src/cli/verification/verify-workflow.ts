import type { SearchBounds } from "../../analysis/search/search.js";
import { verifyWorkflow } from "../../analysis/workflow/verify-workflow.js";
import type { WorkflowVerification } from "../../analysis/workflow/workflow-verification.js";
import { MemoryStore } from "../../stores/memory-store.js";
import type { Source } from "../read-source.js";
import type { Verified } from "./findings.js";

/** Explores the workflow of a source; null where it has none. */
export function verifyWorkflowOf(
  { artifact, roleClaims: claims }: Pick<Source, "artifact" | "roleClaims">,
  verified: readonly Verified[],
  bounds: SearchBounds & { readonly sessions: number },
): Promise<WorkflowVerification | null> {
  const packs = artifact.packs.map((pack) => verified.find((each) => each.pack === pack)?.verification ?? null);
  return verifyWorkflow(artifact, { claims, packs, openStore: () => new MemoryStore(() => 0) }, bounds);
}
