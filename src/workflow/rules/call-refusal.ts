import { type Block, block } from "../../guard/decide/verdict.js";
import { holderAgainst, resourceName } from "../state/shared-resource.js";
import type { Member, WorkflowState } from "../state/workflow-state.js";
import { workLimits } from "./limits.js";
import { isTouch, type Touch, type UnreadableKey } from "./touched-resources.js";
import type { ResourceMode, WorkflowRules } from "./workflow-rules.js";

/** A call as the workflow sees it. */
export interface WorkflowCall {
  /** It is a step of its own. */
  readonly isStep: boolean;
  /** Its side effect is other than `read`, or unknown. */
  readonly isMutating: boolean;
  readonly touches: readonly (Touch | UnreadableKey)[];
}

const REQUIRED: Readonly<Record<ResourceMode, string>> = {
  single_writer: "no other session that owns it",
  exclusive_pending: "no unsettled call of another session on it",
  serial_only: "no unsettled mutating call of another session on it",
};

/** What a shared resource has against a call; null if nothing. */
function resourceRefusal(
  { resources }: WorkflowState,
  { id }: Member,
  { touch, isMutating }: { readonly touch: Touch | UnreadableKey; readonly isMutating: boolean },
): Block | null {
  const { alias, mode, at, keyAt } = touch.resource;
  if (!isTouch(touch)) {
    const required = `a text, a number or a boolean as the key of \`${alias}\``;
    return block("resource_unreadable", keyAt, required, touch.found);
  }
  const resource = resources.get(resourceName({ alias, key: touch.key }));
  const holder = resource === undefined ? null : holderAgainst(mode, resource, { session: id, isMutating });
  return holder === null ? null : block("resource_conflict", at, `\`${alias}\`: ${REQUIRED[mode]}`, holder);
}

/** Everything that refuses a call of an admitted session, in the order of the checks: limits of the workflow, then resources. */
export function callRefusals(
  rules: WorkflowRules,
  state: WorkflowState,
  { member, call }: { readonly member: Member; readonly call: WorkflowCall },
): readonly Block[] {
  const { isStep, isMutating, touches } = call;
  const all = [
    workLimits(rules, state, isStep),
    ...touches.map((touch) => resourceRefusal(state, member, { touch, isMutating })),
  ];
  return all.filter((refusal): refusal is Block => refusal !== null);
}

/** The first of them; null if nothing refuses the call. */
export function callRefusal(
  rules: WorkflowRules,
  state: WorkflowState,
  { member, call }: { readonly member: Member; readonly call: WorkflowCall },
): Block | null {
  const limited = workLimits(rules, state, call.isStep);
  if (limited !== null) return limited;
  for (const touch of call.touches) {
    const refused = resourceRefusal(state, member, { touch, isMutating: call.isMutating });
    if (refused !== null) return refused;
  }
  return null;
}
