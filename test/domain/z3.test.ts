import { afterAll, describe, expect, it } from "vitest";
import { init } from "z3-solver";
import type { CompiledOperator } from "../../src/artifact/compiled-value.js";
import type { Json, TypeName } from "../../src/base/json.js";
import { complement, type Domain, intersect } from "../../src/domain/domain.js";
import { passingAll, refusedBy, type Tested } from "../../src/domain/of-operator.js";
import { isEmpty } from "../../src/domain/questions.js";
import { type Random, randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";

const QUESTIONS = sizeOf("DOMAIN_Z3", { share: 1_000, full: 20_000 });
const SEED = seedOf("DOMAIN_SEED", 183);
const BATCH = 500;

/**
 * The kinds of content as numbers of the solver: `k` is the kind, `x` hundredths of a number, `n` a length, `b` a truth value. Questions
 * name tenths, and between two of them hundredths are enough for any answer.
 */
const KINDS = ["absent", "null", "boolean", "number", "string", "array", "object"] as const;
const DECLARED =
  "(set-option :timeout 2000)(declare-const k Int)(declare-const x Int)(declare-const n Int)(declare-const b Bool)" +
  `(assert (and (>= k 0) (< k ${KINDS.length}) (>= n 0) (<= (- 100000) x) (<= x 100000)))`;

function is(...kinds: readonly (typeof KINDS)[number][]): string {
  return `(or false ${kinds.map((kind) => `(= k ${KINDS.indexOf(kind)})`).join(" ")})`;
}

function hundredths(value: number): string {
  const count = Math.round(Math.abs(value) * 100);
  return value < 0 ? `(- ${count})` : String(count);
}

function isMultiple(step: number): string {
  return `(= 0 (mod x ${hundredths(step)}))`;
}

function ofType(type: TypeName): string {
  return type === "integer" ? `(and ${is("number")} ${isMultiple(1)})` : is(type);
}

function equal(value: Json): string {
  if (value === null) return is("null");
  if (typeof value === "boolean") return `(and ${is("boolean")} (= b ${value}))`;
  if (typeof value !== "number") throw new Error("the solver is asked about numbers and truth values only");
  return `(and ${is("number")} (= x ${hundredths(value)}))`;
}

const COMPARISONS = { gte: ">=", lte: "<=", gt: ">", lt: "<" } as const;

/** What satisfies an operator, as the solver reads it. */
function satisfied(operator: CompiledOperator): string {
  switch (operator.op) {
    case "gte":
    case "lte":
    case "gt":
    case "lt":
      return `(and ${is("number")} (${COMPARISONS[operator.op]} x ${hundredths(operator.value)}))`;
    case "multiple_of":
      return `(and ${is("number")} ${isMultiple(operator.value)})`;
    case "type":
      return ofType(operator.value);
    case "exists":
      return operator.value ? `(not ${is("absent", "null")})` : is("absent", "null");
    case "length_gte":
      return `(and ${is("string", "array")} (>= n ${operator.value}))`;
    case "length_lte":
      return `(and ${is("string", "array")} (<= n ${operator.value}))`;
    case "equals":
      return equal(operator.value);
    case "one_of":
      return `(or false ${operator.values.map(equal).join(" ")})`;
    case "not_one_of":
      return `(not (or ${is("absent")} ${operator.values.map(equal).join(" ")}))`;
    default:
      throw new Error(`${operator.op} is not asked about`);
  }
}

/** The kinds that an operator judges, so that it surely fails what it does not accept of them. */
function judged(operator: CompiledOperator): string {
  switch (operator.op) {
    case "gte":
    case "lte":
    case "gt":
    case "lt":
    case "multiple_of":
      return is("number");
    case "length_gte":
    case "length_lte":
      return is("string", "array");
    case "equals":
    case "one_of":
      return is(
        ...(operator.op === "equals" ? [operator.value] : operator.values).map((value) =>
          value === null ? "null" : typeof value === "number" ? "number" : "boolean",
        ),
      );
    case "exists":
      return "true";
    default:
      return `(not ${is("absent")})`;
  }
}

function randomOperator(random: Random): CompiledOperator {
  const tenths = () => (random.below(81) - 40) / 10;
  const values = () =>
    Array.from({ length: 1 + random.below(3) }, () => random.pick([tenths(), random.below(4), true, false, null]));
  switch (random.below(7)) {
    case 0:
    case 1:
      return { op: random.pick(["gte", "lte", "gt", "lt"] as const), value: tenths() };
    case 2:
      return { op: "multiple_of", value: random.pick([0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3]) };
    case 3:
      return { op: random.pick(["length_gte", "length_lte"] as const), value: random.below(6) };
    case 4:
      return {
        op: "type",
        value: random.pick(["number", "integer", "string", "array", "boolean", "null", "object"] as const),
      };
    case 5:
      return { op: random.pick(["one_of", "not_one_of"] as const), values: values() };
    default:
      return random.pick([
        { op: "exists", value: true },
        { op: "exists", value: false },
        { op: "equals", value: tenths() },
      ] as const);
  }
}

interface Side {
  readonly domain: Domain;
  readonly formula: string;
}

function randomTests(random: Random): Side {
  const tests = Array.from(
    { length: 1 + random.below(4) },
    (): Tested => ({
      operator: randomOperator(random),
      passes: random.below(4) === 0 ? [random.pick(["null", "integer", "string", "boolean", "array"] as const)] : [],
      optional: random.below(5) === 0,
    }),
  );
  const formulas = tests.map(({ operator, passes, optional }) => {
    const further = [...passes.map(ofType), ...(optional ? [is("absent")] : [])];
    return `(or ${satisfied(operator)} ${further.join(" ")})`;
  });
  return { domain: passingAll(tests), formula: `(and ${formulas.join(" ")})` };
}

function randomSide(random: Random): Side {
  if (random.below(4) > 0) return randomTests(random);
  const operator = randomOperator(random);
  return { domain: refusedBy(operator), formula: `(and ${judged(operator)} (not ${satisfied(operator)}))` };
}

/** Whether something is in both sides, or in one and not in the other. */
function randomQuestion(random: Random): Side {
  const [one, other] = [randomTests(random), randomSide(random)];
  return random.below(2) === 0
    ? { domain: intersect(one.domain, other.domain), formula: `(and ${one.formula} ${other.formula})` }
    : {
        domain: intersect(one.domain, complement(other.domain)),
        formula: `(and ${one.formula} (not ${other.formula}))`,
      };
}

const { Z3, em } = await init();
afterAll(() => em.PThread.terminateAllThreads());

describe(`an independent solver, seed ${SEED}`, () => {
  it(`gives the same answers to ${QUESTIONS} questions without patterns`, async () => {
    const context = Z3.mk_context(Z3.mk_config());
    await Z3.eval_smtlib2_string(context, DECLARED);
    const counts = { yes: 0, no: 0, unknown: 0 };
    const wrong: unknown[] = [];
    // The solver has two seconds for a question.
    let undecided = 0;
    for (let from = 0; from < QUESTIONS; from += BATCH) {
      const questions = Array.from({ length: Math.min(BATCH, QUESTIONS - from) }, (_, index) =>
        randomQuestion(randomFrom(SEED, from + index)),
      );
      const script = questions.map(({ formula }) => `(push)(assert ${formula})(check-sat)(pop)`).join("\n");
      const answers = (await Z3.eval_smtlib2_string(context, script)).trim().split("\n");
      expect(answers).toHaveLength(questions.length);
      for (const [index, { domain, formula }] of questions.entries()) {
        const own = isEmpty(domain);
        counts[own] += 1;
        const answer = answers[index];
        if (answer === "unknown") undecided += 1;
        else if (own !== "unknown" && answer !== (own === "yes" ? "unsat" : "sat")) wrong.push([formula, own, answer]);
      }
    }
    expect(wrong).toEqual([]);
    expect(counts.yes).toBeGreaterThan(QUESTIONS / 5);
    expect(counts.no).toBeGreaterThan(QUESTIONS / 5);
    expect(counts.unknown).toBeLessThan(QUESTIONS / 50);
    expect(undecided).toBeLessThan(1 + QUESTIONS / 500);
  }, 600_000);
});
