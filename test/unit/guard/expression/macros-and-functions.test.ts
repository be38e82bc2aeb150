import { describe, expect, it } from "vitest";
import { evaluated, type Setting } from "./evaluating.js";

const ARGS: NonNullable<Setting["args"]> = {
  n: 5,
  half: 2.5,
  t: " aB ",
  nil: null,
  b: true,
  list: [1, 2, 3],
  mixed: [1, "x", 3],
  prices: [0.1, 0.2, 12.3],
  rows: [{ id: "a", n: 1 }, { id: "b" }, { id: "a", n: 3 }],
  map: { a: 1, b: 2 },
  empty: [],
};

type Row = readonly [text: string, value: string];

function table(name: string, rows: readonly Row[], setting: Setting = {}) {
  describe(name, () => {
    it.each(rows)("%s is %s", (text, value) => {
      expect(evaluated(text, { args: ARGS, ...setting })).toBe(value);
    });
  });
}

table("macros", [
  ["args.list.all(x, x > 0)", "true"],
  ["args.list.all(x, x > 1)", "false"],
  ["args.empty.all(x, x.y)", "true"],
  ["args.rows.all(r, r.n > 1)", "false"],
  ["args.rows.all(r, r.n > 0)", "missing: r.n is missing"],
  ["args.rows.all(r, has(r.n) ? r.n > 0 : true)", "true"],
  ["args.list.exists(x, x == 3)", "true"],
  ["args.rows.exists(r, r.n == 3)", "true"],
  ["args.rows.exists(r, r.n == 4)", "missing: r.n is missing"],
  ["args.empty.exists(x, true)", "false"],
  ["args.list.exists_one(x, x > 2)", "true"],
  ["args.list.exists_one(x, x > 1)", "false"],
  ["args.rows.exists_one(r, r.n == 1)", "missing: r.n is missing"],
  ["args.list.filter(x, x % 2 == 1)", "[1,3]"],
  ["args.rows.filter(r, r.n == 1)", "missing: r.n is missing"],
  ["args.list.map(x, x * 2)", "[2,4,6]"],
  ["args.list.map(x, x > 1, x * 2)", "[4,6]"],
  ["args.rows.map(r, r.n)", "missing: r.n is missing"],
  ["args.mixed.map(x, x + 1)", "kind: x is a text"],
  ["args.map.all(k, args.map[k] > 0)", "true"],
  ["args.map.filter(k, args.map[k] > 1)", '["b"]'],
  ["args.list.map(x, args.list.map(y, x * y))", "[[1,2,3],[2,4,6],[3,6,9]]"],
  ["args.list.map(x, args.list.filter(y, y < x).size()).sum()", "3"],
  ["args.list.all(x, args.list.exists(x, x == 3) && x < 4)", "true"],
  ["args.n.all(x, true)", "kind: args.n is a number"],
  ["args.nil.exists(x, true)", "kind: args.nil is null"],
  ["args.missing.map(x, x)", "missing: args.missing is missing"],
  ["slots.unset.all(x, true)", "unset: slots.unset is not set"],
  ["slots.pending.all(x, true)", "awaited: slots.pending depends on a call that has not settled"],
  ["args.rows.map(r, r.n + slots.pending)", "missing: r.n is missing"],
  ["args.list.all(x, slots.pending == x)", "awaited: slots.pending depends on a call that has not settled"],
  ["args.list.exists(x, slots.pending == x || x == 3)", "true"],
  ["slots.reservation.filter(k, k == 'R1')", '["R1"]'],
  ["slots.cancelled.exists(x, x == 'a')", "true"],
  [
    "slots.recent.exists(x, x == 'a')",
    "forgotten: slots.recent is not among the latest values, and older ones are forgotten",
  ],
  ["args.list.map(x, args.n)", "[5,5,5]"],
  ["args.list.all(x, x)", "kind: x is a number"],
]);

