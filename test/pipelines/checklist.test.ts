import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** How many requirements the checklist of the wire contract has. */
const REQUIREMENTS = 91;

/** The numbers in front of a test's name: `7: …`, `83, 84: …`, `62 to 65: …`. */
function numbersOf(name: string): readonly number[] {
  const [, list = ""] = /^((?:\d+(?:, | to )?)+): /.exec(name) ?? [];
  return list.split(", ").flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split(" to ").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

it("every requirement of the wire contract has a test that is named after its number", () => {
  const folder = new URL("./", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  const names = files.flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/["`](\d[^"`\n]*)/g)].map(([, name = ""]) => name),
  );
  const tested = new Set(names.flatMap(numbersOf));
  const missing = Array.from({ length: REQUIREMENTS }, (_, index) => index + 1).filter((number) => !tested.has(number));
  expect(missing).toEqual([]);
});
