import { isJsonObject, type Json } from "../base/json.js";
import { markDamaged, prune, type Trail } from "./draft.js";
import { parseJsonPath } from "./json-path.js";
import { valueSpan } from "./located.js";
import type { Problem } from "./problem.js";

/** Whether a key of a bind, or one of several, is read from each match of its path. */
function hasMatchKey(key: Json | undefined): boolean {
  return Array.isArray(key) ? key.some(hasMatchKey) : typeof key === "string" && key.startsWith("@");
}

function isIndefinite(path: Json | undefined): path is string {
  if (typeof path !== "string") return false;
  const result = parseJsonPath(path);
  return result.ok && result.path.kind !== "definite";
}

/**
 * Finds the binds of a checked tool contract whose path may match several values although they keep one, and prunes those paths.
 * Only with a key of each match, or in a union, several values have a place.
 */
export function indefiniteBinds(root: Json): readonly Problem[] {
  const problems: Problem[] = [];
  const trails: Trail[] = [];
  const binds: Json = isJsonObject(root) && Array.isArray(root.binds) ? root.binds : [];
  for (const [index, bind] of binds.entries()) {
    if (!isJsonObject(bind) || bind.collect !== undefined || hasMatchKey(bind.key) || !isIndefinite(bind.path))
      continue;
    problems.push({ kind: "indefinite_path", span: valueSpan(bind, "path"), path: bind.path, isBind: true });
    trails.push(["binds", String(index), "path"]);
  }
  for (const trail of trails) markDamaged(root, trail);
  prune(root, trails);
  return problems;
}