table("texts", [
  ["size(args.t)", "4"],
  ["'😀é'.size()", "2"],
  ["size(args.list)", "3"],
  ["size(args.map)", "2"],
  ["size(slots.cancelled)", "4"],
  ["size(slots.partial)", "forgotten: slots.partial is not among the latest values, and older ones are forgotten"],
  ["size(args.n)", "kind: args.n is a number"],
  ["size(args.nil)", "kind: args.nil is null"],
  ["args.t.startsWith(' a')", "true"],
  ["args.t.endsWith('B')", "false"],
  ["args.t.contains('aB')", "true"],
  ["args.n.startsWith('5')", "kind: args.n is a number"],
  ["args.t.contains(args.n)", "kind: args.n is a number"],
  ["args.t.matches(r'^\\s[a-z]')", "true"],
  ["args.t.matches('^a')", "false"],
  ["args.n.matches('5')", "kind: args.n is a number"],
  ["string(args.n)", '"5"'],
  ["string(2.50)", '"2.5"'],
  ["string(1e21)", '"1000000000000000000000"'],
  ["string(0.0000001)", '"0.0000001"'],
  ["string(12345678901234567890.5)", '"12345678901234567890.5"'],
  ["string(args.b)", '"true"'],
  ["string(args.t)", '" aB "'],
  ["string(args.nil)", "kind: args.nil is null"],
  ["string(timestamp('2024-05-01T10:00:00.5+02:00'))", '"2024-05-01T08:00:00.5Z"'],
  ["string(duration('90m'))", '"5400s"'],
  ["double('2.50')", "2.5"],
  ["double('-1e3')", "-1000"],
  ["double('0.1') + double('0.2') == 0.3", "true"],
  ["double('1,5')", 'value: double("1,5") is not given a number'],
  ["double('+1')", 'value: double("+1") is not given a number'],
  ["double('.5')", 'value: double(".5") is not given a number'],
  [
    "double('12345678901234567890123456789012345')",
    'bound: double("12345678901234567890123456789012345") needs more than 34 digits',
  ],
  ["double(args.n)", "5"],
  ["double(args.list)", "kind: args.list is a list"],
  ["args.t.trim()", '"aB"'],
  ["'\\u0085\\u00a0\\u2003a\\u3000'.trim()", '"a"'],
  ["size('\\ufeffa\\u200b'.trim())", "3"],
  ["math.round(2.5)", "3"],
  ["{true: null}[true]", "null"],
  ["{'a': null}.a", "null"],
  ["'ÄAz'.lowerAscii()", '"Äaz"'],
  ["'a,b,,c'.split(',')", '["a","b","","c"]'],
  ["'a😀'.split('')", '["a","😀"]'],
  ["args.list.trim()", "kind: args.list is a list"],
]);

table("lists and numbers", [
  ["lists.range(3)", "[0,1,2]"],
  ["lists.range(0)", "[]"],
  ["lists.range(-2)", "value: lists.range(-2) is not given a count"],
  ["lists.range(args.half)", "value: lists.range(args.half) is not given a count"],
  ["lists.range(args.nil)", "kind: args.nil is null"],
  ["[1, 1.0, '1', [1], [1.0]].distinct()", '[1,"1",[1]]'],
  ["[{'a': 1}, {'a': 1.0}].distinct().size()", "1"],
  ["args.rows.map(r, r.id).distinct()", '["a","b"]'],
  ["args.n.distinct()", "kind: args.n is a number"],
  ["args.prices.sum()", "12.6"],
  ["args.empty.sum()", "0"],
  ["args.mixed.sum()", "kind: args.mixed.sum() is a text"],
  ["math.least(3, 1, 2)", "1"],
  ["math.greatest(args.prices)", "12.3"],
  ["math.greatest(0.3, 0.30000000000000004)", "0.30000000000000004"],
  ["math.least(args.empty)", "value: math.least(args.empty) is given an empty list"],
  ["math.least(args.n, args.t)", "kind: math.least(args.n, args.t) is a text"],
  ["math.abs(-2.5)", "2.5"],
  ["math.abs(args.t)", "kind: args.t is a text"],
  ["math.round(2.5, 0)", "3"],
  ["math.round(-2.5, 0)", "-3"],
  ["math.round(2.445, 2)", "2.45"],
  ["math.round(1234, -2)", "1200"],
  ["math.round(0.05, 0)", "0"],
  ["math.round(5, 2)", "5"],
  ["math.round(1.1, args.half)", "value: math.round(1.1, args.half) is not given a number of digits"],
  ["args.b.sum()", "kind: args.b is a truth value"],
]);

const BERLIN: Setting = { timezone: "Europe/Berlin" };

