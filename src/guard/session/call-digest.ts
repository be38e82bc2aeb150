import { canonicalKey, contentHash, keptText } from "../../base/canonical-json.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";

/** The same call has the same key, whatever the order of its arguments. As many are kept as the window is long. */
export function loopKey(tool: string, args: Json): string {
  return `${keptText(tool)} ${canonicalKey(args)}`;
}

/** A call is asked for its digest when its key is looked up, and again when it is reserved. */
const digests = new WeakMap<object, { readonly tool: string; readonly digest: string | null }>();

/**
 * The same for the same tool and arguments, whatever the order of the arguments; null where spelling them takes more work
 * than a judgement may take.
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
