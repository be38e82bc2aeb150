import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Invariant, PrincipalCondition } from "../../../src/language/schema/shared.js";
import type { Random } from "./random.js";

/** Few values, at the borders of the rules below, so that every rule is often kept and often broken. */
const NUMBERS = [0, 1, 2, 3, 5, 10, 0.1, 0.2, 0.3, -1];
const TEXTS = ["a", "b", "ab", "aab", "", "a😀", "c"];
const ENTITIES = ["e1", "e2"];
const LISTS: readonly Json[] = [
  [1],
  [1, 2],
  [0.1, 0.2],
  [2, 1, 2],
  [],
  ["a"],
  [1, null],
  [1, "b"],
  [[1], 2],
  [{ n: 1 }, { n: 2 }],
];
/** One object at two places is two values. */
const SHARED: Json = { n: 0.1 };
const OBJECTS: readonly Json[] = [
  { n: 1 },
  { n: 2, k: "a" },
  { k: "b", n: 5 },
  {},
  { n: null },
  { n: "a" },
  { n: 1, obj: { n: 2, obj: { n: 0.1 } } },
  { obj: SHARED, list: [SHARED, { obj: { n: 0.2 } }] },
];
const ODD: readonly Json[] = [null, true, 7, "odd", [], {}];

function field(random: Random, name: string): Json {
  switch (name) {
    case "n":
    case "m":
      return random.pick(NUMBERS);
    case "s":
      return random.pick(TEXTS);
    case "id":
      return random.pick(ENTITIES);
    case "list":
      return random.pick(LISTS);
    case "obj":
      return random.pick(OBJECTS);
    default:
      return random.chance(0.4);
  }
}

const USUAL: JsonObject = { n: 1, m: 2, s: "a", id: "e1", flag: true, ok: true, list: [1, 2], obj: { n: 1 } };

/** Usual values with some of them changed, of another type, or missing; `__proto__` is a name like any other. */
export function someObject(random: Random): JsonObject {
  const entries = Object.entries(USUAL).flatMap(([name, usual]): [string, Json][] => {
    if (random.chance(0.6)) return [[name, usual]];
    if (random.chance(0.9)) return [[name, field(random, name)]];
    return random.chance(0.5) ? [] : [[name, random.pick(ODD)]];
  });
  const inherited: [string, Json][] = random.chance(0.03) ? [[random.pick(["__proto__", "constructor"]), 1]] : [];
  return Object.fromEntries([...entries, ...inherited]);
}

/** What a list says of itself that holds something else. */
function* others(): Generator<number> {
  yield 7;
}

/** Arguments that no JSON object is. */
export function notJson(random: Random): unknown {
  return random.chance(0.2) ? random.pick<unknown>([null, [1], "text"]) : uncopied(random);
}

/** What cannot be copied as JSON; each is made anew, because some hold themselves. */
export function uncopied(random: Random): unknown {
  return random.make<unknown>([
    () => undefined,
    () => ({ n: Number.NaN }),
    () => ({ n: Number.POSITIVE_INFINITY }),
    () => ({ n: undefined }),
    () => ({ n: 1n }),
    () => ({ n: () => 1 }),
    () => ({ n: Symbol("n") }),
    () => ({ n: 1, [Symbol("n")]: 1 }),
    () => ({ obj: { [Symbol.toPrimitive]: 1 } }),
    () => ({ list: Object.assign([1, 2], { [Symbol.iterator]: others }) }),
    () => ({ n: new Date(0) }),
    () => new Map([["n", 1]]),
    () => ({ list: [1, undefined] }),
    () => {
      const loop: Record<string, unknown> = { n: 1 };
      loop.obj = loop;
      return loop;
    },
    () => random.list(150, String).reduce<unknown>((inner) => ({ obj: inner }), { n: 1 }),
  ]);
}

type Entry = Omit<Invariant, "path"> & { path: string };

