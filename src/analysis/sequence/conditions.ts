import type { SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { deepEqual } from "../../base/equal.js";
import { isJsonList, isJsonObject, isOfType, type Json, type TypeName } from "../../base/json.js";
import { type Environment, judgeOperator } from "../../guard/values/judge-value.js";
import {
  added,
  all,
  any,
  atom,
  constantOf,
  type Formula,
  type Linear,
  not,
  scaled,
  subtracted,
} from "../linear/formula.js";
import { divided, exactly, negative, ONE } from "../linear/fraction.js";
import type { Numbers } from "./numbers.js";

const number = (value: number): Linear => constantOf(exactly(value));

export const atMost = (a: Linear, b: Linear): Formula => atom(subtracted(a, b), "<=");
export const below = (a: Linear, b: Linear): Formula => atom(subtracted(a, b), "<");
export const same = (a: Linear, b: Linear): Formula => atom(subtracted(a, b), "=");

function isOneOf(sum: Linear, values: readonly Json[]): Formula {
  return any(values.map((value) => (typeof value === "number" ? same(sum, number(value)) : false)));
}

function isMultiple(sum: Linear, step: number): Formula {
  return step === 0 ? same(sum, number(0)) : atom(scaled(sum, divided(ONE, exactly(step))), "whole");
}

function isNumberOf(sum: Linear, types: readonly TypeName[]): Formula {
  return types.includes("number") || (types.includes("integer") && atom(sum, "whole"));
}

/** Within a fraction of another number. */
export function isNear(value: Linear, of: Linear, fraction: number): Formula {
  const side = (sign: Linear) => all([atMost(subtracted(value, of), sign), atMost(subtracted(of, value), sign)]);
  const far = scaled(of, exactly(fraction));
  const zero = number(0);
  return any([all([atMost(zero, of), side(far)]), all([below(of, zero), side(scaled(far, negative(ONE)))])]);
}

/** What rules ask of values in which marks stand for numbers. */
export class Conditions {
  constructor(
    readonly numbers: Numbers,
    private readonly env: Environment,
  ) {}

  /** Whether an operator accepts a value. */
  accepted(operator: CompiledOperator, value: Json): Formula {
    const { numbers } = this;
    if (typeof value !== "number" || numbers.variableOf(value) === null) {
      return judgeOperator(operator, value, this.env) === true;
    }
    const sum = numbers.sumOf(value);
    switch (operator.op) {
      case "exists":
        return operator.value;
      case "type":
        return isNumberOf(sum, [operator.value]);
      case "equals":
        return isOneOf(sum, [operator.value]);
      case "one_of":
        return isOneOf(sum, operator.values);
      case "not_equals":
        return not(isOneOf(sum, [operator.value]));
      case "not_one_of":
        return not(isOneOf(sum, operator.values));
      case "gte":
        return atMost(number(operator.value), sum);
      case "lte":
        return atMost(sum, number(operator.value));
      case "gt":
        return below(number(operator.value), sum);
      case "lt":
        return below(sum, number(operator.value));
      case "multiple_of":
        return isMultiple(sum, operator.value);
      case "contains":
      case "regex":
      case "length_gte":
      case "length_lte":
      case "equals_env":
        return false;
    }
  }

  allAccepted(operators: readonly CompiledOperator[], values: readonly Json[]): Formula {
    return all(values.flatMap((value) => operators.map((operator) => this.accepted(operator, value))));
  }

  /** Whether two values are equal. */
  equal(a: Json, b: Json): Formula {
    const { numbers } = this;
    if (typeof a === "number" && typeof b === "number") return same(numbers.sumOf(a), numbers.sumOf(b));
    if (isJsonList(a) && isJsonList(b)) {
      return a.length === b.length && all(a.map((item, at) => this.equal(item, b[at] ?? null)));
    }
    if (!isJsonObject(a) || !isJsonObject(b) || isJsonList(a) || isJsonList(b)) return deepEqual(a, b);
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length || names.some((name) => !Object.hasOwn(b, name))) return false;
    return all(names.map((name) => this.equal(a[name] ?? null, b[name] ?? null)));
  }

  /** Equal, or numbers that are near each other. */
  agrees(value: Json, bound: Json, tolerance: number | null): Formula {
    if (tolerance === null || typeof value !== "number" || typeof bound !== "number") return this.equal(value, bound);
    return isNear(this.numbers.sumOf(value), this.numbers.sumOf(bound), tolerance);
  }

  /** What a schema asks of the numbers in a value; whatever else it asks is taken to be met. */
  schema(node: SchemaNode, value: Json, defs: readonly SchemaNode[]): Formula {
    if (typeof node === "boolean") return node;
    return all(node.map((test) => this.schemaTest(test, value, defs)));
  }

  private schemaTest(test: SchemaTest, value: Json, defs: readonly SchemaNode[]): Formula {
    const inside = (node: SchemaNode, child: Json) => this.schema(node, child, defs);
    switch (test.kind) {
      case "all_of":
        return all(test.nodes.map((node) => inside(node, value)));
      case "any_of":
        return any(test.nodes.map((node) => inside(node, value)));
      case "ref":
        return inside(defs[test.def] ?? true, value);
      case "properties":
        if (!isJsonObject(value)) return true;
        return all(
          test.entries.map(({ name, node }) => (Object.hasOwn(value, name) ? inside(node, value[name] ?? null) : true)),
        );
      case "items":
        return !isJsonList(value) || all(value.slice(test.from).map((item) => inside(test.node, item)));
      case "prefix_items":
        return (
          !isJsonList(value) || all(test.nodes.map((node, at) => at >= value.length || inside(node, value[at] ?? null)))
        );
      case "type":
        return typeof value === "number"
          ? isNumberOf(this.numbers.sumOf(value), test.types)
          : test.types.some((type) => isOfType(value, type));
      case "enum":
        return any(test.values.map((listed) => this.equal(value, listed)));
      case "const":
        return this.equal(value, test.value);
      default:
        return typeof value !== "number" || this.bound(test, this.numbers.sumOf(value));
    }
  }

  private bound(test: SchemaTest, sum: Linear): Formula {
    switch (test.kind) {
      case "minimum":
        return atMost(number(test.value), sum);
      case "maximum":
        return atMost(sum, number(test.value));
      case "exclusive_minimum":
        return below(number(test.value), sum);
      case "exclusive_maximum":
        return below(sum, number(test.value));
      case "multiple_of":
        return isMultiple(sum, test.value);
      default:
        return true;
    }
  }

  /** The sum of the numbers among some values; null if there are others. */
  total(values: readonly Json[]): Linear | null {
    let sum = number(0);
    for (const value of values) {
      if (typeof value !== "number") return null;
      sum = added(sum, this.numbers.sumOf(value));
    }
    return sum;
  }
}
