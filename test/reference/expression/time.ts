import {
  add,
  compare,
  decimalText,
  fromInteger,
  held,
  multiply,
  negate,
  type Rational,
  rational,
  readDecimal,
  ZERO,
} from "./rational.js";
import { instantOf, wallClock } from "./zones.js";

const THOUSAND = fromInteger(1000);
/** Times are those of CEL: from the year 1 to the year 9999, lengths of as many nanoseconds as 64 bits count. */
const FIRST = rational(-62_135_596_800n);
const AFTER_LAST = rational(253_402_300_800n);
const NANOSECONDS = 1_000_000_000n;
const LONGEST = rational(2n ** 63n - 1n, NANOSECONDS);

export function isTimestamp(seconds: Rational): boolean {
  return compare(seconds, FIRST) >= 0 && compare(seconds, AFTER_LAST) < 0;
}

export function isDuration(seconds: Rational): boolean {
  return compare(seconds, LONGEST) <= 0 && compare(negate(seconds), LONGEST) <= 0;
}

/** The seconds of a clock that counts milliseconds. */
export function fromMilliseconds(milliseconds: number): Rational {
  return rational(BigInt(milliseconds), 1000n);
}

const TEXT =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2})?)?$/;

/** The milliseconds of a date and a time of UTC; null for a day or a time that does not exist. */
function milliseconds(parts: readonly number[]): number | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const read = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  read.push(date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds());
  return read.every((part, at) => part === (parts[at] ?? 0)) ? date.getTime() : null;
}

/** Texts that are longer are no times and no durations. */
const MOST_CHARACTERS = 64;

/** RFC 3339; without an offset the time is one of the session's zone. Null for what cannot be judged. */
export function readTimestamp(text: string, timezone: string | null): Rational | null {
  const match = text.length > MOST_CHARACTERS ? null : TEXT.exec(text);
  if (match === null) return null;
  const [, ...parts] = match;
  const shown = milliseconds(parts.slice(0, 6).map((part) => Number(part ?? 0)));
  if (shown === null) return null;
  const zone = parts[7]?.toUpperCase() === "Z" ? "+00:00" : (parts[7] ?? timezone);
  if (zone === null) return null;
  const instant = instantOf(zone, shown);
  if (instant === null) return null;
  const seconds = add(fromMilliseconds(instant), readDecimal(`0.${parts[6] ?? "0"}`) ?? ZERO);
  return isTimestamp(seconds) ? held(seconds) : null;
}

const UNITS: ReadonlyMap<string, Rational> = new Map([
  ["h", fromInteger(3600)],
  ["m", fromInteger(60)],
  ["s", fromInteger(1)],
  ["ms", rational(1n, 1000n)],
]);

/** Numbers with the units h, m, s and ms, one after the other, with one sign for all. */
export function readDuration(text: string): Rational | null {
  const match = text.length > MOST_CHARACTERS ? null : /^([+-]?)((?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s))+)$/.exec(text);
  if (match === null) return null;
  const [, sign, parts = ""] = match;
  const lengths = [...parts.matchAll(/([0-9.]+)(h|ms|m|s)/g)].map(([, count = "", unit = ""]) =>
    multiply(readDecimal(count) ?? ZERO, UNITS.get(unit) ?? ZERO),
  );
  const length = lengths.reduce(add, ZERO);
  const seconds = sign === "-" ? negate(length) : length;
  return isDuration(seconds) ? held(seconds) : null;
}

/** The largest whole number that is not above the value. */
function floor({ numerator, denominator }: Rational): bigint {
  const cut = numerator / denominator;
  return numerator < 0n && cut * denominator !== numerator ? cut - 1n : cut;
}

export function timestampText(seconds: Rational): string {
  const whole = floor(seconds);
  const fraction = add(seconds, rational(-whole));
  const digits = compare(fraction, ZERO) === 0 ? "" : decimalText(fraction).slice(1);
  return `${new Date(Number(whole) * 1000).toISOString().slice(0, 19)}${digits}Z`;
}

export function durationText(seconds: Rational): string {
  return `${decimalText(seconds)}s`;
}

const DAY = 86_400_000;

/** The parts of what a clock shows; months and days count from zero but for `getDate`, the week starts on Sunday. */
const GETTERS: ReadonlyMap<string, (shown: Date) => number> = new Map([
  ["getFullYear", (shown: Date) => shown.getUTCFullYear()],
  ["getMonth", (shown: Date) => shown.getUTCMonth()],
  ["getDate", (shown: Date) => shown.getUTCDate()],
  ["getDayOfMonth", (shown: Date) => shown.getUTCDate() - 1],
  ["getDayOfYear", (shown: Date) => Math.floor((shown.getTime() - startOfYear(shown)) / DAY)],
  ["getDayOfWeek", (shown: Date) => shown.getUTCDay()],
  ["getHours", (shown: Date) => shown.getUTCHours()],
  ["getMinutes", (shown: Date) => shown.getUTCMinutes()],
  ["getSeconds", (shown: Date) => shown.getUTCSeconds()],
  ["getMilliseconds", (shown: Date) => shown.getUTCMilliseconds()],
]);

function startOfYear(shown: Date): number {
  return new Date(0).setUTCFullYear(shown.getUTCFullYear(), 0, 1);
}

export const GETTER_NAMES: readonly string[] = [...GETTERS.keys()];

/** A part of a timestamp as a clock of the zone shows it; null for an unknown zone. */
export function readGetter(name: string, seconds: Rational, zone: string): Rational | null {
  const getter = GETTERS.get(name);
  const shown = wallClock(zone, Number(floor(multiply(seconds, THOUSAND))));
  return getter === undefined || shown === null ? null : fromInteger(getter(new Date(shown)));
}
