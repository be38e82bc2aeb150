import { type Around, type Kind, part, quoted, someKey } from "./expression.js";
import { SLOTS } from "./input.js";
import { PATTERNS } from "./vocabulary.js";

/** Makes a part of one kind out of smaller parts. */
type Maker = (around: Around) => string;

const OTHERS: readonly Kind[] = ["boolean", "numbers", "strings", "objects", "object", "null"];
const LISTS: readonly Kind[] = ["numbers", "strings", "objects"];

function itemOf(list: Kind): Kind {
  return list === "numbers" ? "number" : list === "strings" ? "string" : "object";
}

function infix(operators: readonly string[], left: Kind, right = left): Maker {
  return (around) => `(${part(left, around)} ${around.random.pick(operators)} ${part(right, around)})`;
}

function call(name: string, ...operands: readonly Kind[]): Maker {
  return (around) => `${name}(${operands.map((kind) => part(kind, around)).join(", ")})`;
}

function method(of: Kind, name: string, ...operands: readonly Kind[]): Maker {
  return (around) => `${part(of, around)}.${name}(${operands.map((kind) => part(kind, around)).join(", ")})`;
}

function choice(kind: Kind): Maker {
  return (around) => `(${part("boolean", around)} ? ${part(kind, around)} : ${part(kind, around)})`;
}

function comparison(around: Around): string {
  const kind = around.random.pick(around.compared);
  return infix(["<", "<=", ">", ">="], kind)(around);
}

function equality(around: Around): string {
  const { random, compared } = around;
  const kinds = random.chance(0.5) ? compared : OTHERS;
  const kind = random.pick(kinds);
  const other = random.chance(0.2) ? random.pick(OTHERS) : kind;
  return infix(["==", "!="], kind, other)(around);
}

/** A number that was worked out against a small one, where a mistake by one shows. */
function count(around: Around): string {
  const { random } = around;
  const made = random.pick(MAKERS.number)({ ...around, depth: Math.min(around.depth, 1) });
  return `(${made} ${random.pick(["==", "!=", "<", ">="])} ${random.pick(["0", "1", "2", "3", "9"])})`;
}

/** Nothing, or what is nearly nothing, against anything. */
function nothing(around: Around): string {
  const { random } = around;
  const kind = random.pick([...OTHERS, ...around.compared]);
  return `(${random.pick(["null", "false", "0", '""', "[]", "{}"])} ${random.pick(["==", "!="])} ${part(kind, around)})`;
}

function length(around: Around): string {
  const { random } = around;
  return `(size(${part("string", around)}) ${random.pick(["==", "<", ">="])} ${random.pick(["1", "2", "3"])})`;
}

/** A part of a time, or a rounded number, against one that it may be. */
function partOrRounded(around: Around): string {
  const { random } = around;
  const operator = random.pick(["==", "<", ">="]);
  if (random.chance(0.5)) return `(${getter(around)} ${operator} ${random.pick(["0", "1", "2", "3", "9", "30"])})`;
  const rounded = `math.round(${part("number", around)}, ${random.pick(["0", "1", "2"])})`;
  return `(${rounded} ${operator} ${random.pick(["3", "(-3)", "(-2)", "1.01", "0"])})`;
}

function remainder(around: Around): string {
  return `(${part("number", around)} % ${around.random.pick(["2", "3", "7", "(-3)", "10", "0"])})`;
}

/** Membership in a list, a map, or a slot of any form. */
function membership(around: Around): string {
  const { random } = around;
  const list = random.pick(LISTS);
  return random.make([
    () => `(${part(itemOf(list), around)} in ${part(list, around)})`,
    () => `(${random.chance(0.5) ? someKey(around) : part("string", around)} in ${part("object", around)})`,
    () => `(${random.chance(0.5) ? someKey(around) : part("string", around)} in slots.${SLOTS.keyed})`,
    () => `(${someKey(around)} in slots.${SLOTS.nested}[${someKey(around)}])`,
    () => `(${part("string", around)} in slots.${SLOTS.words})`,
    () => `(${part("number", around)} in slots.${SLOTS.numbers})`,
  ]);
}

function presence(around: Around): string {
  const { random } = around;
  const name = random.pick(["n", "s", "b", "t", "ln", "o", "z", "constructor"]);
  return random.make([
    () => `has(args.${name})`,
    () => `has(args.o.${name})`,
    () => `has(${part("object", { ...around, depth: 0 })}.${name})`,
    () => `has(slots.${random.pick([SLOTS.number, SLOTS.object])})`,
    () => `has(slots.${SLOTS.keyed}.${random.pick(["a", "b", "gold"])})`,
  ]);
}

/** What a macro goes over, and the kind of what it visits. */
function over(around: Around): { readonly text: string; readonly kind: Kind } {
  const { random } = around;
  const chance = random.next();
  if (chance < 0.1) return { text: `slots.${SLOTS.keyed}`, kind: "string" };
  if (chance < 0.2) return { text: part("object", around), kind: "string" };
  const list = random.pick(LISTS);
  return { text: part(list, around), kind: itemOf(list) };
}

