import { canonicalJson } from "../../../base/canonical-json.js";
import type { Change, RuleIds } from "../../difference.js";

/** Equal changes of different tools as one, so that an edit of thirty contracts is read once. */
export function groupChanges(changes: readonly Change[]): readonly Change[] {
  const groups = new Map<string, { readonly first: Change; readonly tools: Set<string>; readonly others: RuleIds[] }>();
  for (const change of changes) {
    const { kind, what, name, before, after, direction, oldRule, newRule } = change;
    const key = canonicalJson([kind, what, what === "rule" ? "" : name, before, after, direction]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { first: change, tools: new Set(change.tools), others: [] });
    else {
      for (const tool of change.tools) known.tools.add(tool);
      known.others.push({ oldRule, newRule });
    }
  }
  return [...groups.values()].map(({ first, tools, others }) => {
    const merged = { ...first, tools: [...tools] };
    const rules = others.filter(({ oldRule, newRule }) => oldRule !== null || newRule !== null);
    return rules.length === 0 ? merged : { ...merged, others: rules };
  });
}
