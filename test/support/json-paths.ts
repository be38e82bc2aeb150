import type { Json } from "../../src/base/json.js";
import type { JsonPath } from "../../src/base/json-path.js";
import { parseJsonPath } from "../../src/language/json-path.js";
import { fc } from "./fast-check.js";

/** The path of a text; another text fails the test. */
export function pathOf(text: string): JsonPath {
  const result = parseJsonPath(text);
  if (!result.ok) throw new Error(`${text} is not a path`);
  return result.path;
}

const keys = fc.constantFrom("a", "b", "c", "__proto__");

/** Small values of few names, so that paths often find something. */
export const document: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.integer({ min: 0, max: 9 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

const bound = fc.constantFrom("", "0", "1", "-1", "-2", "3");
const selector = fc.oneof(
  fc.constantFrom("*", "'a'", "'b'", "'__proto__'", "0", "1", "-1", "-3"),
  fc.tuple(bound, bound, fc.constantFrom("", ":1", ":2", ":-1", ":-2", ":0")).map(([a, b, c]) => `${a}:${b}${c}`),
);

/** The texts of paths with segments that begin so: "" for children, ".." for descendants. */
export function pathTexts(...leads: readonly string[]): fc.Arbitrary<string> {
  const segment = fc
    .tuple(fc.constantFrom(...leads), fc.array(selector, { minLength: 1, maxLength: 2 }))
    .map(([lead, selectors]) => `${lead}[${selectors.join(",")}]`);
  return fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `$${segments.join("")}`);
}
