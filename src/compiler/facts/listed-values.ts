import { type Json, typeOf } from "../../base/json.js";
import { domainOf } from "../../operators/index.js";
import { areWhole, type Demand, KINDS, type Kind, mayBe, numbersIn, weightOf } from "./possible-values.js";

/** At most this many whole numbers are listed one by one. */
const MOST_WHOLE = 100;

/** Above this many comparisons a value counts as possible. */
const MOST_COMPARISONS = 100_000;

/** Whether values of the kind are judged by the demand at all. */
function judges({ passes }: Demand, kind: Kind): boolean {
  return !passes.some((type) => (type === "integer" ? "number" : type) === kind);
}

/** The values of the kind that one of the demands lists; null where none does. */
function listedBy(demands: readonly Demand[], kind: Kind): readonly Json[] | null {
  for (const { operator } of demands) {
    const { values } = domainOf(operator).accepts;
    if (values !== null) return values.filter((value) => typeOf(value) === kind);
  }
  return null;
}

/** The whole numbers between the bounds; null where fractions are possible too, or there are too many. */
function wholeIn(demands: readonly Demand[]): readonly Json[] | null {
  const interval = numbersIn(demands);
  if (interval === null) return [];
  const { low, high } = interval;
  if (low === high) return [low];
  const isWhole = areWhole(demands.filter((demand) => judges(demand, "number")));
  if (!isWhole || !(high - low < MOST_WHOLE) || !Number.isSafeInteger(low) || !Number.isSafeInteger(high)) return null;
  return Array.from({ length: high - low + 1 }, (_, index) => low + index);
}

function candidatesOf(kind: Kind, demands: readonly Demand[]): readonly Json[] | null {
  if (kind === "null") return [null];
  if (kind === "boolean") return [true, false];
  const listed = listedBy(
    demands.filter((demand) => judges(demand, kind)),
    kind,
  );
  return listed ?? (kind === "number" ? wholeIn(demands) : null);
}

/** Every value that satisfies the demands, and perhaps some more; null where they cannot be listed. */
export function valuesIn(demands: readonly Demand[]): readonly Json[] | null {
  const found: Json[] = [];
  for (const kind of KINDS) {
    if (kind === "absent" || !mayBe(kind, demands)) continue;
    const candidates = candidatesOf(kind, demands);
    if (candidates === null) return null;
    const isTooMuch = candidates.length * weightOf(demands) > MOST_COMPARISONS;
    for (const value of candidates) {
      const own: Demand = { operator: { op: "equals", value }, passes: [], optional: false };
      if (isTooMuch || mayBe(kind, [own, ...demands])) found.push(value);
    }
  }
  return found;
}
