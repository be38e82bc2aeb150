import { parseJsonPath } from "../language/json-path.js";
import type { RuleContext } from "./rule-context.js";

/** The canonical spelling of a path, or the path itself where it does not parse. */
export function canonicalPath(path: string): string {
  const parsed = parseJsonPath(path);
  return parsed.ok ? parsed.path.text : path;
}

/** Whether a contract or its session switches off the checks that a tool's schema derives for a path. */
export function derivesNothing(context: RuleContext, tool: string, path: string | null): boolean {
  const contract = context.toolsByName.get(tool)?.contract;
  if (path === null || contract === undefined) return false;
  if (contract.schema_derived === false) return true;
  // A tool's own `schema_derived: true` outranks the session's switch.
  if (contract.schema_derived === undefined && context.session?.schema_derived === false) return true;
  return (contract.schema_derived_exclude ?? []).some((excluded) => canonicalPath(excluded) === path);
}
