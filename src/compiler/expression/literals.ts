import { trimmed } from "../../base/decimal.js";

/** The most significant digits of a number. */
const MOST_DIGITS = 34;

/** The most zeros that are written out; beyond them a number gets an exponent. */
const MOST_ZEROS = 40;

/** The shortest spelling of digits and a power of ten. */
function spelled(digits: bigint, exponent: number): string {
  const text = digits.toString();
  if (exponent >= 0 && exponent <= MOST_ZEROS) return text + "0".repeat(exponent);
  if (exponent < 0 && -exponent <= MOST_ZEROS) {
    const padded = text.padStart(1 - exponent, "0");
    return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
  return `${text}e${exponent}`;
}

/** The exact decimal that a literal of CEL spells, in its shortest form; null where it has more digits than numbers may have. */
export function numberText(literal: string): string | null {
  const digits = /^0[xX]([0-9a-fA-F]+)[uU]?$/.exec(literal)?.[1];
  if (digits !== undefined) return withinDigits(BigInt(`0x${digits}`), 0);
  const [, whole = "0", fraction = "", exponent = "0"] =
    /^([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?[uU]?$/.exec(literal) ?? [];
  return withinDigits(BigInt(whole + fraction), Number(exponent) - fraction.length);
}

function withinDigits(digits: bigint, exponent: number): string | null {
  const decimal = trimmed({ digits, exponent });
  return decimal.digits.toString().length > MOST_DIGITS ? null : spelled(decimal.digits, decimal.exponent);
}

/** Longer texts are no times and no durations for the guard. */
const LONGEST = 64;

const DURATION = /^[-+]?(?:[0-9]+(?:\.[0-9]+)?(?:ms|h|m|s))+$/;
const UNITS: ReadonlySet<string> = new Set(["h", "m", "s", "ms"]);

/** What is wrong with the text of a duration, with what to write instead; null where nothing is. */
export function durationProblem(text: string): { readonly message: string; readonly help: string } | null {
  if (text.length <= LONGEST && DURATION.test(text)) return null;
  const [, count, unit] = /^([0-9]{1,6})([dw])$/.exec(text) ?? [];
  if (unit !== undefined) {
    const hours = Number(count) * (unit === "w" ? 7 * 24 : 24);
    return { message: `a duration has no unit \`${unit}\``, help: `write \`duration("${hours}h")\`` };
  }
  const other = [...text.matchAll(/[0-9]([A-Za-zµ]{1,8})/gu)].find(([, each = ""]) => !UNITS.has(each));
  if (other !== undefined) {
    const help = "write hours, minutes, seconds or milliseconds: `24h`, `30m`, `10s`, `500ms`";
    return { message: `a duration has no unit \`${other[1]}\``, help };
  }
  return { message: "this is no duration", help: 'write `duration("24h")`; the units are h, m, s and ms' };
}

/** RFC 3339, and the same without an offset or with a date alone. */
const TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?([Zz]|[-+][0-9]{2}:[0-9]{2})?)?$/;

/** An offset that a place on earth may have, or could have had. */
const OFFSET = /^(?:[Zz]|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])$/;

function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** What a literal text says about a time. */
export function timeOf(text: string): "no time" | "with offset" | "without offset" {
  const match = text.length > LONGEST ? null : TIME.exec(text);
  if (match === null) return "no time";
  const numbers = match.slice(1, 7).map((part) => Number(part ?? 0));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 59) return "no time";
  const offset = match[7];
  if (offset === undefined) return "without offset";
  return OFFSET.test(offset) ? "with offset" : "no time";
}

/** Whether a text names a time zone: an IANA name, or an offset. */
export function isZone(text: string): boolean {
  if (/^[-+]?(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)) return true;
  // Engines take offsets in more spellings than the guard.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch (cause) {
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}
