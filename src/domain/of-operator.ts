import type { CompiledOperator } from "../artifact/compiled-value.js";
import type { TypeName } from "../base/json.js";
import { acceptsAbsence, domainOf, partsOf } from "../operators/index.js";
import type { Range, ValueSet } from "../operators/value-set.js";
import { ALL_COMPOUNDS, NO_COMPOUNDS } from "./compounds.js";
import { ABSENT, ANYTHING, complement, type Domain, intersect, NOTHING, ofTypes, ofValues, unite } from "./domain.js";
import { stepOf } from "./multiples.js";
import { NO_NUMBERS, numbersIn } from "./numbers.js";
import { intersectTexts, type Texts, textsMatching, textsOfLength, textsWithPart } from "./texts.js";

/** The whole numbers of a range of lengths. */
function wholeEnds({ low, high, isLowOpen, isHighOpen }: Range): { readonly low: number; readonly high: number } {
  return {
    low: Math.max(0, isLowOpen ? Math.floor(low) + 1 : Math.ceil(low)),
    high: isHighOpen ? Math.ceil(high) - 1 : Math.floor(high),
  };
}

function textsOf({ lengths, patterns, parts }: ValueSet): Texts {
  const { low, high } = wholeEnds(lengths.string);
  const conditions = [
    ...patterns.map(textsMatching),
    ...parts.flatMap((part) => (typeof part === "string" ? [textsWithPart(part)] : [])),
  ];
  return conditions.reduce(intersectTexts, textsOfLength(low, high));
}

/** The domain that a record describes. */
export function domainOfSet(set: ValueSet): Domain {
  const { values, types, step, except, parts } = set;
  const isExact = (of: "string" | "number" | "array" | "object") => set.isExact || !types.includes(of);
  if (values !== null) return ofValues(values);
  const all = ofTypes(types);
  const multiple = step === null ? null : stepOf(step);
  const described: Domain = {
    few: all.few,
    numbers:
      types.includes("number") && (step === null || multiple !== null) ? numbersIn(set.numbers, multiple) : NO_NUMBERS,
    texts: types.includes("string") ? textsOf(set) : NOTHING.texts,
    lists: types.includes("array") ? { ...ALL_COMPOUNDS, ...wholeEnds(set.lengths.array), parts } : NO_COMPOUNDS,
    objects: all.objects,
  };
  const rest = except.length === 0 ? described : intersect(described, complement(ofValues(except)));
  return {
    few: rest.few,
    numbers: { ...rest.numbers, isExact: rest.numbers.isExact && isExact("number") },
    texts: { ...rest.texts, isExact: rest.texts.isExact && isExact("string") },
    lists: { ...rest.lists, isExact: rest.lists.isExact && isExact("array") },
    objects: { ...rest.objects, isExact: rest.objects.isExact && isExact("object") },
  };
}

const accepted = new WeakMap<CompiledOperator, Domain>();

/** What satisfies an operator. */
export function acceptedBy(operator: CompiledOperator): Domain {
  const known = accepted.get(operator);
  if (known !== undefined) return known;
  const present = domainOfSet(domainOf(operator).accepts);
  const domain = acceptsAbsence(operator) ? unite(present, ABSENT) : present;
  accepted.set(operator, domain);
  return domain;
}

/** What surely fails an operator: it is judged, and does not satisfy it. */
export function refusedBy(operator: CompiledOperator): Domain {
  const { accepts, judges } = domainOf(operator);
  // What is not known of an operator may fail it, whatever types it can judge.
  const judged = ofTypes(accepts.isExact ? judges : accepts.types);
  const isAbsenceRefused = partsOf(operator).absent(operator) === false;
  const present = intersect(judged, complement(acceptedBy(operator)));
  return isAbsenceRefused ? unite(present, ABSENT) : present;
}

/** A test of the value at a place, with what passes it whatever the operator is. */
export interface Tested {
  readonly operator: CompiledOperator;
  readonly passes: readonly TypeName[];
  /** Whether the absence of a value passes. */
  readonly optional: boolean;
}

/** What passes a test. */
export function passing({ operator, passes, optional }: Tested): Domain {
  const own = acceptedBy(operator);
  const further = passes.length === 0 ? own : unite(own, ofTypes(passes));
  return optional ? unite(further, ABSENT) : further;
}

/** What passes all tests. */
export function passingAll(tests: readonly Tested[]): Domain {
  return tests.map(passing).reduce(intersect, ANYTHING);
}

/** What satisfies all operators. */
export function acceptedByAll(operators: readonly CompiledOperator[]): Domain {
  return operators.map(acceptedBy).reduce(intersect, ANYTHING);
}
