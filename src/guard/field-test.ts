import type { CompiledOperator } from "../artifact/compiled-value.js";
import type { Judgement } from "../artifact/judge-plain.js";
import type { Json } from "../base/json.js";
import type { FieldValues } from "./argument-fields.js";
import { type Matcher, matcherOf } from "./match-pattern.js";

/**
 * The commonest checks, one operator on one named argument, as plain data of one shape. Running it is several times
 * faster than running the check, and most calls pass most checks.
 */
export interface FieldTest {
  readonly slot: number;
  readonly op: "text" | "equal" | "one_of" | "match" | "gte" | "lte" | "gt" | "lt";
  readonly bound: number;
  readonly value: Json;
  readonly values: ReadonlySet<Json>;
  readonly match: Matcher;
}

const MOST_MATCHED = 256;

const NONE: ReadonlySet<Json> = new Set();
const NEVER: Matcher = () => false;

function isScalar(value: Json): boolean {
  return typeof value !== "object" || value === null;
}

/** What a test may ask for beside its slot; what it has no use for is blank. */
type Asked = Partial<Pick<FieldTest, "bound" | "value" | "values" | "match">>;

/** Every test is made here: `{ ...blank }` would give each of them a hidden class of its own, which slows all of them down. */
function testOf(slot: number, op: FieldTest["op"], asked: Asked): FieldTest {
  const { bound = 0, value = null, values = NONE, match = NEVER } = asked;
  return { slot, op, bound, value, values, match };
}

/** The test for an operator on the argument in a slot; null where only the check itself can tell. */
export function fieldTestOf(operator: CompiledOperator, slot: number): FieldTest | null {
  switch (operator.op) {
    case "type":
      return operator.value === "string" ? testOf(slot, "text", {}) : null;
    case "equals":
      return isScalar(operator.value) ? testOf(slot, "equal", { value: operator.value }) : null;
    case "one_of":
      return testOf(slot, "one_of", { values: new Set(operator.values.filter(isScalar)) });
    case "regex":
      return testOf(slot, "match", { match: matcherOf(operator.pattern) });
    case "gte":
    case "lte":
    case "gt":
    case "lt":
      return testOf(slot, operator.op, { bound: operator.value });
    default:
      return null;
  }
}

function passes(test: FieldTest, value: Json | undefined): boolean {
  switch (test.op) {
    case "text":
      return typeof value === "string";
    case "equal":
      return value === test.value;
    case "one_of":
      return value !== undefined && test.values.has(value);
    case "match":
      return typeof value === "string" && test.match(value);
    case "gte":
      return typeof value === "number" && value >= test.bound;
    case "lte":
      return typeof value === "number" && value <= test.bound;
    case "gt":
      return typeof value === "number" && value > test.bound;
    case "lt":
      return typeof value === "number" && value < test.bound;
  }
}

/** Whether the check behind the test lets the call pass; null where only the check itself can tell. */
export function judgeField(test: FieldTest, values: FieldValues): Judgement {
  const value = values[test.slot];
  // A long text is left to the check, which knows what it costs.
  if (test.op === "match" && typeof value === "string" && value.length > MOST_MATCHED) return null;
  if (passes(test, value)) return true;
  return typeof value === "object" && value !== null ? null : false;
}
