import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failThen, holdThen } from "../../../src/analysis/diff/static/operator-strength.js";
import { isMultipleOf } from "../../../src/base/decimal.js";
import { type Json, typeOf } from "../../../src/base/json.js";
import { lengthOf } from "../../../src/base/length.js";
import { holds } from "../../../src/domain/domain.js";
import { refusedBy } from "../../../src/domain/of-operator.js";
import { ENGINE, judgeOperator } from "../../../src/guard/values/judge-value.js";
import {
  ALIASES,
  acceptsAbsence,
  domainOf,
  mayHold,
  narrowerThan,
  OPERATORS,
  oppositeOf,
  partsOf,
  samplesOf,
  weakerThan,
} from "../../../src/operators/index.js";
import { type AnyWritten, FAMILIES } from "../../../src/operators/operator.js";
import { judgeQuickly } from "../../../src/operators/quick-test.js";
import type { Range, ValueSet } from "../../../src/operators/value-set.js";
import { WORDS, wordsOf } from "../../../src/operators/words.js";
import { SAMPLE_OPERATORS, SAMPLE_VALUES } from "../../support/operator-samples.js";
import { type Edit, typeErrorsWith } from "../../support/type-errors.js";

const ENV = new Map([["A", "a"]]);

const ENTRIES = Object.entries(OPERATORS);

function isIn(value: number, { low, high, isLowOpen, isHighOpen }: Range): boolean {
  return (isLowOpen ? value > low : value >= low) && (isHighOpen ? value < high : value <= high);
}

/** Whether a description covers a value. */
function covers(set: ValueSet, value: Json): boolean {
  if (!set.types.includes(typeOf(value))) return false;
  if (set.values !== null && !set.values.some((one) => JSON.stringify(one) === JSON.stringify(value))) return false;
  if (typeof value === "number")
    return isIn(value, set.numbers) && (set.step === null || isMultipleOf(value, set.step));
  if (typeof value === "string") return isIn(lengthOf(value) ?? 0, set.lengths.string);
  return !Array.isArray(value) || isIn(value.length, set.lengths.array);
}

describe("the list of operators", () => {
  it("has every record under the name of its compiled form, with a file and a sample each", () => {
    expect(ENTRIES.map(([name]) => name)).toEqual(ENTRIES.map(([, { op }]) => op));
    const files = readdirSync(new URL("../../../src/operators/", import.meta.url));
    expect(ENTRIES.map(([name]) => `${name.replaceAll("_", "-")}.ts`).filter((file) => !files.includes(file))).toEqual(
      [],
    );
    expect([...new Set(SAMPLE_OPERATORS.map(({ op }) => op))].sort()).toEqual(ENTRIES.map(([name]) => name).sort());
  });

  it("gives every word of a family a position of its own", () => {
    const forms: readonly (readonly [string, AnyWritten<unknown> | null])[] = Object.entries({
      ...OPERATORS,
      ...ALIASES,
    }).map(([word, { written }]) => [word, written]);
    for (const family of FAMILIES) {
      const positions = forms.flatMap(([, written]) => written?.families[family]?.at ?? []);
      expect([family, positions.sort((a, b) => a - b)]).toEqual([family, wordsOf(family).map((_, at) => at + 1)]);
    }
    expect(new Set(FAMILIES.flatMap((family): readonly string[] => wordsOf(family)))).toEqual(new Set(WORDS));
  });
});

describe.each(SAMPLE_OPERATORS.map((operator) => [JSON.stringify(operator), operator] as const))(
  "%s",
  (_, operator) => {
    const { accepts, judges } = domainOf(operator);
    const refuses = refusedBy(operator);
    const parts = partsOf(operator);

    it("judges no value that its domain does not describe", () => {
      for (const value of SAMPLE_VALUES) {
        const judgement = judgeOperator(operator, value, ENV);
        if (judgement === true) expect([value, covers(accepts, value)]).toEqual([value, true]);
        if (judgement === false) expect([value, holds(refuses, value)]).toEqual([value, true]);
        if (judges.includes(typeOf(value))) expect([value, judgement]).not.toEqual([value, null]);
        if (judgement === true) expect([value, mayHold(operator, value, ENGINE)]).toEqual([value, true]);
      }
    });

    it("lists values only where all of them satisfy it, or surely fail it", () => {
      for (const value of accepts.values ?? []) expect(judgeOperator(operator, value, ENV)).toBe(true);
    });

    it("has a quick test that passes nothing else, if it has one", () => {
      const quick = parts.quick(operator, ENGINE);
      if (quick === null) return;
      expect(judgeQuickly(quick, undefined)).not.toBe(true);
      for (const value of SAMPLE_VALUES) {
        const judged = judgeQuickly(quick, value);
        if (judged !== null) expect([value, judgeOperator(operator, value, ENV) === true]).toEqual([value, judged]);
      }
    });

    it("says something of itself", () => {
      expect(parts.words.required(operator)).not.toBe("");
      expect(parts.words.sentence(operator)).not.toBe("");
      expect(parts.operand(operator)).toBeDefined();
      expect(Object.keys(samplesOf(operator)).length).toBeGreaterThan(0);
      expect(acceptsAbsence(operator)).toBe(parts.absent(operator) === true);
    });

    it("is implied by no operator, and fails with none, where some value distinguishes them", () => {
      const mistakes = SAMPLE_OPERATORS.flatMap((other) => {
        const [holds, fails] = [holdThen([other], [operator]), failThen([other], [operator])];
        return SAMPLE_VALUES.flatMap((value) => {
          const [now, then] = [other, operator].map((one) => judgeOperator(one, value, ENV));
          const isWrong = (holds && now === true && then !== true) || (fails && now === false && then !== false);
          return isWrong ? [{ other, value }] : [];
        });
      });
      expect(mistakes).toEqual([]);
    });

    it("has an opposite that holds where it is false, and nowhere where it holds", () => {
      const opposite = oppositeOf(operator);
      if (opposite === null) return;
      const judged = SAMPLE_VALUES.map((value) => [
        value,
        judgeOperator(operator, value, ENV),
        judgeOperator(opposite, value, ENV),
      ]);
      expect(judged.filter(([, own, other]) => own !== null && (own === false) !== (other === true))).toEqual([]);
    });

    it("is weaker or narrower as its record says", () => {
      for (const weaker of weakerThan(operator))
        expect([weaker, holdThen([operator], [weaker])]).toEqual([weaker, true]);
      for (const narrower of narrowerThan(operator)) {
        expect([narrower, holdThen([narrower], [operator])]).toEqual([narrower, true]);
      }
    });

    it("is implied by itself, and fails with itself", () => {
      expect([holdThen([operator], [operator]), failThen([operator], [operator])]).toEqual([true, true]);
    });
  },
);

