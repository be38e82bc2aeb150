import type { Json } from "../../base/json.js";
import { typeOf } from "../../base/json.js";
import { readDefinite } from "../../guard/values/read-path.js";
import type { ResourceKey } from "../state/workflow-event.js";
import type { RoleResource, RoleRules } from "./workflow-rules.js";

/** A shared resource that a call touches. */
export interface Touch {
  readonly resource: RoleResource;
  readonly key: ResourceKey;
}

/** A key in the arguments of a call that names no resource. */
export interface UnreadableKey {
  readonly resource: RoleResource;
  readonly found: string;
}

/** What the arguments of a call touch, in the order of workflow.yaml. A resource whose path finds nothing is not touched. */
export function touchesOf({ resources }: RoleRules, args: Json): readonly (Touch | UnreadableKey)[] {
  const touches: (Touch | UnreadableKey)[] = [];
  for (const resource of resources) {
    const { path } = resource;
    const key = path.kind === "definite" ? readDefinite(path.steps, args) : undefined;
    if (key === undefined) continue;
    if (typeof key === "object") touches.push({ resource, found: `a value of type ${typeOf(key)}` });
    else touches.push({ resource, key });
  }
  return touches;
}

/** Whether the key of a resource could be read. */
export function isTouch(touch: Touch | UnreadableKey): touch is Touch {
  return "key" in touch;
}
