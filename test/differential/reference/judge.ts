import type { Json } from "../../../src/base/json.js";
import type { Condition, Invariant, Principal, ValueInvariant } from "../../../src/language/schema/shared.js";
import { isList, isSame, jsonType } from "./json.js";
import { select } from "./select.js";

/** Decision 0007, "Judging values". */
export type Judgement = "true" | "false" | "unjudgeable";

type Env = Readonly<Record<string, string>>;

/** False if one is false, else unjudgeable if one is, else true. */
export function join(judgements: readonly Judgement[]): Judgement {
  if (judgements.includes("false")) return "false";
  return judgements.includes("unjudgeable") ? "unjudgeable" : "true";
}

function claim(holds: boolean): Judgement {
  return holds ? "true" : "false";
}

function oneOf(value: Json, expected: readonly Json[]): Judgement {
  if (!expected.some((candidate) => jsonType(candidate) === jsonType(value))) return "unjudgeable";
  return claim(expected.some((candidate) => isSame(candidate, value)));
}

function hasType(value: Json, type: string): Judgement {
  if (type === "integer") return claim(typeof value === "number" && Number.isInteger(value));
  return claim(jsonType(value) === type);
}

function contains(value: Json, wanted: Json): Judgement {
  if (typeof value === "string") return typeof wanted === "string" ? claim(value.includes(wanted)) : "unjudgeable";
  return isList(value) ? claim(value.some((item) => isSame(item, wanted))) : "unjudgeable";
}

/** Strings by Unicode code points, lists by items. */
function lengthOf(value: Json): number | null {
  if (typeof value === "string") return [...value].length;
  return isList(value) ? value.length : null;
}

function compareLength(value: Json, holds: (length: number) => boolean): Judgement {
  const length = lengthOf(value);
  return length === null ? "unjudgeable" : claim(holds(length));
}

function compareNumber(value: Json, holds: (number: number) => boolean): Judgement {
  // Two doubles are in the same order as the decimals they are spelt as.
  return typeof value === "number" ? claim(holds(value)) : "unjudgeable";
}

function matches(value: Json, pattern: string): Judgement {
  return typeof value === "string" ? claim(new RegExp(pattern, "u").test(value)) : "unjudgeable";
}

function equalsEnv(value: Json, expected: string | undefined): Judgement {
  return expected === undefined || typeof value !== "string" ? "unjudgeable" : claim(value === expected);
}

/** An entry of any family, as far as its operators go. */
type Entry = Partial<Omit<Invariant & ValueInvariant & Condition, "path" | "ref" | "tolerance">>;

/** All operators of an entry on one value; `equals: null` is an operand like any other, only undefined is absent. */
export function judgeValue(entry: Entry, value: Json, env: Env): Judgement {
  const { equals, exact_match, one_of, exists, type, regex, gte, lte, length_gte, length_lte, equals_env } = entry;
  const found: Judgement[] = [];
  if (equals !== undefined) found.push(oneOf(value, [equals]));
  if (exact_match !== undefined) found.push(oneOf(value, [exact_match]));
  if (one_of !== undefined) found.push(oneOf(value, one_of));
  if (exists !== undefined) found.push(claim((value !== null) === exists));
  if (type !== undefined) found.push(hasType(value, type));
  if (entry.contains !== undefined) found.push(contains(value, entry.contains));
  if (regex !== undefined) found.push(matches(value, regex));
  if (gte !== undefined) found.push(compareNumber(value, (number) => number >= gte));
  if (lte !== undefined) found.push(compareNumber(value, (number) => number <= lte));
  if (length_gte !== undefined) found.push(compareLength(value, (length) => length >= length_gte));
  if (length_lte !== undefined) found.push(compareLength(value, (length) => length <= length_lte));
  if (equals_env !== undefined) found.push(equalsEnv(value, new Map(Object.entries(env)).get(equals_env)));
  return join(found);
}

/** A missing path fails `exists: true`, satisfies `exists: false`, and leaves every other operator without a value. */
function judgeMissing({ exists, ...others }: Entry): Judgement {
  const existence: Judgement[] = exists === undefined ? [] : [claim(!exists)];
  return join([...existence, ...(Object.keys(others).length > 0 ? ["unjudgeable" as const] : [])]);
}

type Located = Entry & { readonly path: string };

/** A condition that opens: every matched value must satisfy every operator, no match is a missing path. */
export function judgeEntry({ path, ...operators }: Located, root: Json, env: Env): Judgement {
  const values = select(path, root);
  if (values.length === 0) return judgeMissing(operators);
  return join(values.map((value) => judgeValue(operators, value, env)));
}

/**
 * Whether a condition whose holding closes something does so: as soon as one matched value satisfies every operator, or
 * cannot be judged; no match is a missing path.
 */
export function closes({ path, ...operators }: Located, root: Json, env: Env): boolean {
  const values = select(path, root);
  if (values.length === 0) return judgeMissing(operators) !== "false";
  return values.some((value) => judgeValue(operators, value, env) !== "false");
}

type Conditions = readonly Located[];

function conditionsOf(principal: Principal | undefined): Conditions {
  if (principal === undefined) return [];
  return Array.isArray(principal) ? principal : [principal];
}

/** Whether an allow entry is for whoever calls: all its conditions hold for certain; without any it is for everybody. */
export function allows(principal: Principal | undefined, who: Json, env: Env): boolean {
  return conditionsOf(principal).every((condition) => judgeEntry(condition, who, env) === "true");
}

/** Whether a deny entry is about whoever calls: none of its conditions is surely unmet. */
export function denies(principal: Principal | undefined, who: Json, env: Env): boolean {
  return conditionsOf(principal).every((condition) => closes(condition, who, env));
}
