import { canonicalKey, contentHash, keptText } from "../../base/canonical-json.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";

/** The key of the latest call: it is needed when the call is judged, and again when it is reserved. */
let latest: { readonly tool: string; readonly args: Json; readonly key: string } | null = null;

/** The key of a call that was judged just now; null for every other one. */
export function latestKey(tool: string, args: Json): string | null {
  return latest !== null && latest.args === args && latest.tool === tool ? latest.key : null;
}

/** Equal for equal calls, whatever the order of their arguments. A session keeps as many as the loop window is long. */
export function loopKey(tool: string, args: Json): string {
  const known = latestKey(tool, args);
  if (known !== null) return known;
  const key = `${keptText(tool)} ${canonicalKey(args)}`;
  // By identity: what was copied for a proposal never changes.
  latest = typeof args === "object" && args !== null ? { tool, args, key } : null;
  return key;
}

/** The digest of a call is needed when its key is looked up, and again when it is reserved. */
const digests = new WeakMap<object, { readonly tool: string; readonly digest: string | null }>();

/**
 * Equal for equal calls, whatever the order of their arguments; null if computing it takes more work than a judgement may
 * take.
 */
export function digestOf({ tool, args }: { readonly tool: string; readonly args: Json }): string | null {
  const known = typeof args === "object" && args !== null ? digests.get(args) : undefined;
  if (known?.tool === tool) return known.digest;
  const digest = withinBudget<string | null>(
    () => contentHash(loopKey(tool, args)),
    () => null,
  );
  if (typeof args === "object" && args !== null) digests.set(args, { tool, digest });
  return digest;
}
