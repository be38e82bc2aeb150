import type { Artifact } from "../../src/artifact/compiled.js";
import { becauseOf, PackRules, type RuleKind } from "../../src/artifact/pack-rules.js";

/** The rules that may have the policy's own words; `requires` and `ensures` cannot be without. */
const WITH_WORDS: ReadonlySet<RuleKind> = new Set([
  "phase",
  "precondition",
  "policy_deny",
  "policy_allow",
  "label_gate",
  "input_invariant",
  "execution_constraint",
  "argument_invariant",
  "ref",
  "output_invariant",
  "aggregate",
  "envelope",
  "output_stage",
  "checkpoint",
]);

/** Every rule of a pack that could have words and has none. */
export function wordlessRules({ packs }: Artifact): readonly string[] {
  return packs.flatMap((pack) =>
    new PackRules(pack).all
      .filter(({ body }) => WITH_WORDS.has(body.kind) && becauseOf(body) === null)
      .map(({ at, body }) => `${at?.file}:${at?.line} ${body.kind}`),
  );
}
