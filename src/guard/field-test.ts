import type { CompiledOperator } from "../artifact/compiled-value.js";
import { partsOf } from "../operators/index.js";
import { passesQuickly, type QuickTest } from "../operators/quick-test.js";
import type { FieldValues } from "./argument-fields.js";
import { ENGINE } from "./judge-value.js";

/**
 * The commonest checks, one operator on one named argument. Running its quick test is several times faster than running the
 * check, and most calls pass most checks.
 */
export interface FieldTest extends QuickTest {
  readonly slot: number;
}

/** The test for an operator on the argument in a slot; null where only the check itself can tell. */
export function fieldTestOf(operator: CompiledOperator, slot: number): FieldTest | null {
  const test = partsOf(operator).quick(operator, ENGINE);
  return test === null ? null : { ...test, slot };
}

/** Whether the check behind the test surely lets the call pass; where this says no, the check itself decides. */
export function surelyPasses(test: FieldTest, values: FieldValues): boolean {
  return passesQuickly(test, values[test.slot]);
}