/** An entry of the full operator family that the usual values mostly satisfy. */
export function someInvariant(random: Random): Entry {
  return random.make<Entry>([
    () => ({ path: random.pick(["$.n", "$.m", "$['n']"]), gte: random.pick([-1, 0, 1]), lte: random.pick([2, 5, 10]) }),
    () => ({ path: "$.n", type: random.pick(["number", "integer"]) }),
    () => ({ path: "$.n", one_of: [0, 1, 2, 3, null] }),
    () => ({ path: random.pick(["$.n", "$.obj"]), exists: true }),
    () => ({ path: random.pick(["$.x", "$.constructor", "$.__proto__"]), exists: false }),
    () => ({ path: random.pick(["$.x", "$.n"]), exists: false, ...random.maybe(0.3, () => ({ equals: null })) }),
    () => ({ path: "$.s", type: "string", length_gte: random.pick([0, 1]), length_lte: random.pick([1, 2, 3]) }),
    () => ({ path: "$.s", regex: random.pick(["^[ab]*$", "a", "^.{1,2}$", "^(a+)+b?$"]) }),
    () => ({ path: "$.s", one_of: ["a", "b", "ab"] }),
    () => ({ path: random.pick(["$.s", "$.list"]), contains: random.pick(["a", 1]) }),
    () => ({ path: "$.flag", equals: true }),
    () => ({ path: "$.flag", type: "boolean" }),
    () => ({ path: "$.ok", equals: true }),
    () => ({ path: "$.s", equals_env: random.pick(["LETTER", "UNSET"]) }),
    () => ({ path: "$.obj", equals: { k: "a", n: 2 } }),
    () => ({ path: "$.obj", one_of: [{ n: 1 }, { k: "a", n: 2 }], type: "object" }),
    () => ({ path: "$.list", type: "array", length_gte: 1 }),
    () => ({ path: random.pick(["$.list[*]", "$.list[0:2]", "$.list[::-1]"]), type: "number" }),
    () => ({ path: random.pick(["$.list[-1]", "$.list[0]", "$.list[1,0]"]), gte: 0 }),
    () => ({ path: random.pick(["$..n", "$.obj.*", "$['n','m']", "$..['n']"]), lte: random.pick([2, 5, 10]) }),
    () => ({ path: random.pick(["$..obj..n", "$..list..n", "$..obj..*"]), type: random.pick(["number", "object"]) }),
    () => ({ path: random.pick(["$.list[::2]", "$.list[1:]", "$.list[-2:]"]), gte: random.pick([0, 1]), lte: 5 }),
    () => ({ path: random.pick(["$..k", "$.list[*]", "$..x"]), exists: random.chance(0.5) }),
    () => ({ path: "$.*", exists: true }),
    () => ({ path: "$", type: "object" }),
    () => ({ path: "$.m", equals: random.pick([2, 2.0, null]) }),
  ]);
}

const TEAMS: readonly Json[] = [
  [],
  [{ level: 1, kind: "a" }],
  [
    { level: 1, kind: "a" },
    { level: 3, kind: "b", teams: [{ level: 2 }] },
  ],
  [{ level: 1 }, { level: "3" }],
  [{ level: 3 }, { level: 3 }],
];

/** Who calls; one attribute is sometimes missing or of another type. */
export function somePrincipal(random: Random): JsonObject {
  return {
    ...random.maybe(0.9, () => ({ type: random.pick<Json>(["human", "human", "bot", 5]) })),
    ...random.maybe(0.9, () => ({ tier: random.pick<Json>([1, 2, 3, "L2"]) })),
    ...random.maybe(0.9, () => ({ roles: random.pick<Json>([["a"], ["a", "b"], [], "ab"]) })),
    ...random.maybe(0.5, () => ({ teams: random.pick(TEAMS) })),
    region: random.pick<Json>(["EU", "UK", null]),
  };
}

type Who = Omit<PrincipalCondition, "path"> & { path: string };

/** One condition on the principal, from every operator. */
export function someCondition(random: Random): Who {
  return random.make<Who>([
    () => ({ path: "$.type", equals: random.pick(["human", "bot"]) }),
    () => ({ path: "$.type", one_of: ["human", "auditor"] }),
    () => ({ path: "$.tier", gte: random.pick([1, 2]), lte: random.pick([2, 3]) }),
    () => ({ path: "$.roles", contains: random.pick(["a", "b"]) }),
    () => ({ path: "$.roles", length_gte: random.pick([0, 1]), length_lte: 2 }),
    () => ({ path: random.pick(["$.roles[*]", "$.roles[0:2]"]), regex: random.pick(["^[ab]$", "b"]) }),
    () => ({ path: "$.roles[*]", equals: random.pick(["a", "b"]) }),
    () => ({ path: random.pick(["$.teams[*].level", "$..level", "$..teams..level"]), gte: random.pick([2, 3]) }),
    () => ({ path: random.pick(["$.teams[*].kind", "$..kind", "$.teams[::-1].kind"]), one_of: ["b", "c"] }),
    () => ({ path: random.pick(["$.teams[*].kind", "$..kind"]), exists: random.chance(0.5) }),
    () => ({ path: random.pick(["$.type", "$.region"]), exists: random.chance(0.5) }),
    () => ({ path: "$.tier", type: random.pick(["integer", "number", "string", "boolean"]) }),
    () => ({ path: random.pick(["$.roles", "$"]), type: random.pick(["array", "object"]) }),
    () => ({ path: "$.region", equals_env: random.pick(["REGION", "UNSET"]) }),
  ]);
}
