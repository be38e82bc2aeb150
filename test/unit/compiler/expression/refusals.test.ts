import { describe, expect, it } from "vitest";
import { Lets } from "../../../../src/compiler/expression/lets.js";
import { readExpression } from "../../../../src/compiler/expression/read-expression.js";
import { alone, problemsOf } from "./reading.js";

/** A wrong text, the characters that are shown, and what the message says. */
type Row = readonly [text: string, at: string, says: string];

function expectOne(kind: string, [text, at, says]: Row): void {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^${kind} at`));
  expect(problems[0]).toContain(`at \`${at}\`:`);
  expect(problems[0]).toContain(says);
}

describe("a text that is no expression", () => {
  it.each<Row>([
    ["args.a = 1", "=", "write `==`"],
    ["args.a === 1", "===", "write `==`"],
    ["args.a !== 1", "!==", "write `!=`"],
    ["args.a <> 1", "<>", "write `!=`"],
    ["args.a and args.b", "and", "write `&&`"],
    ["args.a AND args.b", "AND", "write `&&`"],
    ["args.a or args.b", "or", "write `||`"],
    ["not args.a", "not", "write `!`"],
    ["args.a is null", "is", "write `==`"],
    ["args.a & args.b", "&", "write `&&`"],
    ["args.a | args.b", "|", "write `||`"],
    ['args.a.matches("\\d+")', "\\d", 'write `r"…"`'],
    ['args.a contains "x"', "contains", 'write `text.contains("…")`'],
    ["if (args.a) true", "if", "for if/then write `!(condition) || …`"],
    ["args.`a b`", "`", 'write `x["the name"]`'],
    ["args.in", "in", 'write `["in"]`'],
    ["args.0", "0", "write `[0]`"],
    ["$.amount > 1", "$", "write `args.name`"],
    ["args.a == “x”", "“", "straight quotes"],
    [".5 < args.a", ".", "write `0.5`"],
    ["args.l[-1] == 1", "-1", "write `x[size(x) - 1]`"],
    ["(args.a", "(", "is not closed"],
    ['args.a == "x', '"', "the text is not closed"],
    ["args.a ==", "==", "the expression ends after"],
    ["args.a ? 1", "1", "write `condition ? value : other`"],
    ["", "", "the expression is empty"],
    ["args.a args.b", "args", "is not expected here"],
    ["1e400 > args.a", "1e400", "too large"],
    ["99999999999999999999u > args.a", "99999999999999999999u", "leave out the `u`"],
    ["1234567890123456789012345678901234.5 > args.a", "1234567890123456789012345678901234.5", "34 digits"],
    ["args.l.all(1, true)", "1", "write `list.all(x, x > 1)`"],
    ["args.l.all(x)", "all", "write `list.all(x, …)`"],
    ["args.l.all(args, true)", "args", "already has a meaning"],
    ["has(args)", "args", "`has` takes a member"],
    ["has(args.l[0])", "args.l[0]", "`size(x) > index`"],
    ["has(slots.reservation)", "slots.reservation", "`… in slots.reservation`"],
    ["has(slots.cancelled)", "slots.cancelled", "`… in slots.cancelled`"],
    ["slots == 1", "slots", "name one: `slots.name`"],
    ["startsWith(args.a, 'x')", "startsWith", 'write `text.startsWith("…")`'],
    ["size(args.a, 1) == 1", "size", "write `size(x)`"],
    ["math.round(args.a, 1, 2) == 1", "math.round", "write `math.round(x, digits)`"],
    ["args.a.matches(args.b)", "args.b", "literal pattern"],
    ['args.a.matches(r"a(?=b)")', "(", "lookahead"],
    ['args.a.matches("a(?=b)")', "(", "lookahead"],
    ['args.a.matches(r"a(")', '"', "the pattern cannot be read"],
    ["args.a.split(args.b) == []", "args.b", "literal separator"],
  ])("%s", (...row) => {
    expectOne("bad_expression", row);
  });

  it("of a pattern shows the character that is wrong, or the text where it has escapes", () => {
    expect(problemsOf('args.a.matches("\\\\d(?=b)")')[0]).toContain('at `"\\\\d(?=b)"`');
  });
});