table(
  "times",
  [
    ["timestamp('2024-05-01T10:00:00Z') == timestamp('2024-05-01T12:00:00+02:00')", "true"],
    ["timestamp('2024-05-01T10:00:00.123456789Z')", "2024-05-01T10:00:00.123456789Z"],
    ["timestamp('2024-05-01T10:00:00.1Z') < timestamp('2024-05-01T10:00:00.10001Z')", "true"],
    ["timestamp(args.t)", "value: timestamp(args.t) is not given a time in RFC 3339"],
    ["timestamp(args.n)", "kind: args.n is a number"],
    ["timestamp(args.nil)", "kind: args.nil is null"],
    ["timestamp('0001-01-01T00:00:00Z').getFullYear()", "1"],
    ["timestamp('2024-05-01T10:00:00Z') + duration('1h30m')", "2024-05-01T11:30:00Z"],
    ["duration('24h') + timestamp('2024-02-28T10:00:00Z')", "2024-02-29T10:00:00Z"],
    ["timestamp('2024-05-01T10:00:00Z') - duration('10s')", "2024-05-01T09:59:50Z"],
    ["timestamp('2024-05-02T00:00:00Z') - timestamp('2024-05-01T00:00:00Z') == duration('24h')", "true"],
    ["duration('1h') - duration('90m')", "-1800s"],
    ["duration('1.5s') == duration('1500ms')", "true"],
    ["duration('-1h')", "-3600s"],
    ["duration(args.t)", "value: duration(args.t) is not given hours, minutes, seconds or milliseconds"],
    ["duration('1h') < duration('61m')", "true"],
    ["duration('1h') * 2", 'kind: duration("1h") is a duration'],
    [
      "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
      'bound: timestamp("9999-12-31T23:59:59Z") + duration("1… leaves the years 1 to 9999',
    ],
    ["now", "2024-05-01T10:00:00Z"],
    ["now - timestamp('2024-05-01T09:00:00Z') <= duration('1h')", "true"],
    ["now < args.n", "kind: now is a timestamp, args.n a number"],
    ["timestamp('2024-05-01T23:30:00Z').getDate()", "1"],
    ["timestamp('2024-05-01T23:30:00Z').getDate('Europe/Berlin')", "2"],
    ["timestamp('2024-05-01T23:30:00Z').getHours('+05:30')", "5"],
    ["now.getHours(args.t)", "value: now.getHours(args.t) is not given a time zone"],
    ["timestamp('2024-05-01T23:30:59.25Z').getMonth()", "4"],
    ["timestamp('2024-05-01T23:30:59.25Z').getDayOfMonth()", "0"],
    ["timestamp('2024-05-01T23:30:59.25Z').getDayOfYear()", "121"],
    ["timestamp('2024-05-01T23:30:59.25Z').getDayOfWeek()", "3"],
    ["timestamp('2024-05-01T23:30:59.25Z').getMinutes()", "30"],
    ["timestamp('2024-05-01T23:30:59.25Z').getSeconds()", "59"],
    ["timestamp('2024-05-01T23:30:59.25Z').getMilliseconds()", "250"],
    ["timestamp('0001-01-01T00:00:00Z').getFullYear('America/New_York')", "0"],
    ["timestamp('2024-05-01T23:30:00Z').getHours('02:00')", "1"],
    ["(now - now).getHours()", "kind: now - now is a duration"],
    ["duration('2562047h')", "9223369200s"],
    ["duration('2562048h')", 'bound: duration("2562048h") is longer than 292 years'],
    [
      "timestamp('9999-01-01T00:00:00Z') - timestamp('0001-01-01T00:00:00Z') > duration('1h')",
      'bound: timestamp("9999-01-01T00:00:00Z") - timestamp("… is longer than 292 years',
    ],
    ["args.n.getHours()", "kind: args.n is a number"],
  ],
  { now: Date.UTC(2024, 4, 1, 10) },
);

table(
  "times in a zone of the session",
  [
    ["timestamp('2024-05-01')", "2024-04-30T22:00:00Z"],
    ["timestamp('2024-12-01T12:00:00')", "2024-12-01T11:00:00Z"],
    ["timestamp('2024-03-31T02:30:00')", 'value: timestamp("2024-03-31T02:30:00") is a local time that does not exist'],
    ["timestamp('2024-10-27T02:30:00')", "2024-10-27T00:30:00Z"],
    ["timestamp('2024-10-27T03:00:00')", "2024-10-27T02:00:00Z"],
    ["timestamp('2024-05-01T23:30:00Z').getHours()", "1"],
    ["timestamp('2024-05-01T23:30:00Z').getHours('UTC')", "23"],
  ],
  BERLIN,
);

describe("times that there are not", () => {
  it.each([
    "2024-02-30T10:00:00Z",
    "2024-05-01T24:00:00Z",
    "2024-05-01T10:00:60Z",
    "2024-05-01 10:00:00Z",
    "2024-13-01",
    "24-05-01",
  ])("%s cannot be read", (at) => {
    const found = "value: timestamp(args.at) is not given a time in RFC 3339";
    expect(evaluated("timestamp(args.at)", { args: { at }, timezone: "UTC" })).toBe(found);
  });
});

describe("times without a zone", () => {
  it("are not read without one of the session", () => {
    expect(evaluated("timestamp(args.at)", { args: { at: "2024-05-01" } })).toBe(
      "value: timestamp(args.at) lacks an offset, and the session a `timezone`",
    );
  });
});
