import type { CheckOf, CompiledPack } from "../../../artifact/compiled.js";
import type { CompiledInvariant, CompiledOperator } from "../../../artifact/compiled-value.js";
import type { Json } from "../../../base/json.js";
import { judgeEach } from "../../../guard/values/judge-value.js";
import { partsOf } from "../../../operators/index.js";
import type { Judgement } from "../../../operators/judgement.js";
import { checksOf } from "../../model/checks-of.js";
import { MOST } from "./most.js";

/** A text, a list and an object that no policy names. */
const OTHERS: readonly Json[] = [true, false, null, "\u0000other", ["\u0000other"], { "\u0000other": 0 }];

/** The value at each path of a principal; undefined where it has none. */
type Kind = ReadonlyMap<string, Json | undefined>;

const NO_ENVIRONMENT = new Map<string, string>();

/** One value for each way in which the operators at a path may judge a value; null if that is not known. */
function samplesAt(operators: readonly CompiledOperator[]): readonly (Json | undefined)[] | null {
  const named: Json[] = [];
  for (const operator of operators) {
    const own = partsOf(operator).named(operator);
    if (own === null) return null;
    named.push(...own);
  }
  const numbers = [...new Set(named.filter((value) => typeof value === "number"))].sort((a, b) => a - b);
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? 0;
  const between = numbers.slice(1).map((value, at) => (value + (numbers[at] ?? value)) / 2);
  return [undefined, ...OTHERS, first - Math.abs(first) - 1, last + Math.abs(last) + 1, ...between, ...named];
}

function conditionsOf({ denies, allows }: CheckOf<"policy">): readonly CompiledInvariant[] {
  return [...denies, ...allows].flatMap(({ principal }) => principal);
}

/** Every kind of principal that policies may tell apart: each stands for all that they judge like it. */
function kindsOf(policies: readonly CheckOf<"policy">[]): readonly Kind[] {
  const byPath = new Map<string, CompiledOperator[]>();
  for (const { path, operators } of policies.flatMap(conditionsOf)) {
    if (path.kind === "definite") byPath.set(path.text, [...(byPath.get(path.text) ?? []), ...operators]);
  }
  const known = [...byPath].flatMap(([text, operators]) => {
    const samples = samplesAt(operators);
    return samples === null ? [] : [{ text, samples }];
  });
  known.sort((a, b) => a.samples.length - b.samples.length);
  let kinds: readonly Kind[] = [new Map()];
  for (const { text, samples } of known) {
    if (kinds.length * samples.length > MOST.kinds) break;
    kinds = kinds.flatMap((kind) => samples.map((value) => new Map([...kind, [text, value]])));
  }
  return kinds;
}

/** What the judgement of an entry may be. */
function judgementsOf({ path, operators }: CompiledInvariant, kind: Kind): readonly Judgement[] {
  if (path.kind !== "definite" || !kind.has(path.text)) return [true, false, null];
  const value = kind.get(path.text);
  const each =
    value === undefined
      ? operators.map((operator) => partsOf(operator).absent(operator))
      : judgeEach(operators, value, NO_ENVIRONMENT);
  return [each.includes(false) ? false : each.includes(null) ? null : true];
}

/** Whether a policy surely refuses principals of a kind. */
function isDenied({ denies, allows, default_deny: byDefault }: CheckOf<"policy">, kind: Kind): boolean {
  const isSure = denies.some(({ principal }) => principal.every((entry) => !judgementsOf(entry, kind).includes(false)));
  if (isSure) return true;
  if (allows.length === 0) return byDefault !== null;
  return allows.every(({ principal }) => principal.some((entry) => !judgementsOf(entry, kind).includes(true)));
}

/**
 * The tools that are refused to each kind of principal, without those that are refused more than another: a session has one
 * principal, so what is never allowed to any of these kinds is never allowed.
 */
export function deniedSets({ tools }: CompiledPack): readonly ReadonlySet<string>[] {
  const policies = tools.map(({ name, checks }) => ({ name, own: checksOf(checks, "policy") }));
  const found: ReadonlySet<string>[] = [];
  for (const kind of kindsOf(policies.flatMap(({ own }) => own))) {
    const denied = new Set(
      policies.filter(({ own }) => own.some((one) => isDenied(one, kind))).map(({ name }) => name),
    );
    if (!found.some((other) => isPart(other, denied))) found.push(denied);
  }
  return found.filter((denied, at) => !found.some((other, index) => index !== at && isPart(other, denied)));
}

function isPart(inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean {
  return [...inner].every((name) => outer.has(name));
}
