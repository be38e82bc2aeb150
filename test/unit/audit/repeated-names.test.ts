import { expect, it } from "vitest";
import { repeatsNames } from "../../../src/audit/repeated-names.js";
import { fc } from "../../support/fast-check.js";

it("is not the case of any text that was written from a value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.nat(2), (value, indent) => {
      expect(repeatsNames(JSON.stringify(value, null, indent), JSON.parse(JSON.stringify(value)))).toBe(false);
    }),
  );
});

it.each([
  ['{"a":1,"a":2}', true],
  ['[{"b":{"\\\\":1,"\\u005c":1}}]', true],
  ['{"__proto__":1,"__proto__":2}', true],
  ['{"__proto__":1,"a":"\\":\\\\","\\"":":"}', false],
  [`${"[".repeat(5_000)}{"a":1,"a":1}${"]".repeat(5_000)}`, true],
])("is found in %s", (text, isRepeated) => {
  expect(repeatsNames(text, JSON.parse(text))).toBe(isRepeated);
});
