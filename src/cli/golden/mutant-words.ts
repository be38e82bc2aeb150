import type { Mutant } from "../../analysis/mutation/mutants.js";
import { sentenceOf } from "../../report/sentences.js";

/** What was changed in a mutant. */
export function changeWords({ rule, body, what }: Mutant): string {
  const before = sentenceOf(rule);
  if (body === null) return `dropped: ${before}`;
  const after = sentenceOf({ ...rule, body });
  if (what !== null) return `weakened (${what}): ${before}`;
  return `weakened to: ${after} It was: ${before}`;
}

/** A name for the scenario that notices a mutant: the policy that it holds the pack to. */
export function scenarioName({ rule, body, what }: Mutant): string {
  const [tool] = rule.tools;
  const about = rule.tools.length === 1 ? `${tool}: ` : "";
  const kept = what === null ? "" : ` (not ${what})`;
  const bound = body !== null && what === null ? ", exactly" : "";
  return `${about}${sentenceOf(rule).replace(/\.$/, "")}${bound}${kept}`;
}
