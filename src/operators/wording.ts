import { cut, joined } from "../base/wording.js";
import { type CompiledOperator, partsOf } from "./index.js";

/** What an operator asks for, in words. */
export function wanted(operator: CompiledOperator): string {
  return partsOf(operator).words.required(operator);
}

/** What an entry asks for, in words. */
export function wantedOf(path: string, operators: readonly CompiledOperator[]): string {
  return cut(`${path} ${joined(operators, wanted, " and ")}`);
}
