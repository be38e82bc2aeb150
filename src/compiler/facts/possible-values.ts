import type { Json } from "../../base/json.js";
import { NOTHING, unite } from "../../domain/domain.js";
import { endsOfNumbers, type Interval, valuesOf } from "../../domain/every-member.js";
import { passingAll, refusedBy, type Tested } from "../../domain/of-operator.js";
import { isEmpty, isWithin } from "../../domain/questions.js";

/** Whether any value, or a missing one, may satisfy all demands; false is certain. */
export function isPossible(demands: readonly Tested[]): boolean {
  return isEmpty(passingAll(demands)) !== "yes";
}

/** Whether everything that satisfies the demands surely fails one of the conditions; false where that is not known. */
export function failsAlways(conditions: readonly Tested[], demands: readonly Tested[]): boolean {
  const failing = conditions.map(({ operator }) => refusedBy(operator)).reduce(unite, NOTHING);
  return isWithin(passingAll(demands), failing) === "yes";
}

/** An interval that contains every number that satisfies the demands; null where none does. */
export function numbersIn(demands: readonly Tested[]): Interval | null {
  return endsOfNumbers(passingAll(demands).numbers);
}

/** Every value that satisfies the demands, and perhaps some more; null where they cannot be listed. */
export function valuesIn(demands: readonly Tested[]): readonly Json[] | null {
  return valuesOf(passingAll(demands));
}
