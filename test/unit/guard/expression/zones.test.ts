import { expect, it } from "vitest";
import { momentOf, zoneOf } from "../../../../src/guard/expression/time/zone.js";
import { instantOf, wallClock } from "../../../reference/expression/zones.js";
import { randomFrom } from "../../../support/random.js";
import { seedOf } from "../../../support/seed.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ZONES = Intl.supportedValuesOf("timeZone");

function offsetIn(name: string, ms: number): number {
  const zone = zoneOf(name);
  if (zone === null) throw new Error(`unknown zone ${name}`);
  return zone.offsetAt(ms);
}

function expectSame(name: string, ms: number): void {
  const shown = wallClock(name, ms);
  expect([name, ms, ms + offsetIn(name, ms)]).toEqual([name, ms, shown]);
}

// Some zones change their offset at one minute after the hour, some kept local time to the second.
const CHANGES: readonly (readonly [string, string])[] = [
  ["America/St_Johns", "1988-04-03T03:31:00Z"],
  ["America/St_Johns", "2011-03-13T03:31:00Z"],
  ["America/Moncton", "1993-04-04T04:01:00Z"],
  ["America/Goose_Bay", "1987-10-25T03:01:00Z"],
  ["Antarctica/Casey", "2020-10-03T16:01:00Z"],
  ["Asia/Gaza", "2010-03-26T22:01:00Z"],
  ["Pacific/Kiritimati", "1979-10-01T10:40:00Z"],
  ["Africa/Monrovia", "1972-01-07T00:44:30Z"],
  ["Europe/Amsterdam", "1937-06-30T22:40:28Z"],
  ["Asia/Kathmandu", "1985-12-31T18:30:00Z"],
];

it.each(CHANGES)("%s changes its offset at %s, to the second", (name, change) => {
  const at = Date.parse(change);
  // Twice and in both directions, because offsets are kept.
  for (const away of [-16, -2, -1, 0, 1, 2, 16, 0, -1]) {
    for (const ms of [-1, 0]) expectSame(name, at + away * MINUTE + ms);
  }
});

it("shows what the platform's clock shows, at random instants near each other", () => {
  const random = randomFrom(seedOf("ZONES_SEED", 16));
  for (let run = 0; run < 600; run++) {
    const name = random.pick(ZONES);
    const near = Date.UTC(1850 + random.below(200), random.below(12), 1 + random.below(28), random.below(24));
    for (let again = 0; again < 4; again++) expectSame(name, near + random.below(HOUR));
  }
});

it("finds the moment of a local time", () => {
  const random = randomFrom(seedOf("ZONES_SEED", 16), 1);
  for (let run = 0; run < 60; run++) {
    const [name, change] = random.pick(CHANGES);
    const shown = wallClock(name, Date.parse(change) + (random.below(300) - 150) * MINUTE) ?? 0;
    const zone = zoneOf(name);
    expect([name, shown, zone === null ? null : momentOf(zone, shown)]).toEqual([name, shown, instantOf(name, shown)]);
  }
});
