import { isJsonList, isJsonObject, type Json, type TypeName } from "../base/json.js";
import { ALL_TYPES, type ValueType } from "../operators/value-set.js";
import {
  ALL_COMPOUNDS,
  type Compounds,
  compoundsListed,
  holdsCompound,
  type Items,
  intersectCompounds,
  NO_COMPOUNDS,
  otherCompounds,
  uniteCompounds,
} from "./compounds.js";
import { stepOf } from "./multiples.js";
import { holdsNumber } from "./number-members.js";
import {
  ALL_NUMBERS,
  intersectNumbers,
  NO_NUMBERS,
  type Numbers,
  numbersIn,
  numbersListed,
  otherNumbers,
  uniteNumbers,
} from "./numbers.js";
import {
  ALL_TEXTS,
  holdsText,
  intersectTexts,
  NO_TEXTS,
  otherTexts,
  type Texts,
  textsListed,
  uniteTexts,
} from "./texts.js";

/** What a place may find of which there are only a few. */
export const FEW = ["absent", "null", "true", "false"] as const;
export type Few = (typeof FEW)[number];

/** What one place of a JSON value may find. Each part says whether it is exact; if not, it may hold more than meant, never less. */
export interface Domain {
  /** No value, null and the truth values, as far as they are possible. */
  readonly few: ReadonlySet<Few>;
  readonly numbers: Numbers;
  readonly texts: Texts;
  readonly lists: Compounds<Domain>;
  readonly objects: Compounds<Domain>;
}

/** A value, or undefined where there is none. */
export type Content = Json | undefined;

const NONE_OF_THEM: ReadonlySet<Few> = new Set();

export const NOTHING: Domain = {
  few: NONE_OF_THEM,
  numbers: NO_NUMBERS,
  texts: NO_TEXTS,
  lists: NO_COMPOUNDS,
  objects: NO_COMPOUNDS,
};
export const ANYTHING: Domain = {
  few: new Set(FEW),
  numbers: ALL_NUMBERS,
  texts: ALL_TEXTS,
  lists: ALL_COMPOUNDS,
  objects: ALL_COMPOUNDS,
};
export const ABSENT: Domain = { ...NOTHING, few: new Set(["absent"]) };

function few(...those: readonly Few[]): Domain {
  return { ...NOTHING, few: new Set(those) };
}

const OF_TYPE: Readonly<Record<ValueType, Domain>> = {
  null: few("null"),
  boolean: few("true", "false"),
  number: { ...NOTHING, numbers: ALL_NUMBERS },
  string: { ...NOTHING, texts: ALL_TEXTS },
  array: { ...NOTHING, lists: ALL_COMPOUNDS },
  object: { ...NOTHING, objects: ALL_COMPOUNDS },
};

const WHOLE: Domain = { ...NOTHING, numbers: intersectNumbers(ALL_NUMBERS, wholeNumbers()) };

function wholeNumbers(): Numbers {
  const [piece] = ALL_NUMBERS.pieces;
  return piece === undefined ? NO_NUMBERS : numbersIn(piece, stepOf(1));
}

const known = new Map<string, Domain>();

/** All values of some types. */
export function ofTypes(types: readonly TypeName[]): Domain {
  const key = types.join();
  const domain =
    known.get(key) ?? types.map((type) => (type === "integer" ? WHOLE : OF_TYPE[type])).reduce(unite, NOTHING);
  known.set(key, domain);
  return domain;
}

/** Every value that is present. */
export const PRESENT: Domain = ofTypes(ALL_TYPES);

/** These values and no other. */
export function ofValues(values: readonly Json[]): Domain {
  const those = (name: Few, value: Json): readonly Few[] => (values.includes(value) ? [name] : []);
  return {
    few: new Set([...those("null", null), ...those("true", true), ...those("false", false)]),
    numbers: numbersListed(values.filter((value) => typeof value === "number")),
    texts: textsListed(values.filter((value) => typeof value === "string")),
    lists: compoundsListed(values.filter(isJsonList)),
    objects: compoundsListed(values.filter(isJsonObject)),
  };
}

const ITEMS: Items<Domain> = { intersect, holds, isExact };

export function intersect(a: Domain, b: Domain): Domain {
  if (a === ANYTHING) return b;
  if (b === ANYTHING) return a;
  return {
    few: new Set([...a.few].filter((each) => b.few.has(each))),
    numbers: intersectNumbers(a.numbers, b.numbers),
    texts: intersectTexts(a.texts, b.texts),
    lists: intersectCompounds(a.lists, b.lists, ITEMS),
    objects: intersectCompounds(a.objects, b.objects, ITEMS),
  };
}

export function unite(a: Domain, b: Domain): Domain {
  return {
    few: new Set([...a.few, ...b.few]),
    numbers: uniteNumbers(a.numbers, b.numbers),
    texts: uniteTexts(a.texts, b.texts),
    lists: uniteCompounds(a.lists, b.lists),
    objects: uniteCompounds(a.objects, b.objects),
  };
}

/** Everything else, the absence of a value included; where a part is not known exactly, all of it may be something else. */
export function complement(domain: Domain): Domain {
  return {
    few: new Set(FEW.filter((each) => !domain.few.has(each))),
    numbers: otherNumbers(domain.numbers),
    texts: otherTexts(domain.texts),
    lists: otherCompounds(domain.lists),
    objects: otherCompounds(domain.objects),
  };
}

/** Whether a place with such a domain may find this, as far as its parts are exact; null where that is not known. */
export function holds(domain: Domain, content: Content): boolean | null {
  if (content === undefined) return domain.few.has("absent");
  if (content === null) return domain.few.has("null");
  if (typeof content === "boolean") return domain.few.has(content ? "true" : "false");
  if (typeof content === "number") return holdsNumber(domain.numbers, content);
  if (typeof content === "string") return holdsText(domain.texts, content);
  return holdsCompound(isJsonList(content) ? domain.lists : domain.objects, content, holds);
}

/** Whether every part holds exactly what is meant. */
export function isExact({ numbers, texts, lists, objects }: Domain): boolean {
  return numbers.isExact && texts.isExact && lists.isExact && objects.isExact;
}
