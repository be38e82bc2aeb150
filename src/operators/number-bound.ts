import type { Json } from "../base/json.js";
import type { OperatorParts } from "./operator.js";
import { ofNumbers, type Range } from "./value-set.js";

interface Bound {
  readonly value: number;
}

type Common = "absent" | "operand" | "variable" | "shows" | "named" | "domain";

/** What operators that ask for a number in a range have in common: all of them can be compared with each other. */
export function numberBound(accepted: (bound: number) => Partial<Range>): Pick<OperatorParts<Bound>, Common> {
  return {
    absent: () => null,
    operand: ({ value }): Json => value,
    variable: () => null,
    shows: "value",
    named: ({ value }) => [value],
    domain: ({ value }) => ({
      accepts: ofNumbers(accepted(value)),
      judges: ["number"],
    }),
  };
}
