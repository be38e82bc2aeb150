import type { Json } from "../../../../src/base/json.js";
import type { Random } from "../../../differential/generate/random.js";

/** Numbers as literals: borders of doubles, of whole numbers and of 34 digits. */
const NUMBER_TEXTS: readonly string[] = [
  ...[
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "1u",
    "0x10",
    "100",
    "0.1",
    "0.2",
    "0.3",
    "0.5",
    "2.5",
    "1.005",
    "1.0",
    "4.0",
    "1e2",
  ],
  ...["1e-7", "1e21", "1e300", "5e-324", "9007199254740993", "0.30000000000000004"],
  ...[
    "1234567890123456789012345678901234",
    "9999999999999999999999999999999999",
    "0.3333333333333333333333333333333333",
  ],
];

/** The same as JSON holds them. */
const NUMBERS: readonly number[] = [
  ...[0, 1, 2, 3, 7, 10, -1, -3, -7, 0.1, 0.2, 0.3, 0.5, 2.5, -2.5, 1.005, 100, 1e21, 1e-7],
  ...[Number.MAX_SAFE_INTEGER, 2 ** 53 + 2, Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2],
];

const WORDS: readonly string[] = [
  ...["", "a", "b", "A", "ab", "a,b", "é", "a b", "1", "gold", "vip", "true", "null"],
  ...["constructor", "__proto__", "toString", "10", "1e2", "-0.10", "0x1", "01"],
];

/** Texts whose size, order or white space depends on how they are looked at. */
const ODD_WORDS: readonly string[] = ["𝒳", "𝒳y", "𝒳𝒳", "\uffee", "\uffeea", " a ", "\u0085a", "\ufeffa", "é"];

const LENGTHS: readonly string[] = [
  ...["0s", "1s", "1h", "24h", "90m", "1h30m", "1.5s", "1500ms", "-1m", "-0.5h", "8760h", "500ms"],
  ...["1d", "", "h", "1", "1h 30m", "2000000h"],
];

/** A zone, texts of times that are near each other, and clocks that show one of them. */
interface TimeSetting {
  readonly zone: string | null;
  readonly times: readonly string[];
  readonly clocks: readonly string[];
}

const TIME_SETTINGS: readonly TimeSetting[] = [
  // Clocks are put back: a time is there twice.
  {
    zone: "Europe/Berlin",
    times: ["2024-10-27T02:30:00", "2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z", "2024-10-27"],
    clocks: ["2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z"],
  },
  {
    zone: "America/New_York",
    times: ["2024-11-03T01:30:00", "2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z", "2024-11-03"],
    clocks: ["2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z"],
  },
  {
    zone: "Australia/Lord_Howe",
    times: ["2024-04-07T01:45:00", "2024-04-06T14:45:00Z", "2024-04-06T15:15:00Z"],
    clocks: ["2024-04-06T14:45:00Z", "2024-04-06T15:15:00Z"],
  },
  // Clocks are put forward: a time is not there.
  {
    zone: "Europe/Berlin",
    times: ["2024-03-31T02:30:00", "2024-03-31T01:59:59.999", "2024-03-31T03:00:00", "2024-03-31T01:00:00Z"],
    clocks: ["2024-03-31T00:59:59.999Z", "2024-03-31T01:00:00Z"],
  },
  // Days, months and years that are not the same everywhere.
  {
    zone: "Asia/Kolkata",
    times: ["2024-01-01", "2023-12-31T18:30:00Z", "2024-01-01T00:00:00+05:30", "2023-12-31T23:59:59Z"],
    clocks: ["2023-12-31T18:29:59.999Z", "2023-12-31T18:30:00Z"],
  },
  {
    zone: "America/New_York",
    times: ["2024-02-29", "2024-03-01T04:59:59Z", "2024-02-29T23:59:59", "2023-02-29"],
    clocks: ["2024-03-01T04:59:59Z", "2024-02-29T12:30:15.250Z"],
  },
  {
    zone: null,
    times: ["2024-02-29", "2024-03-01T00:00:00Z", "2024-02-29T19:00:00-05:00"],
    clocks: ["2024-03-01T00:00:00Z"],
  },
  // Borders of what a time may be.
  {
    zone: "UTC",
    times: ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+01:00", "1970-01-01"],
    clocks: ["1970-01-01T00:00:00Z"],
  },
];

const NO_TIMES: readonly string[] = ["2023-02-29", "2024-13-01", "2024-01-01T24:00:00Z", "10:00", "", "a"];

/** Keys that differ in their type alone are among them. */
const KEYS: readonly (string | number | boolean)[] = ["a", "b", "1", 1, true, 2.5, "__proto__", "gold"];

export const PATTERNS: readonly string[] = ["^[a-z]+$", "a", "^$", "[0-9]{2}", "b$", "^(a|b)*$", "."];

/** Values of every kind of JSON. */
export const ANYTHING: readonly Json[] = [null, true, false, 0, 1, 2.5, "", "a", [], [1], {}, { a: 1 }, { a: null }];

/** The values of one case: few, so that its parts meet the same ones. */
export interface Vocabulary {
  readonly numberTexts: readonly string[];
  readonly numbers: readonly number[];
  readonly words: readonly string[];
  readonly lengths: readonly string[];
  readonly times: readonly string[];
  readonly keys: readonly (string | number | boolean)[];
  readonly timezone: string | null;
  readonly now: number;
}

function few<T>(random: Random, items: readonly T[]): readonly T[] {
  return random.list(3, () => random.pick(items));
}

export function someVocabulary(random: Random): Vocabulary {
  const { zone, times, clocks } = random.pick(TIME_SETTINGS);
  return {
    numberTexts: few(random, NUMBER_TEXTS),
    numbers: few(random, NUMBERS),
    words: few(random, random.chance(0.3) ? ODD_WORDS : WORDS),
    lengths: few(random, LENGTHS),
    times: random.chance(0.3) ? [...times, random.pick(NO_TIMES)] : times,
    keys: few(random, KEYS),
    timezone: random.chance(0.1) ? null : zone,
    now: Date.parse(random.pick(clocks)),
  };
}
