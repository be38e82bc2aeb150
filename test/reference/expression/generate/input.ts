import type { Json, JsonObject } from "../../../../src/base/json.js";
import type { Random } from "../../../differential/generate/random.js";
import type { Input } from "../scope.js";
import type { Completeness, KeyedEntry, Slot } from "../slots.js";
import { ANYTHING, type Vocabulary } from "./vocabulary.js";

/** What the parts of the input mostly are; the generator of expressions reads them as such. */
export const MEMBERS = {
  number: ["n", "m"],
  string: ["s", "w"],
  time: ["t"],
  length: ["d"],
  boolean: ["b"],
  numbers: ["ln"],
  strings: ["ls"],
  objects: ["lo"],
  object: ["o"],
} as const;

/** Slots by their form; a test of the language has one of each at least. */
export const SLOTS = {
  number: "count",
  object: "user",
  keyed: "order",
  nested: "fare",
  words: "done",
  numbers: "seen",
} as const;

/** What values are made of. */
interface Source {
  readonly random: Random;
  readonly words: Vocabulary;
}

type Make = (source: Source) => Json;

const someNumber: Make = ({ random, words }) => random.pick(words.numbers);
const someWord: Make = ({ random, words }) => random.pick(words.words);
const someFlag: Make = ({ random }) => random.chance(0.5);

const MAKERS: readonly (readonly [string, Make])[] = [
  ["n", someNumber],
  ["m", someNumber],
  ["s", someWord],
  ["w", someWord],
  ["t", ({ random, words }) => random.pick(words.times)],
  ["d", ({ random, words }) => random.pick(words.lengths)],
  ["b", someFlag],
  ["z", () => null],
  ["ln", (source) => source.random.list(source.random.below(5), () => someNumber(source))],
  ["ls", (source) => source.random.list(source.random.below(5), () => someWord(source))],
  ["lo", (source) => source.random.list(source.random.below(4), () => someObject(source))],
  ["o", (source) => someObject(source)],
];

/** Members are missing, null or of another kind now and then. */
function someMembers(source: Source, makers: typeof MAKERS): JsonObject {
  const { random } = source;
  const members = makers.flatMap(([name, make]): [string, Json][] => {
    if (random.chance(0.04)) return [];
    return [[name, random.chance(0.07) ? random.pick(ANYTHING) : make(source)]];
  });
  return Object.fromEntries(members);
}

/** An object with the members that every object of the input has. */
function someObject(source: Source): JsonObject {
  const own = ["n", "s", "b", "z", "t", "ln"];
  return someMembers(
    source,
    MAKERS.filter(([name]) => own.includes(name)),
  );
}

function somePlain(source: Source, make: Make): Slot {
  const { random } = source;
  const chance = random.next();
  if (chance < 0.12) return { kind: "plain", held: { kind: "unset" } };
  if (chance < 0.24) return { kind: "plain", held: { kind: "awaited" } };
  return { kind: "plain", held: { kind: "set", value: random.chance(0.1) ? random.pick(ANYTHING) : make(source) } };
}

function someCompleteness(random: Random): Completeness {
  return random.pick(["complete", "complete", "complete", "incomplete", "awaited"]);
}

/** Each path of keys once, as a slot has it. */
function someKeyed(source: Source, depth: number, make: Make): Slot {
  const { random, words } = source;
  const entries = new Map<string, KeyedEntry>();
  for (let count = random.below(5); count > 0; count -= 1) {
    const keys = random.list(depth, () => random.pick(words.keys));
    const held: KeyedEntry["held"] = random.chance(0.15) ? { kind: "awaited" } : { kind: "set", value: make(source) };
    entries.set(JSON.stringify(keys), { keys, held });
  }
  return { kind: "keyed", depth, entries: [...entries.values()], completeness: someCompleteness(random) };
}

/** An awaited output may be rejected, and then no value that came before it is known any more. */
function someUnion(random: Random, values: readonly Json[]): Slot {
  const completeness = someCompleteness(random);
  const known = completeness === "awaited" ? [] : random.subset([...new Set(values)], 0.5);
  return { kind: "union", values: known, completeness };
}

/** Everything that an expression may read. */
export function someInput(random: Random, words: Vocabulary, hasOutput: boolean): Input {
  const source = { random, words };
  const output = hasOutput ? { output: random.chance(0.1) ? random.pick(ANYTHING) : someObject(source) } : {};
  return {
    args: someMembers(source, MAKERS),
    principal: { id: random.pick(["a", "b"]), level: random.pick([1, 2, 3]), vip: random.chance(0.5) },
    labels: random.subset(["vip", "gold", "a"], 0.4),
    tool: random.pick(["refund", "a"]),
    now: words.now,
    ...output,
    constants: { max: 10, fees: { gold: 5, a: 0.1 }, names: ["a", "b", "gold"] },
    timezone: words.timezone,
    slots: new Map([
      [SLOTS.number, somePlain(source, someNumber)],
      [SLOTS.object, somePlain(source, someObject)],
      [SLOTS.keyed, someKeyed(source, 1, someObject)],
      [SLOTS.nested, someKeyed(source, 2, someNumber)],
      [SLOTS.words, someUnion(random, [...new Set(words.words), "a", "gold"].slice(0, 4))],
      [SLOTS.numbers, someUnion(random, [...new Set(words.numbers)])],
    ]),
  };
}
