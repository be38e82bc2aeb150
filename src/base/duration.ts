const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** The milliseconds of a text such as 24h, 1h30m, 90s or 250ms; null if it is no duration. */
export function durationOf(text: string): number | null {
  if (!/^(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s))+$/.test(text)) return null;
  let sum = 0;
  for (const [, count = "", unit = ""] of text.matchAll(/([0-9.]+)(h|ms|m|s)/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum;
}
