import { type RoleTouches, touchesOf } from "../../artifact/resource-touches.js";
import type { Draft } from "../../language/draft.js";
import type { WorkflowContract } from "../../language/schema/workflow.js";
import { lowerPack } from "../lower/lower-pack.js";
import type { RuleContext } from "../rule-context.js";

type Mode = NonNullable<WorkflowContract["shared_resources"]>[number]["mode"];

/** A shared resource and what the roles do with it. */
export interface SharedResource {
  readonly alias: string;
  readonly mode: Mode;
  readonly draft: Draft<NonNullable<WorkflowContract["shared_resources"]>[number]>;
  /** The roles whose session declares the resource. */
  readonly roles: readonly RoleTouches[];
}

/** The roles with a tool whose calls the mode may refuse; only `exclusive_pending` refuses reads. */
export function governedRoles({ mode, roles }: SharedResource): readonly string[] {
  return roles
    .filter(({ touches }) => touches.some(({ isMutating }) => isMutating || mode === "exclusive_pending"))
    .map(({ role }) => role);
}

function find(context: RuleContext): readonly SharedResource[] {
  const contexts = context.roles.flatMap(({ target }) => (typeof target === "object" ? [target] : []));
  const packs = contexts.map(lowerPack);
  const roles = context.roles.map(({ role }, pack) => ({ name: role.name ?? "", pack }));
  return (context.workflow?.shared_resources ?? []).flatMap((draft) => {
    const { alias, mode } = draft;
    if (alias === undefined || mode === undefined) return [];
    const declaring = touchesOf({ roles }, packs, alias).filter(({ path }) => path !== null);
    return [{ alias, mode, draft, roles: declaring }];
  });
}

const known = new WeakMap<RuleContext, readonly SharedResource[]>();

/** The shared resources of a workflow without errors, computed once for all rules. */
export function sharedResources(context: RuleContext): readonly SharedResource[] {
  const resources = known.get(context) ?? find(context);
  known.set(context, resources);
  return resources;
}
