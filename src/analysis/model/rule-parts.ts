import type { CompiledCheck } from "../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../artifact/pack-rules.js";
import { forbiddenBy } from "../../guard/checks/forbidden-by.js";
import { policy } from "../../guard/checks/policy.js";
import type { Program, Proposal, Run } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";

const known = new WeakMap<CompiledCheck, readonly Run[]>();

/** The guard's own test of each rule in a check of several, in the order of the rules. */
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
 * All rules by which a check that refuses a call does so. The guard names the first of them; the others would refuse it
 * too, so that none of them does so alone.
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
