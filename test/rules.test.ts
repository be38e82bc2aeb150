import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { RULES } from "../src/compiler/rules/index.js";
import { expectGolden } from "./support/golden.js";
import { FIXTURES, folderOf, invalidFixtures, outputOf, read, validFixtures } from "./support/rule-fixtures.js";

describe.each(RULES.map(({ code }) => code))("%s", (code) => {
  it("has an invalid and a valid fixture", () => {
    expect(invalidFixtures(code)).not.toEqual([]);
    expect(validFixtures(code)).not.toEqual([]);
  });

  it.each(invalidFixtures(code).map((file) => [basename(file), file]))("reports %s exactly so", (_, file) => {
    const output = outputOf(code, read(file));
    expect(output).toContain(`[${code}]`);
    expectGolden(file.replace(/\.yaml$/, ".out"), output);
  });

  it.each(validFixtures(code).map((file) => [basename(file), file]))("finds nothing in %s", (_, file) => {
    expect(outputOf(code, read(file))).toBe("");
  });
});

describe("the fixtures", () => {
  it("belong to a rule each", () => {
    const folders = RULES.map(({ code }) => basename(folderOf(code)));
    expect(readdirSync(FIXTURES).filter((name) => !folders.includes(name))).toEqual([]);
  });

  it("have no output without its pack", () => {
    const stray = RULES.flatMap(({ code }) =>
      readdirSync(folderOf(code)).filter(
        (name) => !/^(?:invalid[a-z0-9-]*\.(?:yaml|out)|valid[a-z0-9-]*\.yaml)$/.test(name),
      ),
    );
    expect(stray).toEqual([]);
  });
});
