import type { CompiledCheck } from "../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../artifact/pack-rules.js";
import { forbiddenBy } from "../../guard/checks/forbidden-by.js";
import { policy } from "../../guard/checks/policy.js";
import type { Program, Proposal, Run } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";

const known = new WeakMap<CompiledCheck, readonly Run[]>();

/** The guard's own test for each rule of a check that has several, in the order of the rules. */
function partsOf(check: CompiledCheck): readonly Run[] {
  const parts = known.get(check) ?? makeParts(check);
  known.set(check, parts);
  return parts;
}

function makeParts(check: CompiledCheck): readonly Run[] {
  if (check.kind === "forbidden_by") return check.tools.map((entry) => forbiddenBy({ ...check, tools: [entry] }));
  if (check.kind !== "policy") return [];
  const denies = check.denies.map((entry) => policy({ ...check, denies: [entry], allows: [], default_deny: null }));
  const isOpen = check.allows.length === 0 && check.default_deny === null;
  return isOpen ? denies : [...denies, policy({ ...check, denies: [] })];
}

/**
 * All rules of a check that refuse a call. The guard names only the first; if there are several, none refuses alone.
 */
export function refusingRules(
  check: CompiledCheck,
  rules: PackRules,
  { program, session, proposal }: { readonly program: Program; readonly session: Session; readonly proposal: Proposal },
): readonly PackRule[] {
  const all = rules.inCheck(check);
  if (all.length <= 1) return all;
  const parts = partsOf(check);
  const refusing = all.filter((_, at) => (parts[at]?.(proposal, session, program) ?? null) !== null);
  return [...new Set(refusing)];
}
