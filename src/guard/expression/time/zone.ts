import { spend } from "../../../base/cost.js";

/** The offset from UTC at a moment: what has to be added to get the local time, in milliseconds. */
type OffsetAt = (ms: number) => number;

/** A time zone. */
export interface Zone {
  readonly offsetAt: OffsetAt;
}

export const UTC: Zone = { offsetAt: () => 0 };

/** Names come from arguments too, so that not all of them are kept. */
const MOST_KEPT = 64;
const zones = new Map<string, Zone | null>();

/** Making a formatter takes some 50 µs, asking it some 10 µs. */
const MAKE_COST = 15_000;
const FORMAT_COST = 3000;

/** Since then all zones change their offset at a whole minute; some at one minute after the hour. */
const REGULAR_SINCE = Date.UTC(1973, 0, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** The zone of an IANA name, or of an offset such as `+01:00` or `01:00`; null if there is none. */
export function zoneOf(name: string): Zone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = name === "UTC" ? UTC : (fixedZone(name) ?? namedZone(name));
  if (zones.size >= MOST_KEPT) zones.clear();
  if (name.length <= MOST_KEPT) zones.set(name, zone);
  return zone;
}

function fixedZone(name: string): Zone | null {
  const parts = /^([+-]?)([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(name);
  if (parts === null) return null;
  const minutes = 60 * Number(parts[2]) + Number(parts[3]);
  const offset = (parts[1] === "-" ? -minutes : minutes) * 60_000;
  return { offsetAt: () => offset };
}

function formatterOf(name: string): Intl.DateTimeFormat | null {
  spend(MAKE_COST);
  // The engine takes offsets too, in more spellings than one; those above are the only ones here.
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

/** Milliseconds of a date and time as if it were in UTC; any year, also those below 100. */
export function utcOf(
  [year, month, day]: readonly [number, number, number],
  [hour, minute, second]: readonly [number, number, number],
): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second, 0);
}

function namedZone(name: string): Zone | null {
  const formatter = formatterOf(name);
  if (formatter === null) return null;
  const ask: OffsetAt = (ms) => {
    spend(FORMAT_COST);
    const [month = 1, day = 1, year = 1, hour = 0, minute = 0, second = 0] = (
      formatter.format(ms).match(/[0-9]+/g) ?? []
    ).map(Number);
    const offset = utcOf([year, month, day], [hour, minute, second]) - Math.floor(ms / 1000) * 1000;
    // The year before the year 1 is written as 1 too.
    return offset < DAY ? offset : utcOf([1 - year, month, day], [hour, minute, second]) - Math.floor(ms / 1000) * 1000;
  };
  let minute = Number.NaN;
  let offset = 0;
  return {
    offsetAt: (ms) => {
      if (ms < REGULAR_SINCE) return ask(ms);
      const asked = Math.floor(ms / MINUTE);
      if (asked !== minute) {
        offset = ask(ms);
        minute = asked;
      }
      return offset;
    },
  };
}

/** The moment of a local time; the earlier one where it exists twice, null where it does not exist. */
export function momentOf({ offsetAt }: Zone, local: number): number | null {
  // A change of the offset is less than a day away from any local time that it concerns.
  const offsets = new Set([offsetAt(local - DAY), offsetAt(local), offsetAt(local + DAY)]);
  const moments = [...offsets].map((offset) => local - offset).filter((ms) => ms + offsetAt(ms) === local);
  return moments.length === 0 ? null : Math.min(...moments);
}
