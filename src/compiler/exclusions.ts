import { parseJsonPath } from "../language/json-path.js";
import type { RuleContext } from "./rule-context.js";

/** The canonical spelling of a path, or the path itself where it does not parse. */
export function canonicalPath(path: string): string {
  const parsed = parseJsonPath(path);
  return parsed.ok ? parsed.path.text : path;
}

/** A test of paths: whether the checks derived from the tool's schema are in force, neither switched off nor replaced. */
export function derivation(context: RuleContext, tool: string): (path: string) => boolean {
  const contract = context.toolsByName.get(tool)?.contract;
  if (contract === undefined) return () => false;
  // A tool's own `schema_derived: true` overrides the session's setting.
  const isOn = contract.schema_derived ?? context.session?.schema_derived ?? true;
  const manual = (contract.argument_value_invariants ?? []).flatMap(({ path }) => path ?? []);
  const others = new Set([...manual, ...(contract.schema_derived_exclude ?? [])].map(canonicalPath));
  return (path) => isOn && !others.has(path);
}
