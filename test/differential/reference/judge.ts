import type { Json } from "../../../src/base/json.js";
import type { Principal } from "../../../src/language/schema/shared.js";
import { type Env, type Judgement, judgeEach, type Operators } from "./operators.js";
import { select } from "./select.js";

/** False if one is false, else unjudgeable if one is, else true. */
export function join(judgements: readonly Judgement[]): Judgement {
  if (judgements.includes("false")) return "false";
  return judgements.includes("unjudgeable") ? "unjudgeable" : "true";
}

/** All operators of an entry on one value. */
export function judgeValue(entry: Operators, value: Json, env: Env): Judgement {
  return join(judgeEach(entry, value, env));
}

/** A missing path fails `exists: true`, satisfies `exists: false`, and leaves every other operator without a value. */
function judgeMissing({ exists, ...others }: Operators): Judgement {
  const existence: Judgement[] = exists === undefined ? [] : [exists ? "false" : "true"];
  return join([...existence, ...(Object.keys(others).length > 0 ? ["unjudgeable" as const] : [])]);
}

type Located = Operators & { readonly path: string; readonly reason?: string };

/** A condition that opens: every matched value must satisfy every operator, no match is a missing path. */
export function judgeEntry({ path, reason: _, ...operators }: Located, root: Json, env: Env): Judgement {
  const values = select(path, root);
  if (values.length === 0) return judgeMissing(operators);
  return join(values.map((value) => judgeValue(operators, value, env)));
}

/**
 * Whether a condition whose holding closes something does so: as soon as one matched value satisfies every operator, or
 * cannot be judged; no match is a missing path.
 */
export function closes({ path, reason: _, ...operators }: Located, root: Json, env: Env): boolean {
  const values = select(path, root);
  if (values.length === 0) return judgeMissing(operators) !== "false";
  return values.some((value) => judgeValue(operators, value, env) !== "false");
}

type Conditions = readonly Located[];

function conditionsOf(principal: Principal | undefined): Conditions {
  if (principal === undefined) return [];
  return Array.isArray(principal) ? principal : [principal];
}

/** Whether an allow entry is for the caller: all its conditions certainly hold; without any it is for every caller. */
export function allows(principal: Principal | undefined, who: Json, env: Env): boolean {
  return conditionsOf(principal).every((condition) => judgeEntry(condition, who, env) === "true");
}

/** Whether a deny entry is about the caller: none of its conditions is certainly unmet. */
export function denies(principal: Principal | undefined, who: Json, env: Env): boolean {
  return conditionsOf(principal).every((condition) => closes(condition, who, env));
}
