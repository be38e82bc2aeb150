import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { partsOf } from "../../operators/index.js";
import { passesQuickly, type QuickTest } from "../../operators/quick-test.js";
import { ENGINE } from "../values/judge-value.js";
import type { FieldValues } from "./argument-fields.js";

/**
 * A test for the most common checks: one operator on one named argument. It is several times faster than the check, and most
 * calls pass most checks.
 */
export interface FieldTest extends QuickTest {
  readonly slot: number;
}

/** The test for an operator on the argument in a slot; null if only the check itself can decide. */
export function fieldTestOf(operator: CompiledOperator, slot: number): FieldTest | null {
  const test = partsOf(operator).quick(operator, ENGINE);
  return test === null ? null : { ...test, slot };
}

/** Whether the check surely passes the call; if not, the check itself decides. */
export function surelyPasses(test: FieldTest, values: FieldValues): boolean {
  return passesQuickly(test, values[test.slot]);
}
