import { randomUUID } from "node:crypto";
import type { Artifact } from "../../artifact/compiled.js";
import { type Sealing, sealingOf } from "../../guard/durable/sealing.js";
import { StoreClock } from "../../guard/durable/store-clock.js";
import { checkedClock, checkedOptions } from "../../guard/guard-options.js";
import { ledgerTimes } from "../../guard/ledger-times.js";
import { trustedArtifact } from "../../guard/resolved-options.js";
import { Coordinator } from "../log/coordinator.js";
import { type RoleRules, type WorkflowRules, workflowRules } from "../rules/workflow-rules.js";
import { checkedWorkflowOptions } from "./checked-options.js";
import type { WorkflowOptions } from "./workflow-api.js";

/** What all sessions of a workflow have in common in this process. */
export interface WorkflowParts {
  readonly artifact: Artifact;
  readonly rules: WorkflowRules;
  readonly options: WorkflowOptions;
  readonly coordinator: Coordinator;
  readonly clock: StoreClock;
  readonly sealing: Sealing | null;
  readonly storeTimeoutMs: number;
}

/** Checks what a workflow is opened with, and prepares it. Nothing is read yet. */
export function workflowParts(given: Artifact | null, options: unknown): WorkflowParts {
  const checked = checkedWorkflowOptions(options);
  const { store: _, workflowId: __, ...common } = checked;
  // What its guards would reject later.
  checkedOptions(common);
  const artifact = trustedArtifact(given);
  const rules = workflowRules(artifact);
  if (rules === null) throw new TypeError("the artifact has no workflow; `createGuard` makes the guard of a session");
  const { store, workflowId: id = randomUUID() } = checked;
  const clock = new StoreClock(checkedClock(checked.clock));
  const sealing = sealingOf(checked) ?? sealingOf(store);
  const { storeTimeoutMs } = ledgerTimes(checked);
  const identity = { id, name: rules.name, artifact: artifact.hash };
  const coordinator = new Coordinator({
    ...{ store, guardId: randomUUID(), clock, sealing, rules, identity, storeTimeoutMs },
  });
  return { artifact, rules, options: checked, coordinator, clock, sealing, storeTimeoutMs };
}

/** A role by its name. */
export function roleNamed({ roles }: WorkflowRules, name: unknown): RoleRules {
  const role = typeof name === "string" ? roles.get(name) : undefined;
  if (role !== undefined) return role;
  throw new TypeError(`the workflow has no such role; it has ${[...roles.keys()].join(", ")}`);
}
