import type { RuleContext } from "./rule-context.js";

/** The constants that expressions of a pack without errors read. */
export function constantsRead(_context: RuleContext): ReadonlySet<string> {
  return new Set();
}
