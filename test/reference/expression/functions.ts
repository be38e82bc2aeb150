import { numeric, timed } from "./operators.js";
import { parsePattern } from "./patterns.js";
import {
  absolute,
  add,
  compare,
  decimalText,
  fromInteger,
  type Rational,
  readDecimal,
  round,
  toInteger,
  ZERO,
} from "./rational.js";
import { MOST_STEPS, TooManySteps } from "./steps.js";
import { durationText, GETTER_NAMES, readDuration, readGetter, readTimestamp, timestampText } from "./time.js";
import { boolean, equals, type Found, found, list, string, unjudgeable, type Value, WRONG_KIND } from "./value.js";

/** What functions need to know beside their operands. */
export interface Setting {
  readonly timezone: string | null;
}

type Apply = (operands: readonly Value[], setting: Setting) => Found;

/** A function of texts alone. */
function ofTexts(apply: (...texts: readonly string[]) => Found): Apply {
  return (operands) => {
    const texts = operands.flatMap((operand) => (operand.kind === "string" ? [operand.value] : []));
    return texts.length === operands.length ? apply(...texts) : WRONG_KIND;
  };
}

function claim(holds: boolean): Found {
  return found(boolean(holds));
}

function size([of]: readonly Value[]): Found {
  if (of?.kind === "string") return numeric(fromInteger([...of.value].length));
  if (of?.kind === "list") return numeric(fromInteger(of.items.length));
  return of?.kind === "map" ? numeric(fromInteger(of.entries.length)) : WRONG_KIND;
}

function asText([of]: readonly Value[]): Found {
  switch (of?.kind) {
    case "string":
      return found(of);
    case "boolean":
      return found(string(String(of.value)));
    case "number":
      return found(string(decimalText(of.value)));
    case "timestamp":
      return found(string(timestampText(of.seconds)));
    case "duration":
      return found(string(durationText(of.seconds)));
    default:
      return WRONG_KIND;
  }
}

/** The grammar of JSON: no sign but a minus, no leading zeros. */
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function asNumber([of]: readonly Value[]): Found {
  if (of?.kind === "number") return found(of);
  if (of?.kind !== "string") return WRONG_KIND;
  return JSON_NUMBER.test(of.value) ? numeric(readDecimal(of.value)) : unjudgeable("not the text of a number");
}

function asTime(kind: "timestamp" | "duration", read: (text: string, setting: Setting) => Rational | null): Apply {
  return ([of], setting) => {
    if (of?.kind === kind) return found(of);
    if (of?.kind !== "string") return WRONG_KIND;
    const seconds = read(of.value, setting);
    return seconds === null ? unjudgeable(`not the text of a ${kind}`) : timed(kind, seconds);
  };
}

/** A zone as an operand comes before that of the session, and without both it is UTC. */
function getter(name: string): Apply {
  return ([of, zone], { timezone }) => {
    if (of?.kind !== "timestamp" || (zone !== undefined && zone.kind !== "string")) return WRONG_KIND;
    const part = readGetter(name, of.seconds, zone?.value ?? timezone ?? "UTC");
    return part === null ? unjudgeable("not the name of a zone") : numeric(part);
  };
}

/** White space as Unicode has it: the platform's own `trim` takes other characters. */
const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const SPACES = new RegExp(`^${SPACE}|${SPACE}$`, "gu");

function split(text: string, separator: string): readonly string[] {
  return separator === "" ? [...text] : text.split(separator);
}

function numbersOf(values: readonly Value[]): readonly Rational[] | null {
  const numbers = values.flatMap((value) => (value.kind === "number" ? [value.value] : []));
  return numbers.length === values.length ? numbers : null;
}

/** Added one after the other; each sum has to be a number of the language. */
function sum([of]: readonly Value[]): Found {
  const numbers = of?.kind === "list" ? numbersOf(of.items) : null;
  if (numbers === null) return WRONG_KIND;
  let total = ZERO;
  for (const value of numbers) {
    const next = numeric(add(total, value));
    if (next.kind !== "value" || next.value.kind !== "number") return next;
    total = next.value.value;
  }
  return numeric(total);
}

function distinct([of]: readonly Value[]): Found {
  if (of?.kind !== "list") return WRONG_KIND;
  const { items } = of;
  return found(list(items.filter((item, at) => items.findIndex((other) => equals(other, item)) === at)));
}

/** The extreme of the operands, or of one list of them. */
function extreme(isBetter: (sign: number) => boolean): Apply {
  return (operands) => {
    const [first] = operands;
    const numbers = numbersOf(operands.length === 1 && first?.kind === "list" ? first.items : operands);
    if (numbers === null || numbers.length === 0) return WRONG_KIND;
    return numeric(numbers.reduce((best, value) => (isBetter(compare(value, best)) ? value : best)));
  };
}

function wholeNumber(of: Value | undefined): bigint | null {
  return of?.kind === "number" ? toInteger(of.value) : null;
}

function range([of]: readonly Value[]): Found {
  const length = wholeNumber(of);
  if (length === null || length < 0n) return WRONG_KIND;
  if (length > BigInt(MOST_STEPS)) throw new TooManySteps("the list is longer than a judgement may take steps");
  const items = Array.from({ length: Number(length) }, (_, at): Value => ({ kind: "number", value: fromInteger(at) }));
  return found(list(items));
}

/** Beyond them no number of a case has a digit that rounding could change, or one that it could leave. */
const MOST_PLACES = 5000;

function rounded([of, places]: readonly Value[]): Found {
  const digits = places === undefined ? 0n : wholeNumber(places);
  if (of?.kind !== "number" || digits === null) return WRONG_KIND;
  return numeric(round(of.value, Math.max(-MOST_PLACES, Math.min(MOST_PLACES, Number(digits)))));
}

/** Functions and methods by their names; the receiver of a method is its first operand. */
export const FUNCTIONS: ReadonlyMap<string, Apply> = new Map<string, Apply>([
  ["size", size],
  ["startsWith", ofTexts((text = "", start = "") => claim(text.startsWith(start)))],
  ["endsWith", ofTexts((text = "", end = "") => claim(text.endsWith(end)))],
  ["contains", ofTexts((text = "", part = "") => claim(text.includes(part)))],
  ["matches", ofTexts((text = "", pattern = "") => claim(parsePattern(pattern)?.test(text) === true))],
  ["lowerAscii", ofTexts((text = "") => found(string(text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))))],
  ["trim", ofTexts((text = "") => found(string(text.replace(SPACES, ""))))],
  ["split", ofTexts((text = "", separator = "") => found(list(split(text, separator).map(string))))],
  ["string", asText],
  ["double", asNumber],
  ["timestamp", asTime("timestamp", (text, { timezone }) => readTimestamp(text, timezone))],
  ["duration", asTime("duration", readDuration)],
  ["lists.range", range],
  ["distinct", distinct],
  ["sum", sum],
  ["math.least", extreme((sign) => sign < 0)],
  ["math.greatest", extreme((sign) => sign > 0)],
  ["math.abs", ([of]) => (of?.kind === "number" ? numeric(absolute(of.value)) : WRONG_KIND)],
  ["math.round", rounded],
  ...GETTER_NAMES.map((name): [string, Apply] => [name, getter(name)]),
]);
