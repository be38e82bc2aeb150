import type { SchemaTest } from "../artifact/compiled-schema.js";
import type { CompiledOperator } from "../artifact/compiled-value.js";
import { ALL_TYPES, type ValueType } from "../operators/value-set.js";
import { type Domain, ofTypes, ofValues } from "./domain.js";
import { passing } from "./of-operator.js";

/** A keyword that tests values of one type as an operator does; others pass. */
function asOperator(type: ValueType, operator: CompiledOperator): Domain {
  return passing({ operator, passes: ALL_TYPES.filter((other) => other !== type), optional: false });
}

const known = new WeakMap<SchemaTest, Domain | null>();

/** What passes a keyword of a JSON Schema that tests the value alone; null for those that test what is in it, or combine others. */
export function passingKeyword(test: SchemaTest): Domain | null {
  const domain = known.get(test);
  if (domain !== undefined) return domain;
  const made = makeDomain(test);
  known.set(test, made);
  return made;
}

function makeDomain(test: SchemaTest): Domain | null {
  switch (test.kind) {
    case "type":
      return ofTypes(test.types);
    case "enum":
      return ofValues(test.values);
    case "const":
      return ofValues([test.value]);
    case "minimum":
      return asOperator("number", { op: "gte", value: test.value });
    case "maximum":
      return asOperator("number", { op: "lte", value: test.value });
    case "exclusive_minimum":
      return asOperator("number", { op: "gt", value: test.value });
    case "exclusive_maximum":
      return asOperator("number", { op: "lt", value: test.value });
    case "multiple_of":
      return asOperator("number", { op: "multiple_of", value: test.value });
    case "pattern":
      return asOperator("string", { op: "regex", pattern: test.pattern });
    case "min_length":
      return asOperator("string", { op: "length_gte", value: test.count });
    case "max_length":
      return asOperator("string", { op: "length_lte", value: test.count });
    case "min_items":
      return asOperator("array", { op: "length_gte", value: test.count });
    case "max_items":
      return asOperator("array", { op: "length_lte", value: test.count });
    default:
      return null;
  }
}
