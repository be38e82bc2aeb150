const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OFFSET = /^([+-]?)([0-9]{2}):([0-9]{2})$/;

const formats = new Map<string, Intl.DateTimeFormat | null>();

/** The platform's format of a zone by its IANA name; null for a name it does not know. */
function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = makeFormat(zone);
  formats.set(zone, format);
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  // Offsets are read here, because not every line of Node takes them as zones.
  if (!/^[A-Za-z]/.test(timeZone)) return null;
  const digits = "numeric";
  try {
    return new Intl.DateTimeFormat("en-u-ca-gregory", {
      timeZone,
      era: "narrow",
      hourCycle: "h23",
      year: digits,
      month: digits,
      day: digits,
      hour: digits,
      minute: digits,
      second: digits,
    });
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

function fixedOffset(zone: string): number | null {
  const match = OFFSET.exec(zone);
  if (match === null) return null;
  const [, sign, hours, minutes] = match;
  const size = Number(hours) * HOUR + Number(minutes) * MINUTE;
  return Number(hours) > 23 || Number(minutes) > 59 ? null : sign === "-" ? -size : size;
}

/** What a clock in the zone shows at an instant, as milliseconds that look like UTC; null for an unknown zone. */
export function wallClock(zone: string, instant: number): number | null {
  const fixed = fixedOffset(zone);
  if (fixed !== null) return instant + fixed;
  const format = formatOf(zone);
  if (format === null) return null;
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name) ?? 0);
  // The year before the year 1 is the first one before Christ.
  const year = parts.get("era") === "B" ? 1 - part("year") : part("year");
  const shown = new Date(0);
  shown.setUTCFullYear(year, part("month") - 1, part("day"));
  shown.setUTCHours(part("hour"), part("minute"), part("second"));
  const fraction = ((instant % 1000) + 1000) % 1000;
  return shown.getTime() + fraction;
}

/**
 * The instant at which a clock in the zone shows a time: the earlier one where there are two, null where there is none. No
 * offset is larger than a day, so every offset around the time is tried.
 */
export function instantOf(zone: string, shown: number): number | null {
  const offsets = new Set<number>();
  for (let hours = -26; hours <= 26; hours += 1) {
    const near = shown + hours * HOUR;
    const there = wallClock(zone, near);
    if (there === null) return null;
    offsets.add(there - near);
  }
  const instants = [...offsets].map((offset) => shown - offset).filter((instant) => wallClock(zone, instant) === shown);
  return instants.length === 0 ? null : Math.min(...instants);
}
