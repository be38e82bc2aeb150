import type { Artifact, CompiledWorkflow } from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import { packName } from "../artifact/pack-name.js";
import { touchesOf } from "../artifact/resource-touches.js";

/** A role of a workflow. */
export interface RoleModel {
  readonly name: string;
  readonly at: Place;
  /** The pack of its sessions: its name, and its index among the packs of the artifact. */
  readonly pack: string;
  readonly packIndex: number;
  readonly tools: number;
  /** Whether its sessions start on their own; any other role starts by a handoff only. */
  readonly isRoot: boolean;
}

/** A declared handoff. */
export interface HandoffModel {
  readonly from: string;
  readonly to: string;
  readonly at: Place;
  readonly artifacts: readonly string[];
  /** What happens to the child when its parent ends. */
  readonly closing: CompiledWorkflow["parent_close_policy"];
  /** Whether that is the default of the workflow. */
  readonly isDefault: boolean;
}

/** The tools of one role that may touch a shared resource. */
export interface TouchModel {
  readonly role: string;
  readonly packIndex: number;
  /** Where their arguments name the resource. */
  readonly path: string;
  readonly reads: readonly string[];
  readonly changes: readonly string[];
}

/** A shared resource: how sessions share it, and which tools of which roles may touch it. */
export interface SharedModel {
  readonly alias: string;
  readonly at: Place;
  readonly mode: CompiledWorkflow["shared_resources"][number]["mode"];
  readonly roles: readonly TouchModel[];
  /** The roles whose sessions do not declare it: no call of theirs counts as touching it. */
  readonly strangers: readonly string[];
}

/** A workflow, as drawings and pages need it. */
export interface WorkflowModel {
  readonly name: string;
  readonly at: Place;
  readonly roles: readonly RoleModel[];
  readonly handoffs: readonly HandoffModel[];
  readonly limits: CompiledWorkflow["limits"];
  readonly resources: readonly SharedModel[];
  readonly closing: CompiledWorkflow["parent_close_policy"];
  readonly subtreeKill: boolean;
  readonly workflowKill: CompiledWorkflow["workflow_kill"];
}

function sharedModel(
  { packs }: Artifact,
  workflow: CompiledWorkflow,
  { alias, mode, at }: CompiledWorkflow["shared_resources"][number],
): SharedModel {
  const found = touchesOf(workflow, packs, alias);
  const roles = found.flatMap(({ role, path, touches }, index) => {
    if (path === null) return [];
    const names = (isMutating: boolean) =>
      touches.filter((touch) => touch.isMutating === isMutating).map(({ tool }) => tool.name);
    const packIndex = workflow.roles[index]?.pack ?? 0;
    return [{ role, packIndex, path: path.text, reads: names(false), changes: names(true) }];
  });
  return { alias, at, mode, roles, strangers: found.filter(({ path }) => path === null).map(({ role }) => role) };
}

/** The facts of the workflow of an artifact; null where it has none. */
export function workflowModel(artifact: Artifact): WorkflowModel | null {
  const { workflow, packs } = artifact;
  if (workflow === null) return null;
  const targets = new Set(workflow.handoffs.map(({ to }) => to));
  return {
    name: workflow.name,
    at: workflow.at,
    roles: workflow.roles.map(({ name, at, pack: packIndex }) => {
      const pack = packs[packIndex];
      return {
        name,
        at,
        pack: pack === undefined ? "" : packName(pack),
        packIndex,
        tools: pack?.tools.length ?? 0,
        isRoot: !targets.has(name),
      };
    }),
    handoffs: workflow.handoffs.map(({ from, to, at, requires_artifacts: artifacts, parent_close_policy: own }) => ({
      from,
      to,
      at,
      artifacts,
      closing: own ?? workflow.parent_close_policy,
      isDefault: own === null,
    })),
    limits: workflow.limits,
    resources: workflow.shared_resources.map((resource) => sharedModel(artifact, workflow, resource)),
    closing: workflow.parent_close_policy,
    subtreeKill: workflow.subtree_kill,
    workflowKill: workflow.workflow_kill,
  };
}
