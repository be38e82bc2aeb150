import { canonicalKey, keptText } from "../../base/canonical-json.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import type { Watch } from "../program/tool-effects.js";
import { readDefinite } from "../values/read-path.js";

/** The entity of a call as a key: "" if the precondition names none, null if the call has none. */
export function judgedEntity({ resource }: Watch, args: Json): string | null {
  if (resource === null) return "";
  const entity = resource.kind === "definite" ? readDefinite(resource.steps, args) : undefined;
  return entity === undefined ? null : canonicalKey(entity);
}

/** Entities other than short texts and scalars, by arguments and path: every watch needs them when a call opens and ends. */
const remembered = new WeakMap<object, Map<string, string | null>>();
const SHORT = 256;

/**
 * The entity of a reserved call. One that takes more work than a judgement may take counts as none: no call with the same entity
 * can be judged either.
 */
export function entityOf(watch: Watch, args: Json): string | null {
  const { resource } = watch;
  if (resource === null) return "";
  const entity = resource.kind === "definite" ? readDefinite(resource.steps, args) : undefined;
  if (entity === undefined) return null;
  const isSmall = typeof entity === "string" ? entity.length <= SHORT : typeof entity !== "object" || entity === null;
  if (isSmall || typeof args !== "object" || args === null) return keptText(JSON.stringify(entity));
  const known = remembered.get(args) ?? new Map<string, string | null>();
  remembered.set(args, known);
  const before = known.get(resource.text);
  if (before !== undefined) return before;
  const text = withinBudget<string | null>(
    () => canonicalKey(entity),
    () => null,
  );
  known.set(resource.text, text);
  return text;
}
