import type { Artifact } from "../../artifact/compiled.js";
import type { ChainParts } from "../../guard/durable/stream-form.js";
import { BrokenSession } from "../../guard/session/store-errors.js";
import { type WorkflowRules, workflowRules } from "../rules/workflow-rules.js";
import { Coordinator } from "./coordinator.js";

/** A workflow that was read. */
export interface OpenCoordinator {
  readonly coordinator: Coordinator;
  readonly rules: WorkflowRules;
}

/** Opens the log of a workflow for somebody who knows its artifact. */
export async function openCoordinator(
  artifact: Artifact,
  id: string,
  parts: ChainParts & { readonly storeTimeoutMs: number },
): Promise<OpenCoordinator> {
  const rules = workflowRules(artifact);
  if (rules === null) throw new BrokenSession();
  const identity = { id, name: rules.name, artifact: artifact.hash };
  const coordinator = new Coordinator({ ...parts, rules, identity });
  await coordinator.open();
  return { coordinator, rules };
}