/** For every part of a record a file that has it, and the text to be removed. */
const PARTS: readonly (readonly [part: string, file: string, text: string, record: string])[] = [
  ["op", "exists.ts", '  op: "exists",\n', "exists"],
  ["fields", "contains.ts", "  fields: { value: d.json },\n", "contains"],
  ["written", "multiple-of.ts", "  written: null,\n", "multipleOf"],
  ["absent", "equals.ts", "  absent: () => null,\n", "equals"],
  ["quick", "type.ts", '  quick: ({ value }) => (value === "string" ? quickTest("text", {}) : null),\n', "type"],
  ["operand", "one-of.ts", "  operand: ({ values }) => values,\n", "oneOf"],
  ["variable", "equals-env.ts", "  variable: ({ name }) => name,\n", "equalsEnv"],
  ["shows", "regex.ts", '  shows: "value",\n', "regex"],
  ["sentence", "length-gte.ts", `    sentence: ({ value }) => \`of length \${value} or more\`,\n`, "lengthGte"],
  ["samples", "gte.ts", "  samples: ({ value }) => ({ ...NO_SAMPLES, lower: [value] }),\n", "gte"],
];

const JUDGE =
  '  judge:\n    ({ value: bound }) =>\n    (value) =>\n      typeof value === "number" ? value >= bound : null,\n';

const MORE_PARTS: typeof PARTS = [
  ["judge", "gte.ts", JUDGE, "gte"],
  ["required", "length-lte.ts", `    required: ({ value }) => \`of length \${value} or less\`,\n`, "lengthLte"],
  ["domain", "contains.ts", "  domain: ({ value }) => domainOf(value),\n", "contains"],
  ["schema", "exact-match.ts", '    schema: { type: "string", description: "The exact string" },\n', "exactMatch"],
  ["families", "equals-env.ts", "    families: { full: { at: 11 } },\n", "equalsEnv"],
  ["since", "exists.ts", '    since: "1.0",\n', "exists"],
];

const RELATED: typeof PARTS = [
  ["opposite", "not-equals.ts", '  opposite: ({ value }) => ({ op: "equals", value }),\n', "notEquals"],
  ["named", "one-of.ts", "  named: ({ values }) => values,\n", "oneOf"],
  ["weaker", "gt.ts", '  weaker: ({ value }) => [{ op: "gte", value }],\n', "gt"],
  ["narrower", "regex.ts", "  narrower: () => [],\n", "regex"],
];

/** What the error says: without fields, those that other parts read are not known. */
function sign(part: string): string {
  return part === "fields" ? "unknown" : part;
}

describe("a record", () => {
  it.each([
    ["most parts", PARTS] as const,
    ["the others", MORE_PARTS] as const,
    ["related operators", RELATED] as const,
  ])(
    "does not compile without %s",
    async (_, parts) => {
      const edits = parts.map(([, file, text]): Edit => [`src/operators/${file}`, text, ""]);
      const errors = await typeErrorsWith("src/operators/words.ts", edits);
      const missed = parts.filter(
        ([part, , , record]) => !errors.some(({ where, message }) => where === record && message.includes(sign(part))),
      );
      expect(missed.map(([part]) => part)).toEqual([]);
    },
    60_000,
  );

  it("has parts that are all tried here", () => {
    const text = readFileSync(new URL("../../../src/operators/operator.ts", import.meta.url), "utf8");
    const [, body = ""] = /export interface OperatorParts<C> \{([\s\S]*?)\n\}/.exec(text) ?? [];
    const names = [...body.matchAll(/^ {2}readonly (\w+):/gm)].map(({ 1: name = "" }) => name);
    const tried = [...PARTS, ...MORE_PARTS, ...RELATED].map(([part]) => part);
    // The words are tried one by one.
    expect(names.filter((name) => !tried.includes(name))).toEqual(["words"]);
  });
});