describe("what the language leaves out", () => {
  it.each<Row>([
    ['b"x" == args.a', 'b"x"', "bytes"],
    ["Money{amount: 1} == args.a", "Money{", "message"],
    ["args.?note == 1", "args.?note", "`has(x.name)`"],
    ["args[?0] == 1", "args[?0]", "`has(x.name)`"],
    ["args?.note == 1", "?.", "`has(x.name)`"],
    ["args.a == int", "int", "names a type"],
  ])("%s", (...row) => {
    expectOne("unsupported_expression", row);
  });

  it.each<Row>([
    ["type(args.a) == 1", "type", "`has`"],
    ["dyn(args.a) == 1", "dyn", "no static types"],
    ["int(args.a) == 1", "int", "numbers are one kind"],
    ["cel.bind(x, 1, x) == 1", "cel.bind", "`let`"],
    ["optional.of(1) == 1", "optional.of", "`has(x.name)`"],
    ["args.a.length() == 1", "length", "write `size(x)`"],
    ["args.a.startswith('x')", "startswith", "did you mean `startsWith`?"],
    ["greatest(args.a, 1) == 1", "greatest", "did you mean `math.greatest`?"],
    ["now() > now", "now", "is a variable"],
    ["args.a.frobnicate()", "frobnicate", "the functions are size"],
  ])("%s", (...row) => {
    expectOne("unknown_function", row);
  });
});

describe("a name that is not known", () => {
  it.each<Row>([
    ["arg.x == 1", "arg", "did you mean `args`?"],
    ["order == 1", "order", "write `slots.order`"],
    ["fee == 1", "fee", "write `constants.fee`"],
    ["amount == 1", "amount", "write `args.amount`"],
    ["output.x == 1", "output", "`ensures`"],
    ["args.l.all(x, y == x)", "y", "there is no variable `y`"],
    ["args.l.all(x, true) && x", "x", "there is no variable `x`"],
  ])("%s", (...row) => {
    expectOne("unknown_variable", row);
  });

  it("is a slot or a constant", () => {
    expectOne("unknown_binding", ["slots.oder.id == 1", "oder", "did you mean `order`?"]);
    expectOne("unknown_constant", ["constants.fe == 1", "fe", "did you mean `fee`?"]);
    expectOne("unknown_constant", ["has(constants.fe)", "fe", "did you mean `fee`?"]);
  });

  it("is not complained about where a broken file may declare it", () => {
    const lets = new Lets([], { slots: null, constants: null, hasTimezone: null }, null);
    expect(readExpression(alone("slots.x == constants.y"), { lets, hasOutput: false }).ok).toBe(true);
  });
});

describe("a keyed slot", () => {
  it.each<Row>([
    ["slots.reservation.user == 1", "user", "`slots.reservation[key].user`"],
    ["has(slots.reservation.user)", "user", "`slots.reservation[key].user`"],
    ["slots.offer.price == 1", "price", "`slots.offer[key1][key2].price`"],
    ["slots.offer[args.date].price == 1", "price", "not all keys are given"],
  ])("%s", (...row) => {
    expectOne("keyed_slot_without_key", row);
  });

  it("may be read by its keys, and may have negative ones", () => {
    expect(problemsOf("slots.offer[args.a][args.b].price == 1")).toEqual([]);
    expect(problemsOf("slots.reservation[-1] == 1")).toEqual([]);
  });
});

describe("times", () => {
  it.each<Row>([
    ['duration("1d") > duration("1h")', '"1d"', 'write `duration("24h")`'],
    ['duration("2w") > duration("1h")', '"2w"', 'write `duration("336h")`'],
    ['duration("1y") > duration("1h")', '"1y"', "hours, minutes, seconds or milliseconds"],
    ['duration("soon") > duration("1h")', '"soon"', "duration"],
    ['duration("0") > duration("1h")', '"0"', "duration"],
    ['duration(".5s") > duration("1h")', '".5s"', "duration"],
    ['timestamp("2024-05-15") < now', '"2024-05-15"', "add an offset"],
    ['timestamp("2024-05-15T10:00:00") < now', '"2024-05-15T10:00:00"', "set `timezone`"],
    ['timestamp("2024-02-30T10:00:00Z") < now', '"2024-02-30T10:00:00Z"', "is no time"],
    ['timestamp("tomorrow") < now', '"tomorrow"', "is no time"],
    ['now.getHours("Mars/Base") == 1', '"Mars/Base"', "is no time zone"],
    ['now.getHours("+24:00") == 1', '"+24:00"', "is no time zone"],
    ['now.getHours("+0200") == 1', '"+0200"', "is no time zone"],
  ])("%s", (...row) => {
    expectOne("bad_time", row);
  });

  it("without an offset are read in the time zone of the session", () => {
    expect(problemsOf('timestamp("2024-05-15") < now', { hasTimezone: true })).toEqual([]);
    expect(problemsOf('timestamp("2024-02-29T10:00:00.5+02:00") < now')).toEqual([]);
    expect(problemsOf('duration("1h30m") < now - now && duration("500ms") > duration("0s")')).toEqual([]);
    expect(problemsOf('now.getHours("America/New_York") == now.getHours("+02:00") + now.getHours("02:00")')).toEqual(
      [],
    );
  });
});
