/** A fault in the reference: a text of one of its files and what stands there instead. */
export interface Mutant {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Faults that an evaluator of the language could have. */
export const MUTANTS: readonly Mutant[] = [
  { what: "35 digits", file: "rational.ts", from: "MOST_DIGITS = 34", to: "MOST_DIGITS = 35" },
  {
    what: "infinite fractions",
    file: "rational.ts",
    from: "if (decimal === null) return null;",
    to: "if (decimal === null) return value;",
  },
  {
    what: "halves up",
    file: "rational.ts",
    from: "multiply(absolute(value), factor)",
    to: "multiply(value, factor)",
  },
  {
    what: "quotients cut to whole numbers",
    file: "operators.ts",
    from: "arithmetic(a, b, divide)",
    to: "arithmetic(a, b, (c, d) => { const q = divide(c, d); return q && rational(q.numerator / q.denominator); })",
  },
  {
    what: "remainders of the sign of the divisor",
    file: "operators.ts",
    from: "rational(left % right)",
    to: "rational(((left % right) + right) % right)",
  },
  {
    what: "texts by the units of their encoding",
    file: "operators.ts",
    from: "holds(compareTexts(a.value, b.value))",
    to: "holds(a.value < b.value ? -1 : a.value > b.value ? 1 : 0)",
  },
  {
    what: "sizes by the units of the encoding",
    file: "functions.ts",
    from: "[...of.value].length",
    to: "of.value.length",
  },
  { what: "the platform's own trim", file: "functions.ts", from: 'text.replace(SPACES, "")', to: "text.trim()" },
  {
    what: "null that has() finds",
    file: "evaluate.ts",
    from: 'entry !== undefined && entry.value.kind !== "null"',
    to: "entry !== undefined",
  },
  {
    what: "awaited before unjudgeable",
    file: "evaluate.ts",
    from: 'find(({ kind }) => kind === "unjudgeable")',
    to: 'find(({ kind }) => kind === "awaited")',
  },
  {
    what: "a left side that ends the judgement",
    file: "evaluate.ts",
    from: "    seen.push(judged);",
    to: '    if (judged.kind !== "value") return judged;\n    seen.push(judged);',
  },
  {
    what: "filters that leave out what cannot be judged",
    file: "macros.ts",
    from: "return failureOf(tested.map(({ result }) => result)) ?? then(chosen);",
    to: "return then(chosen);",
  },
  {
    what: "one and no more than one until the second",
    file: "macros.ts",
    from: "chosen.length === 1",
    to: "chosen.length >= 1",
  },
  {
    what: "absence of a key that may be forgotten",
    file: "slots.ts",
    from: 'return notFound(view.slot.completeness, ifThere(view, found({ kind: "boolean", value: false })));',
    to: 'return found({ kind: "boolean", value: false });',
  },
  {
    what: "a size of what may be forgotten",
    file: "slots.ts",
    from: "return asWhole(value.slot.completeness, ifThere(value, known));",
    to: "return known;",
  },
  {
    what: "absence of a value that may be forgotten",
    file: "slots.ts",
    from: 'return found({ kind: "boolean", value: true });\n  return notFound(completeness, ',
    to: 'return found({ kind: "boolean", value: true });\n  return notFound("complete", ',
  },
  {
    what: 'keys 1 and "1" as one',
    file: "slots.ts",
    from: "equals(fromJson(candidate), key)",
    to: "String(candidate) === String(keyOf(key))",
  },
  { what: "months from one", file: "time.ts", from: "shown.getUTCMonth()]", to: "shown.getUTCMonth() + 1]" },
  {
    what: "the later of two local times",
    file: "zones.ts",
    from: "Math.min(...instants)",
    to: "Math.max(...instants)",
  },
  {
    what: "parts of a time without the session's zone",
    file: "functions.ts",
    from: 'zone?.value ?? timezone ?? "UTC"',
    to: 'zone?.value ?? "UTC"',
  },
  {
    what: "null that equals false",
    file: "value.ts",
    from: 'return b.kind === "null";',
    to: 'return b.kind === "null" || (b.kind === "boolean" && !b.value);',
  },
  { what: "ten times the steps", file: "steps.ts", from: "100_000", to: "2_000_000" },
  {
    what: "members of every object",
    file: "value.ts",
    from: "return entries.find((entry) => equals(entry.key, key));",
    to: 'return entries.find((entry) => equals(entry.key, key)) ?? (key.kind === "string" && key.value === "constructor" ? { key, value: boolean(true) } : undefined);',
  },
];
