import type { CheckOf } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import { unsetVariable } from "../decide/found.js";
import { type Block, block, tooCostly, withBecause } from "../decide/verdict.js";
import type { Run } from "../program/program.js";
import { type Environment, judgeClosing, judgeEntries } from "../values/judge-value.js";

/** Required by a policy that cannot be judged; other arguments do not help. */
export const SMALLER_PRINCIPAL = "a principal small enough for the policy to be judged";

/** Refuses the session's principal by the policy. Judged once, since neither of them changes. */
export function policy(check: CheckOf<"policy">): Run {
  return (_proposal, _session, { refusals, principal, env }) => {
    const known = refusals.get(check);
    if (known !== undefined) return known;
    // A budget of its own: the first call must not pay for all.
    const refusal = withinBudget(
      () => judgePolicy(check, principal, env),
      () => ({ ...tooCostly(placeOf(check)), required: SMALLER_PRINCIPAL }),
    );
    refusals.set(check, refusal);
    return refusal;
  };
}

function placeOf({ denies, allows, default_deny: fallback }: CheckOf<"policy">): Place | null {
  return denies[0]?.at ?? allows[0]?.at ?? fallback;
}

/** Refuses a principal that is denied, or that none of the covering allow entries names. */
function judgePolicy(check: CheckOf<"policy">, principal: Json | null, env: Environment): Block | null {
  for (const { at, principal: conditions, because } of check.denies) {
    // A principal that cannot be judged might be a denied one.
    if (judgeEntries(conditions, principal, env, judgeClosing) !== false) {
      const unset = unsetVariable(conditions, env);
      const found = unset ?? "a denied principal";
      const remedy = unset === null ? null : "variable";
      return withBecause(block("policy_denied", at, "a principal that is not denied", found, remedy), because);
    }
  }
  const [first, ...others] = check.allows;
  if (first !== undefined) {
    if (check.allows.some(({ principal: conditions }) => judgeEntries(conditions, principal, env) === true))
      return null;
    // A variable does not help an entry that refuses the principal without it.
    const unset = unsetVariable(
      check.allows
        .filter(({ principal: conditions }) => judgeEntries(conditions, principal, env) === null)
        .flatMap(({ principal: conditions }) => conditions),
      env,
    );
    const found = unset ?? "another principal";
    const remedy = unset === null ? null : "variable";
    const refusal = block("policy_denied", first.at, "a principal that an allow entry names", found, remedy);
    // Which of several entries the call was made under, nobody knows.
    return withBecause(refusal, others.length === 0 ? first.because : undefined);
  }
  if (check.default_deny === null) return null;
  return block("policy_denied", check.default_deny, "an allow entry that covers the tool", "none");
}
