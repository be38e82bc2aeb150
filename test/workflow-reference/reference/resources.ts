import type { Reason } from "../../../src/artifact/reasons.js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Call } from "../../differential/reference/history.js";
import { contractOf, type Pack } from "../../differential/reference/model.js";
import { valueAt } from "../../differential/reference/select.js";
import type { Holding, ResourceMode } from "./model.js";

export interface Shared {
  readonly alias: string;
  readonly mode: ResourceMode;
}

/** A session with everything that was called in it. */
export interface Caller {
  readonly id: string;
  readonly pack: Pack;
  /** Neither closed nor killed. */
  readonly isLive: boolean;
  readonly calls: readonly Call[];
  /** Calls that were released, also those of which somebody found out later that they happened: others may have come since. */
  readonly released: ReadonlySet<string>;
}

function keyIn(pack: Pack, alias: string, args: JsonObject): Json | undefined {
  const resources = new Map(Object.entries(pack.session?.resources ?? {}));
  const resource = resources.get(alias);
  return resource === undefined ? undefined : valueAt(resource.extract_from.path, args);
}

function isReadable(key: Json): boolean {
  return typeof key === "string" || typeof key === "number" || typeof key === "boolean";
}

/** Keys are compared as text: 17 and "17" are one. */
function isSameKey(a: Json, b: Json): boolean {
  return isReadable(a) && isReadable(b) && String(a) === String(b);
}

function isMutating(pack: Pack, tool: string): boolean {
  return contractOf(pack, tool)?.side_effect !== "read";
}

interface Touch {
  readonly key: Json;
  readonly isMutating: boolean;
  readonly isUnsettled: boolean;
  readonly isReleased: boolean;
}

/** What a session did to the resources of one name. */
function touchesOf({ pack, calls, released }: Caller, alias: string): readonly Touch[] {
  return calls.flatMap((call): Touch[] => {
    const key = keyIn(pack, alias, call.args);
    if (key === undefined || !isReadable(key)) return [];
    return [
      {
        key,
        isMutating: isMutating(pack, call.tool),
        isUnsettled: call.open !== null,
        isReleased: released.has(call.callId),
      },
    ];
  });
}

/** Whether the session makes a mutating call of another one conflict, by what it did to one resource. */
function holds(mode: ResourceMode, isLive: boolean, touches: readonly Touch[]): boolean {
  switch (mode) {
    case "single_writer": {
      const hasWritten = touches.some((touch) => touch.isMutating && !touch.isReleased);
      return hasWritten && (isLive || touches.some(({ isUnsettled }) => isUnsettled));
    }
    case "exclusive_pending":
      return touches.some(({ isUnsettled }) => isUnsettled);
    case "serial_only":
      return touches.some((touch) => touch.isMutating && touch.isUnsettled);
  }
}

function isHolder(caller: Caller, { alias, mode }: Shared, key: Json): boolean {
  const touches = touchesOf(caller, alias).filter((touch) => isSameKey(touch.key, key));
  return holds(mode, caller.isLive, touches);
}

/** Every holder of every resource, once. */
export function holdingsOf(shared: readonly Shared[], callers: readonly Caller[]): readonly Holding[] {
  return shared.flatMap((resource) =>
    callers.flatMap((caller) => {
      const { alias, mode } = resource;
      const keys = new Map(touchesOf(caller, alias).map(({ key }) => [String(key), key]));
      const held = [...keys.values()].filter((key) => isHolder(caller, resource, key));
      return held.map((key) => ({ alias, key, mode, session: caller.id }));
    }),
  );
}

interface Proposed {
  readonly pack: Pack;
  readonly tool: string;
  readonly args: JsonObject;
}

/** Why the call cannot touch what it would touch; the resources are looked at in the order of workflow.yaml. */
export function conflictOf(
  { pack, tool, args }: Proposed,
  shared: readonly Shared[],
  others: readonly Caller[],
): Reason | null {
  for (const resource of shared) {
    const key = keyIn(pack, resource.alias, args);
    if (key === undefined) continue;
    if (!isReadable(key)) return "resource_unreadable";
    // Reads are refused by nothing but a pending call of another session.
    const isConcerned = isMutating(pack, tool) || resource.mode === "exclusive_pending";
    if (isConcerned && others.some((other) => isHolder(other, resource, key))) return "resource_conflict";
  }
  return null;
}
