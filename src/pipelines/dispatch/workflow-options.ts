import type { Artifact } from "../../artifact/compiled.js";
import type { DurableStore } from "../../guard/durable-store.js";
import { checkedWorkflowOptions } from "../../workflow/api/checked-options.js";
import { roleNamed } from "../../workflow/api/workflow-parts.js";
import { type WorkflowRules, workflowRules } from "../../workflow/rules/workflow-rules.js";
import { checkActorId } from "../proxy/proxy-options.js";

/** What the options of runs say about a workflow. */
interface GivenWorkflow {
  readonly role?: string | undefined;
  readonly workflowId?: unknown;
  readonly store?: unknown;
}

/** How the runs of an artifact with a workflow begin. */
export interface CheckedWorkflow {
  readonly artifact: Artifact;
  readonly store: DurableStore;
  /** Of the agent itself. */
  readonly role: string;
}

/** The role that was given, or the only one that can be meant. */
function rootRole(rules: WorkflowRules, given: string | undefined): string {
  if (given !== undefined) return roleNamed(rules, given).name;
  const roots = Array.from(rules.roles.values()).flatMap(({ name, needsHandoff }) => (needsHandoff ? [] : [name]));
  const [only, ...others] = roots;
  if (only !== undefined && others.length === 0) return only;
  throw new TypeError(`the artifact has a workflow: give the \`role\` of the agent, one of ${roots.join(", ")}`);
}

/** Checks what runs of a workflow need; null if the artifact has none. */
export function checkedWorkflow(artifact: Artifact | null, given: GivenWorkflow): CheckedWorkflow | null {
  const rules = artifact === null ? null : workflowRules(artifact);
  if (artifact === null || rules === null) {
    if (given.role === undefined && given.workflowId === undefined) return null;
    throw new TypeError("`role` and `workflowId` are for an artifact with a workflow");
  }
  const { store } = checkedWorkflowOptions({ store: given.store });
  // It is the path of the agent too, which calls are attributed to.
  return { artifact, store, role: checkActorId(rootRole(rules, given.role)) };
}
