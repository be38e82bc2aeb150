import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ANALYSIS_RULES, RULES } from "../../src/compiler/rules/index.js";

it("docs/analysis.md names every finding of the analysis, and none that is no finding", () => {
  const text = readFileSync(new URL("../../docs/analysis.md", import.meta.url), "utf8");
  const table = text.slice(text.indexOf("| about |"), text.indexOf("A finding that is meant"));
  const named = new Set([...table.matchAll(/`([a-z_]+)`/g)].map(([, code = ""]) => code));
  expect(ANALYSIS_RULES.map(({ code }) => code).filter((code) => !named.has(code))).toEqual([]);
  expect([...named].filter((code) => !RULES.some((rule) => rule.code === code))).toEqual([]);
});
