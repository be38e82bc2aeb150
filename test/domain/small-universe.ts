import type { CompiledOperator } from "../../src/artifact/compiled-value.js";
import { type Json, typeOf } from "../../src/base/json.js";
import type { Content, Domain } from "../../src/domain/domain.js";
import { complement, intersect, ofTypes, unite } from "../../src/domain/domain.js";
import { passing, refusedBy, type Tested } from "../../src/domain/of-operator.js";
import { judgeOperator } from "../../src/guard/values/judge-value.js";
import { acceptsAbsence, partsOf } from "../../src/operators/index.js";
import { SAMPLE_OPERATORS, SAMPLE_VALUES } from "../support/operator-samples.js";
import type { Random } from "../support/random.js";

/** Every text of at most four of these characters. */
const CHARACTERS = [..."ab1-"];

function textsUpTo(length: number): readonly string[] {
  if (length === 0) return [""];
  const shorter = textsUpTo(length - 1);
  return [
    ...shorter,
    ...shorter
      .filter((text) => text.length === length - 1)
      .flatMap((text) => CHARACTERS.map((character) => text + character)),
  ];
}

export const TEXTS = textsUpTo(4);

const NUMBERS = Array.from({ length: 121 }, (_, index) => (index - 60) / 10);

/** Contents near everything that random operators name. */
export const UNIVERSE: readonly Content[] = [
  undefined,
  ...SAMPLE_VALUES,
  ...NUMBERS,
  ...[1e21, -1e21, 2 ** 53 + 2, 0.30000000000000004, Number.MAX_VALUE, Number.MIN_VALUE],
  ...TEXTS,
  ...["é", "\u{1f600}", "\ud83d", "\ude00", "a\n", "\n"],
  ...[
    ["a", 1],
    [1, 1],
    ["a", "b", "a"],
    [[], {}],
  ],
];

const ENV = new Map([
  ["A", "a"],
  ["B", "b1"],
]);

const SOURCES = [
  "^a*$",
  "^(ab)+$",
  "^[ab]{2,3}$",
  "a.b",
  "\\ba\\b",
  "\\Ba",
  "^\\d+-\\d+$",
  "-",
  "^$",
  "[^ab]",
  "^(a|b1)*$",
  "^\\w{1,2}$",
  "^a?b?1?$",
  "(^|-)a",
  "1$",
  "\\p{L}$",
  "^[\\p{L}1]+$",
  "^.$",
  "^(?:a|ab)(?:1|b1)$",
];

function randomOperator(random: Random): CompiledOperator {
  const number = () => random.below(40) / 10 - 2;
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return { op: "regex", pattern: { engine: "counted", source: random.pick(SOURCES) } };
    case 3:
      return { op: random.pick(["gte", "lte", "gt", "lt"] as const), value: number() };
    case 4:
      return { op: "multiple_of", value: random.pick([0.1, 0.2, 0.3, 0.5, 1, 1.5, 2]) };
    case 5:
      return { op: random.pick(["length_gte", "length_lte"] as const), value: random.below(4) };
    case 6: {
      const values: readonly Json[] = [number(), random.pick(TEXTS), random.pick(SAMPLE_VALUES), random.pick(TEXTS)];
      return { op: random.pick(["one_of", "not_one_of"] as const), values };
    }
    default:
      return random.pick(SAMPLE_OPERATORS);
  }
}

/** A domain, and what it is meant to hold. */
export interface Meant {
  readonly domain: Domain;
  readonly isMeant: (content: Content) => boolean;
  readonly text: string;
}

function judge(operator: CompiledOperator, content: Content): boolean | null {
  return content === undefined ? partsOf(operator).absent(operator) : judgeOperator(operator, content, ENV);
}

function tested(random: Random): Meant {
  const test: Tested = {
    operator: randomOperator(random),
    passes: random.below(4) === 0 ? [random.pick(["null", "string", "integer", "array"] as const)] : [],
    optional: random.below(4) === 0,
  };
  const { operator, passes, optional } = test;
  const isPassed = (content: Content) =>
    content === undefined
      ? optional || acceptsAbsence(operator)
      : judge(operator, content) === true ||
        passes.some((type) => (type === "integer" ? Number.isInteger(content) : typeOf(content) === type));
  return { domain: passing(test), isMeant: isPassed, text: JSON.stringify(test) };
}

function refused(random: Random): Meant {
  const operator = randomOperator(random);
  const text = `surely not ${JSON.stringify(operator)}`;
  return { domain: refusedBy(operator), isMeant: (content) => judge(operator, content) === false, text };
}

/** A random combination of operators, with the guard's own judgement of its values. */
export function randomMeant(random: Random, depth: number): Meant {
  if (depth === 0) return random.below(6) === 0 ? refused(random) : tested(random);
  const one = randomMeant(random, depth - 1);
  switch (random.below(5)) {
    case 0: {
      const domain = complement(one.domain);
      return { domain, isMeant: (content) => !one.isMeant(content), text: `not (${one.text})` };
    }
    case 1: {
      const other = randomMeant(random, depth - 1);
      const isMeant = (content: Content) => one.isMeant(content) || other.isMeant(content);
      return { domain: unite(one.domain, other.domain), isMeant, text: `(${one.text}) or (${other.text})` };
    }
    case 2: {
      const types = random.pick([["string"], ["number"], ["integer", "null"], ["array", "string"]] as const);
      const isMeant = (content: Content) =>
        one.isMeant(content) &&
        types.some(
          (type) =>
            content !== undefined && (typeOf(content) === type || (type === "integer" && Number.isInteger(content))),
        );
      return { domain: intersect(one.domain, ofTypes(types)), isMeant, text: `${types} and (${one.text})` };
    }
    default: {
      const other = randomMeant(random, depth - 1);
      const isMeant = (content: Content) => one.isMeant(content) && other.isMeant(content);
      return { domain: intersect(one.domain, other.domain), isMeant, text: `(${one.text}) and (${other.text})` };
    }
  }
}

/** The part of a domain that a content belongs to is exact. */
export function isExactFor(domain: Domain, content: Content): boolean {
  if (typeof content === "number") return domain.numbers.isExact;
  if (typeof content === "string") return domain.texts.isExact;
  if (typeof content !== "object" || content === null) return true;
  return Array.isArray(content) ? domain.lists.isExact : domain.objects.isExact;
}
