import { spend } from "../../../base/cost.js";
import { type Decimal, decimalOfText, times } from "../../../base/decimal.js";
import { add, compareNumbers, type ExactNumber, exactNumber, magnitudeOf, negate } from "../../../base/exact-number.js";
import { momentOf, utcOf, type Zone } from "./zone.js";

/** Why a text is no time. */
export type TimeFault = "no time" | "no zone" | "no such local time";

const TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?([Zz]|[-+][0-9]{2}:[0-9]{2})?)?$/;

/** Reading a time takes a few microseconds. */
const READ_COST = 800;

/** Longer texts are no times; digits beyond those of a number could not be held anyway. */
const LONGEST = 64;

/** The first and the last moment that RFC 3339 can spell, by UTC. */
const FIRST = utcOf([1, 1, 1], [0, 0, 0]);
const AFTER_LAST = utcOf([10_000, 1, 1], [0, 0, 0]);

/** Whether a moment is one that can be spelled. */
export function isSpeakable(ms: number): boolean {
  return ms >= FIRST && ms < AFTER_LAST;
}

/** As in CEL: the nanoseconds that 64 bits count, in milliseconds. */
const LONGEST_SPAN = exactNumber({ digits: 2n ** 63n - 1n, exponent: -6 }) ?? 0;

/** Whether a duration is one that there can be. */
export function isSpan(ms: ExactNumber): boolean {
  return compareNumbers(magnitudeOf(ms), LONGEST_SPAN) <= 0;
}

/** An offset such as `-05:30` in milliseconds; null if it is none. */
function offsetOf(text: string): number | null {
  if (text === "Z" || text === "z") return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4, 6))];
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function localTime(parts: readonly (string | undefined)[]): number | null {
  const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0));
  if (year === undefined || month === undefined || day === undefined) return null;
  if (hour === undefined || minute === undefined || second === undefined) return null;
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  const ms = utcOf([year, month, day], [hour, minute, second]);
  // The 31st of a shorter month would be a day of the next one.
  return new Date(ms).getUTCDate() === day ? ms : null;
}

/** Milliseconds since 1970 of a text in RFC 3339; without an offset it is local time of the zone. */
export function readTime(text: string, zone: Zone | null): ExactNumber | TimeFault {
  spend(READ_COST);
  const parts = text.length > LONGEST ? null : TIME.exec(text);
  if (parts === null) return "no time";
  const local = localTime(parts.slice(1, 7));
  if (local === null) return "no time";
  const [fraction, offset] = [parts[7], parts[8]];
  const moment = offset === undefined ? inZone(local, zone) : shifted(local, offset);
  if (typeof moment !== "number") return moment;
  if (!isSpeakable(moment)) return "no time";
  return fraction === undefined ? moment : withFraction(moment, fraction);
}

function inZone(local: number, zone: Zone | null): number | TimeFault {
  return zone === null ? "no zone" : (momentOf(zone, local) ?? "no such local time");
}

function shifted(local: number, offset: string): number | TimeFault {
  const ms = offsetOf(offset);
  return ms === null ? "no time" : local - ms;
}

function withFraction(ms: number, fraction: string): ExactNumber | TimeFault {
  const part = exactNumber({ digits: BigInt(fraction), exponent: 3 - fraction.length });
  return part === null ? "no time" : (add(ms, part) ?? "no time");
}

const UNITS: ReadonlyMap<string, Decimal> = new Map([
  ["h", { digits: 36n, exponent: 5 }],
  ["m", { digits: 6n, exponent: 4 }],
  ["s", { digits: 1n, exponent: 3 }],
  ["ms", { digits: 1n, exponent: 0 }],
]);

/** Milliseconds of a text such as `1h30m` or `-1.5s`; null if it is none. */
export function readDuration(text: string): ExactNumber | null {
  spend(READ_COST);
  if (text.length > LONGEST || !/^[-+]?(?:[0-9]+(?:\.[0-9]+)?(?:ms|h|m|s))+$/.test(text)) return null;
  let sum: ExactNumber | null = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(/([0-9.]+)(ms|h|m|s)/g)) {
    const decimal = decimalOfText(amount.replace(/^0+(?=[0-9])/, ""));
    const factor = UNITS.get(unit);
    const ms: ExactNumber | null =
      decimal === null || factor === undefined ? null : exactNumber(times(decimal, factor));
    sum = sum === null || ms === null ? null : add(sum, ms);
  }
  return sum !== null && text.startsWith("-") ? negate(sum) : sum;
}
