import { isJsonList } from "../base/json.js";
import { compareLength } from "../base/length.js";
import { NO_SAMPLES, type OperatorParts } from "./operator.js";
import { ofLengths, type Range } from "./value-set.js";

interface Bound {
  readonly value: number;
}

/** What operators that ask for a length in a range have in common. */
export function lengthBound({
  holds,
  accepted,
}: {
  /** A test of the difference between a length and the bound. */
  readonly holds: (difference: number) => boolean;
  readonly accepted: (bound: number) => Partial<Range>;
}): Omit<OperatorParts<Bound>, "words" | "weaker" | "narrower"> {
  return {
    judge:
      ({ value: bound }) =>
      (value) => {
        if (typeof value === "string") return holds(compareLength(value, bound));
        return isJsonList(value) ? holds(value.length - bound) : null;
      },
    absent: () => null,
    quick: () => null,
    operand: ({ value }) => value,
    variable: () => null,
    shows: "length",
    domain: ({ value }) => ({
      accepts: ofLengths(accepted(value)),
      judges: ["string", "array"],
    }),
    // A value that is no text and no list has no length.
    opposite: () => null,
    named: () => null,
    samples: ({ value }) => ({ ...NO_SAMPLES, lengths: [value] }),
  };
}
