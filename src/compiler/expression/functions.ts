import type { FunctionName } from "../../artifact/expression.js";
import type { ValueKind } from "./value-kind.js";

/** How a function is written: `x.f()`, `f(x)`, or both; `math.f(x)` is a function with a long name. */
type Form = "method" | "function" | "both";

/** What a function takes and gives. */
export interface Signature {
  readonly form: Form;
  /** The kinds of its operands; the receiver of a method is the first. */
  readonly operands: readonly (readonly ValueKind[])[];
  /** How many of them may be left out. */
  readonly optional?: number;
  /** Whether the last may be repeated. */
  readonly repeated?: boolean;
  readonly result: ValueKind;
  /** How it is written, for messages. */
  readonly usage: string;
}

const TEXT: readonly ValueKind[] = ["string"];
const NUMBER: readonly ValueKind[] = ["number"];

function ofTexts(usage: string): Signature {
  return { form: "method", operands: [TEXT, TEXT], result: "boolean", usage };
}

function ofText(usage: string): Signature {
  return { form: "method", operands: [TEXT], result: "string", usage };
}

function getter(name: string): Signature {
  const usage = `time.${name}() or time.${name}("Europe/Berlin")`;
  return { form: "method", operands: [["timestamp"], TEXT], optional: 1, result: "number", usage };
}

function ofNumbers(usage: string): Signature {
  return { form: "function", operands: [["number", "list"]], repeated: true, result: "number", usage };
}

/** Every function of the language; `matches` has a node of its own, because its pattern is read at compile time. */
export const SIGNATURES: Readonly<Record<FunctionName | "matches", Signature>> = {
  size: { form: "both", operands: [["string", "list", "map"]], result: "number", usage: "size(x)" },
  startsWith: ofTexts('text.startsWith("…")'),
  endsWith: ofTexts('text.endsWith("…")'),
  contains: ofTexts('text.contains("…")'),
  matches: { form: "both", operands: [TEXT, TEXT], result: "boolean", usage: 'text.matches(r"…")' },
  string: {
    form: "function",
    operands: [["string", "number", "boolean", "timestamp", "duration"]],
    result: "string",
    usage: "string(x)",
  },
  double: { form: "function", operands: [["string", "number"]], result: "number", usage: "double(text)" },
  lowerAscii: ofText("text.lowerAscii()"),
  trim: ofText("text.trim()"),
  split: { form: "method", operands: [TEXT, TEXT], result: "list", usage: 'text.split(",")' },
  timestamp: { form: "function", operands: [["string", "timestamp"]], result: "timestamp", usage: "timestamp(text)" },
  duration: { form: "function", operands: [["string", "duration"]], result: "duration", usage: 'duration("24h")' },
  getFullYear: getter("getFullYear"),
  getMonth: getter("getMonth"),
  getDate: getter("getDate"),
  getDayOfMonth: getter("getDayOfMonth"),
  getDayOfYear: getter("getDayOfYear"),
  getDayOfWeek: getter("getDayOfWeek"),
  getHours: getter("getHours"),
  getMinutes: getter("getMinutes"),
  getSeconds: getter("getSeconds"),
  getMilliseconds: getter("getMilliseconds"),
  "lists.range": { form: "function", operands: [NUMBER], result: "list", usage: "lists.range(n)" },
  distinct: { form: "method", operands: [["list"]], result: "list", usage: "list.distinct()" },
  sum: { form: "method", operands: [["list"]], result: "number", usage: "list.sum()" },
  "math.least": ofNumbers("math.least(a, b)"),
  "math.greatest": ofNumbers("math.greatest(a, b)"),
  "math.abs": { form: "function", operands: [NUMBER], result: "number", usage: "math.abs(x)" },
  "math.round": {
    form: "function",
    operands: [NUMBER, NUMBER],
    optional: 1,
    result: "number",
    usage: "math.round(x, digits)",
  },
};

/** Names that begin with one of these are functions with a long name. */
export const NAMESPACES: ReadonlySet<string> = new Set(["math", "lists"]);

const NAMES = new Map(Object.entries(SIGNATURES));

/** A function of the language by its name, as far as there is one. */
export function signatureOf(
  name: string,
): { readonly name: FunctionName | "matches"; readonly signature: Signature } | undefined {
  return isFunction(name) ? { name, signature: SIGNATURES[name] } : undefined;
}

function isFunction(name: string): name is FunctionName | "matches" {
  return NAMES.has(name);
}

/** The names of all functions and macros, for suggestions. */
export const FUNCTION_NAMES: readonly string[] = [
  ...NAMES.keys(),
  "has",
  "all",
  "exists",
  "exists_one",
  "filter",
  "map",
];

/** What CEL or other languages have and this one has not, with what to write instead. */
export const OTHER_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["type", "compare with a value, or test the presence of a member with `has`"],
  ["dyn", "leave it out: values have no static types"],
  ["bytes", "values are JSON; compare texts"],
  ["int", "leave it out: numbers are one kind; `double(text)` reads a text"],
  ["uint", "leave it out: numbers are one kind; `double(text)` reads a text"],
  ["bool", 'compare with a value: `x == true` or `x == "true"`'],
  ["cel.bind", "name the expression with `let`"],
  ["optional.of", "test the presence of a member with `has(x.name)`, or of a key with `key in x`"],
  ["optional.none", "test the presence of a member with `has(x.name)`, or of a key with `key in x`"],
  ["orValue", "write `has(x.name) ? x.name : other`"],
  ["or", "write `has(x.name) ? x.name : other`"],
  ["and", "write `a && b`"],
  ["not", "write `!(…)`"],
  ["hasValue", "write `has(x.name)`"],
  ["length", "write `size(x)`"],
  ["len", "write `size(x)`"],
  ["count", "write `size(x)`"],
  ["lower", "write `text.lowerAscii()`"],
  ["toLowerCase", "write `text.lowerAscii()`"],
  ["upper", "compare in lower case: `text.lowerAscii()`"],
  ["upperAscii", "compare in lower case: `text.lowerAscii()`"],
  ["strip", "write `text.trim()`"],
  ["includes", "write `text.contains(…)`, or `item in list`"],
  ["unique", "write `list.distinct()`"],
  ["any", "write `list.exists(x, …)`"],
  ["some", "write `list.exists(x, …)`"],
  ["every", "write `list.all(x, …)`"],
  ["existsOne", "write `list.exists_one(x, …)`"],
  ["min", "write `math.least(a, b)`"],
  ["max", "write `math.greatest(a, b)`"],
  ["math.min", "write `math.least(a, b)`"],
  ["math.max", "write `math.greatest(a, b)`"],
  ["abs", "write `math.abs(x)`"],
  ["round", "write `math.round(x, digits)`"],
  ["range", "write `lists.range(n)`"],
  ["date", "write `timestamp(text)`"],
  ["float", "write `double(text)`"],
  ["number", "write `double(text)`"],
  ["str", "write `string(x)`"],
]);
