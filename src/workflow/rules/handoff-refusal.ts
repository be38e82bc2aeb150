import { type Block, block } from "../../guard/decide/verdict.js";
import type { Member, WorkflowState } from "../state/workflow-state.js";
import { admission } from "./admission.js";
import { sessionLimits } from "./limits.js";
import type { RoleRules, WorkflowRules } from "./workflow-rules.js";

/** The artifacts of a handoff: the names of those that are there, and what is wrong with them. */
export interface BroughtArtifacts {
  readonly names: ReadonlySet<string>;
  /** Null if they are JSON and small enough. */
  readonly problem: string | null;
}

/** How many bytes the artifacts of a handoff may have together, as UTF-8 of canonical JSON. */
export const MOST_ARTIFACT_BYTES = 1024 * 1024;

/** Why a session may not hand off to a role; null if it may. */
export function handoffRefusal(
  rules: WorkflowRules,
  state: WorkflowState,
  { from, to, artifacts }: { readonly from: Member; readonly to: RoleRules; readonly artifacts: BroughtArtifacts },
): Block | null {
  const refused = admission(rules, state, from);
  if (refused !== null) return refused;
  const handoff = rules.handoffs.get(from.role)?.get(to.name);
  if (handoff === undefined) {
    const required = `a handoff from \`${from.role}\` that workflow.yaml declares`;
    return block("handoff_not_declared", rules.at, required, `one to \`${to.name}\``);
  }
  const missing = handoff.artifacts.filter((name) => !artifacts.names.has(name));
  if (missing.length > 0) {
    const required = `the artifacts ${handoff.artifacts.map((name) => `\`${name}\``).join(", ")}`;
    const found = `none named ${missing.map((name) => `\`${name}\``).join(", ")}`;
    return block("handoff_artifact_missing", handoff.at, required, found);
  }
  if (artifacts.problem !== null) {
    const required = `artifacts that are JSON, at most ${MOST_ARTIFACT_BYTES} bytes together`;
    return block("handoff_artifact_invalid", handoff.at, required, artifacts.problem);
  }
  return sessionLimits(rules, state, true);
}
