import type { Artifact, CompiledWorkflow } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import type { JsonPath } from "../../base/json-path.js";

/** What becomes of a child when its parent ends. */
export type ClosePolicy = CompiledWorkflow["parent_close_policy"];

/** How sessions share a resource; written out for who imports it. Rules that are read from an artifact do not compile with another one. */
export type ResourceMode = "single_writer" | "exclusive_pending" | "serial_only";

/** A shared resource as the sessions of one role name it. */
export interface RoleResource {
  /** Of the entry in workflow.yaml. */
  readonly at: Place;
  readonly alias: string;
  readonly mode: ResourceMode;
  /** Of the entry in session.yaml that finds the key in arguments. */
  readonly keyAt: Place;
  readonly path: JsonPath;
}

/** One role: how its sessions begin, and which shared resources their calls may touch. */
export interface RoleRules {
  readonly name: string;
  readonly at: Place;
  /** The index of its pack in the artifact. */
  readonly pack: number;
  /** Some handoff leads to it, so that its sessions begin in no other way. */
  readonly needsHandoff: boolean;
  /** In the order of workflow.yaml. */
  readonly resources: readonly RoleResource[];
}

/** A declared handoff. */
export interface HandoffRules {
  readonly at: Place;
  readonly from: string;
  readonly to: string;
  readonly artifacts: readonly string[];
  /** Its own policy, else the default of the workflow. */
  readonly policy: ClosePolicy;
}

/** The rules of a workflow, prepared once. */
export interface WorkflowRules {
  readonly name: string;
  readonly at: Place;
  readonly roles: ReadonlyMap<string, RoleRules>;
  /** By role that hands off, then by role that it hands off to. */
  readonly handoffs: ReadonlyMap<string, ReadonlyMap<string, HandoffRules>>;
  readonly limits: CompiledWorkflow["limits"];
  readonly modes: ReadonlyMap<string, ResourceMode>;
  readonly subtreeKill: boolean;
  readonly onlyOperatorsKill: boolean;
}

function roleResources(artifact: Artifact, workflow: CompiledWorkflow, pack: number): readonly RoleResource[] {
  const declared = artifact.packs[pack]?.resources ?? [];
  return workflow.shared_resources.flatMap(({ at, alias, mode }) =>
    declared
      .filter(({ name }) => name === alias)
      .map(({ at: keyAt, path }): RoleResource => ({ at, alias, mode, keyAt, path })),
  );
}

function handoffsOf({ handoffs, parent_close_policy: fallback }: CompiledWorkflow): WorkflowRules["handoffs"] {
  const byFrom = new Map<string, Map<string, HandoffRules>>();
  for (const { at, from, to, requires_artifacts: artifacts, parent_close_policy: own } of handoffs) {
    const byTo = byFrom.get(from) ?? new Map<string, HandoffRules>();
    byFrom.set(from, byTo);
    byTo.set(to, { at, from, to, artifacts, policy: own ?? fallback });
  }
  return byFrom;
}

/** The rules of the workflow of an artifact; null where it has none. */
export function workflowRules(artifact: Artifact): WorkflowRules | null {
  const { workflow } = artifact;
  if (workflow === null) return null;
  const reached = new Set(workflow.handoffs.map(({ to }) => to));
  const roles = workflow.roles.map(({ at, name, pack }): [string, RoleRules] => [
    name,
    { name, at, pack, needsHandoff: reached.has(name), resources: roleResources(artifact, workflow, pack) },
  ]);
  return {
    name: workflow.name,
    at: workflow.at,
    roles: new Map(roles),
    handoffs: handoffsOf(workflow),
    limits: workflow.limits,
    modes: new Map(workflow.shared_resources.map(({ alias, mode }) => [alias, mode])),
    subtreeKill: workflow.subtree_kill,
    onlyOperatorsKill: workflow.workflow_kill === "operator_only",
  };
}
