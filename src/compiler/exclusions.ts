import { parseJsonPath } from "../language/json-path.js";
import type { RuleContext } from "./rule-context.js";

/** The canonical spelling of a path, or the path itself where it does not parse. */
export function canonicalPath(path: string): string {
  const parsed = parseJsonPath(path);
  return parsed.ok ? parsed.path.text : path;
}

/** Tells of each path whether the checks that a tool's schema derives for it take part: nothing switches them off or replaces them. */
export function derivation(context: RuleContext, tool: string): (path: string) => boolean {
  const contract = context.toolsByName.get(tool)?.contract;
  if (contract === undefined) return () => false;
  // A tool's own `schema_derived: true` outranks the session's switch.
  const isOn = contract.schema_derived ?? context.session?.schema_derived ?? true;
  const manual = (contract.argument_value_invariants ?? []).flatMap(({ path }) => path ?? []);
  const others = new Set([...manual, ...(contract.schema_derived_exclude ?? [])].map(canonicalPath));
  return (path) => isOn && !others.has(path);
}
