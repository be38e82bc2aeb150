import { describe } from "vitest";
import { lines, type RefusedPack, sessionText, testAccepted, testRefused, toolText } from "../support/hostile-pack.js";

const SESSION = sessionText({ schema_version: '"1.1"' });

/** Entries of `requires`, each a block. */
function entries(count: number, expression: (index: number) => string): string {
  return `\n${lines(count, (index) => `  - that: |\n      ${expression(index)}\n    reason: r`)}`;
}

function withExpressions(what: string, count: number, expression: (index: number) => string) {
  const files = () => ({ "session.yaml": SESSION, "t.yaml": toolText({ requires: entries(count, expression) }) });
  return { what, files };
}

function withLets(what: string, lets: () => string, expression: string) {
  const files = () => ({
    "session.yaml": SESSION,
    "t.yaml": toolText({ let: `\n${lets()}`, requires: entries(1, () => expression) }),
  });
  return { what, files };
}

const refused = (pack: Omit<RefusedPack, "code">, code: string): RefusedPack => ({ ...pack, code });

describe("expressions that are deep or long", () => {
  testRefused([
    refused(
      withExpressions("200 chains of `!`", 200, () => `${"!".repeat(4000)}args.a`),
      "expression_too_large",
    ),
    refused(
      withExpressions("200 towers of brackets", 200, () => "(".repeat(4000)),
      "expression_too_large",
    ),
    refused(
      withExpressions("200 towers of lists", 200, () => "[".repeat(4000)),
      "expression_too_large",
    ),
    refused(
      withExpressions("members of members", 200, () => `args${".a".repeat(2000)}`),
      "expression_too_large",
    ),
    refused(
      withExpressions("a chain of choices", 200, () => "true ? ".repeat(580)),
      "expression_too_large",
    ),
    refused(
      withExpressions("a megabyte", 1, () => `args.a == "${"x".repeat(1_000_000)}"`),
      "expression_too_large",
    ),
    refused(
      withExpressions("quotes that never close", 200, () => '"""'.repeat(1300)),
      "bad_expression",
    ),
    refused(
      withExpressions("escapes that are none", 200, () => `"${"\\q".repeat(2000)}"`),
      "bad_expression",
    ),
    refused(
      withExpressions("macros within each other", 100, () => `${"args.a.all(x, ".repeat(60)}true${")".repeat(60)}`),
      "expression_too_large",
    ),
    refused(
      {
        what: "expressions of a session with many tools",
        files: () => ({
          "session.yaml": sessionText({
            schema_version: '"1.1"',
            requires: entries(100, (index) => `1${" + 1".repeat(240)} < args.a + ${index}`),
          }),
          ...Object.fromEntries(
            Array.from({ length: 100 }, (_, index) => [`t${index}.yaml`, toolText({}, `t${index}`)]),
          ),
        }),
      },
      "expression_too_large",
    ),
  ]);
  testAccepted([
    withExpressions("indices of indices", 20, () => `args${'["a"]'.repeat(140)} == 1`),
    withExpressions("nested repetition in patterns", 20, () => 'args.a.matches(r"(((a+)+)+)+$")'),
    withExpressions("names of the prototype", 1, () => 'args.__proto__.constructor == args["__proto__"]'),
  ]);
});

describe("names for expressions", () => {
  testRefused([
    refused(
      withLets("that double", () => `  x0: args.a\n${lines(3000, (n) => `  x${n + 1}: x${n} + x${n}`)}`, "x3000 > 1"),
      "expression_too_large",
    ),
    refused(
      withLets("in a long row", () => `${lines(3000, (n) => `  x${n}: x${n + 1}`)}  x3000: args.a\n`, "x0"),
      "expression_too_large",
    ),
    refused(
      withLets("in a long cycle", () => `${lines(90, (n) => `  x${n}: x${n + 1}`)}  x90: x0\n`, "x0"),
      "let_cycle",
    ),
    refused(
      withLets("of the prototype", () => "  __proto__: args.a\n  constructor: args.b\n", "constructor"),
      "bad_let_name",
    ),
  ]);
  testAccepted([
    withLets("in a long row the other way", () => `  x0: args.a\n${lines(3000, (n) => `  x${n + 1}: x${n}`)}`, "x3000"),
  ]);
});