/** A macro whose parts may read the item; without room for one more, something simple instead. */
function macro(names: readonly string[], parts: readonly (Kind | "item")[], otherwise: string): Maker {
  return (around) => {
    if (around.macros === 0) return otherwise;
    const { text, kind } = over({ ...around, macros: around.macros - 1 });
    const name = `x${around.macros}`;
    const inside = { ...around, macros: around.macros - 1, locals: [...around.locals, { name, kind }] };
    const texts = parts.map((wanted) => part(wanted === "item" ? kind : wanted, inside));
    return `${text}.${around.random.pick(names)}(${[name, ...texts].join(", ")})`;
  };
}

const NESTED_RANGES = "lists.range(300).all(x, lists.range(300).all(y, x + y >= 0))";

/** Far more steps than a judgement may take, in a place where a side that decides could be beside it. */
function endless({ random }: Around): string {
  return random.chance(0.03) ? NESTED_RANGES : "lists.range(20).all(x, x < 20)";
}

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "+05:30", "-08:00", "Nowhere/City"];
const GETTERS = ["getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfYear", "getDayOfWeek", "getHours"];
const SMALL_GETTERS = ["getMinutes", "getSeconds", "getMilliseconds"];

function getter(around: Around): string {
  const { random } = around;
  const zone = random.chance(0.3) ? quoted(random.pick(ZONES)) : "";
  return `${part("timestamp", around)}.${random.pick([...GETTERS, ...SMALL_GETTERS])}(${zone})`;
}

function listOf(kind: Kind): Maker {
  return (around) => `[${around.random.list(around.random.below(4), () => part(kind, around)).join(", ")}]`;
}

function split(around: Around): string {
  return `${part("string", around)}.split(${quoted(around.random.pick([",", "a", ""]))})`;
}

function extreme(around: Around): string {
  const { random } = around;
  const operands = random.chance(0.3)
    ? part("numbers", around)
    : random.list(random.pick([1, 2, 3]), () => part("number", around)).join(", ");
  return `math.${random.pick(["least", "greatest"])}(${operands})`;
}

const SUM = method("numbers", "sum");
const MAP = macro(["map"], ["number"], "[1, 2]");
const FILTERED_MAP = macro(["map"], ["boolean", "string"], '["a"]');

const MAKERS: { readonly [K in Kind]: readonly Maker[] } = {
  boolean: [
    comparison,
    comparison,
    comparison,
    count,
    nothing,
    length,
    partOrRounded,
    equality,
    equality,
    membership,
    membership,
    presence,
    infix(["&&", "||"], "boolean"),
    infix(["&&", "||"], "boolean"),
    (around) => `!${part("boolean", around)}`,
    choice("boolean"),
    macro(["all", "exists", "exists_one"], ["boolean"], "true"),
    macro(["all", "exists"], ["boolean"], "false"),
    method("string", "startsWith", "string"),
    method("string", "endsWith", "string"),
    method("string", "contains", "string"),
    (around) => `${part("string", around)}.matches(${quoted(around.random.pick(PATTERNS))})`,
    endless,
  ],
  number: [
    infix(["+", "-", "*"], "number"),
    infix(["+", "-", "*"], "number"),
    infix(["/", "%"], "number"),
    remainder,
    (around) => `(-${part("number", around)})`,
    (around) => `size(${part(around.random.pick(["string", "numbers", "strings", "object"]), around)})`,
    method("strings", "size"),
    (around) => `size(slots.${around.random.pick(Object.values(SLOTS))})`,
    call("double", "string"),
    getter,
    getter,
    SUM,
    extreme,
    call("math.abs", "number"),
    (around) =>
      `math.round(${part("number", around)}, ${around.random.pick(["0", "1", "2", "3", "0.5", "-1", "35", "400", "(-400)"])})`,
    (around) => `${part("numbers", around)}[${around.random.pick(["0", "1", "2.0", "0.5", "99"])}]`,
    (around) => `${part("object", around)}[${someKey(around)}]`,
    choice("number"),
  ],
  string: [
    infix(["+"], "string"),
    (around) => `string(${part(around.random.pick(["number", "string", "boolean", "timestamp", "duration"]), around)})`,
    method("string", "lowerAscii"),
    method("string", "trim"),
    (around) => `${split(around)}[${around.random.pick(["0", "1"])}]`,
    choice("string"),
  ],
  timestamp: [
    infix(["+", "-"], "timestamp", "duration"),
    infix(["+"], "duration", "timestamp"),
    call("timestamp", "string"),
    choice("timestamp"),
  ],
  duration: [infix(["-"], "timestamp"), infix(["+", "-"], "duration"), call("duration", "string"), choice("duration")],
  numbers: [
    listOf("number"),
    infix(["+"], "numbers"),
    method("numbers", "distinct"),
    MAP,
    macro(["filter"], ["boolean"], "[1]"),
    (around) => `lists.range(${around.random.pick(["0", "3", "args.n", "2.5", "size(args.ln)"])})`,
  ],
  strings: [listOf("string"), infix(["+"], "strings"), method("strings", "distinct"), split, FILTERED_MAP],
  objects: [listOf("object"), infix(["+"], "objects"), method("objects", "distinct")],
  object: [
    (around) => `{"n": ${part("number", around)}, ${someKey(around)}: ${part("string", around)}}`,
    (around) => `${part("objects", around)}[${around.random.pick(["0", "1"])}]`,
    choice("object"),
  ],
  null: [choice("null")],
};

/** What makes parts of a kind out of smaller ones. */
export function makersOf(kind: Kind): readonly Maker[] {
  return MAKERS[kind];
}
