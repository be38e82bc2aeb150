import { describe, expect, it } from "vitest";
import { durationProblem, isZone, timeOf } from "../../../../src/compiler/expression/literals.js";
import { readDuration, readTime } from "../../../../src/guard/expression/time/read-time.js";
import { UTC, zoneOf } from "../../../../src/guard/expression/time/zone.js";
import { fc } from "../../../support/fast-check.js";

/** Texts that are nearly right. */
const durations = fc.array(fc.constantFrom("1", "0", "24", ".5", ".", "h", "m", "s", "ms", "d", "-", "+", " "), {
  maxLength: 6,
});
const times = fc
  .tuple(
    fc.constantFrom("2024-02-29", "2023-02-29", "0000-01-01", "0001-06-01", "2024-13-01", "24-01-01", "9999-12-31"),
    fc.constantFrom("", "T", "t"),
    fc.constantFrom("", "10:00:00", "23:59:60", "24:00:00", "10:00", "10:00:00.5", "10:00:00."),
    fc.constantFrom("", "Z", "z", "+02:00", "-23:59", "+24:00", "+02:60", "+0200"),
  )
  .map((parts) => parts.join(""));
const zones = [
  "UTC",
  "Europe/Berlin",
  "europe/berlin",
  "Mars/Base",
  "+02:00",
  "-23:59",
  "+24:00",
  "02:00",
  "Z",
  "",
  "+2",
  "EST",
];

describe("a literal that the compiler accepts", () => {
  it("is a duration for the guard, and no other is", () => {
    fc.assert(
      fc.property(durations, (parts) => {
        const text = parts.join("");
        expect([text, durationProblem(text) === null]).toEqual([text, readDuration(text) !== null]);
      }),
    );
  });

  it("is a time for the guard, and no other is", () => {
    fc.assert(
      fc.property(times, (text) => {
        const read = readTime(text, UTC);
        // At the ends of the calendar the offset may lead out of it.
        if (text.startsWith("0001") || text.startsWith("9999")) return;
        expect([text, timeOf(text) === "no time"]).toEqual([text, read === "no time"]);
        expect([text, timeOf(text) === "without offset"]).toEqual([text, readTime(text, null) === "no zone"]);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(zones)("is a time zone for the guard if it is one: `%s`", (name) => {
    expect(isZone(name)).toBe(zoneOf(name) !== null);
  });
});
