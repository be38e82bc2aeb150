import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CAPS, SIMPLIFICATIONS } from "../../src/analysis/model/caps.js";
import { ARGUMENTS } from "../../src/analysis/proof/proof.js";
import { ANALYSIS_RULES, RULES } from "../../src/compiler/rules/index.js";

/** Numbers of these leave nothing out of a search: they shorten what is shown, or weigh what is better. */
const UNCUT: ReadonlySet<string> = new Set([
  "expression/possible-values.ts",
  "expression/value-repair.ts",
  "sequence/numbers.ts",
  "sequence/relaxed-pack.ts",
  "state/clock.ts",
  "trace/example-values.ts",
  "trace/shorten.ts",
  "trace/trace-words.ts",
  "values/value-search.ts",
]);

it("docs/analysis.md names every finding of the analysis, and none that is no finding", () => {
  const text = readFileSync(new URL("../../docs/analysis.md", import.meta.url), "utf8");
  const table = text.slice(text.indexOf("| about |"), text.indexOf("A finding that is meant"));
  const named = new Set([...table.matchAll(/`([a-z_]+)`/g)].map(([, code = ""]) => code));
  expect(ANALYSIS_RULES.map(({ code }) => code).filter((code) => !named.has(code))).toEqual([]);
  expect([...named].filter((code) => !RULES.some((rule) => rule.code === code))).toEqual([]);
});

it("docs/analysis.md lists every bound, simplification and argument of verifying, as they are", () => {
  const text = readFileSync(new URL("../../docs/analysis.md", import.meta.url), "utf8");
  const rows = new Set(text.split("\n"));
  const bounds = Object.entries(CAPS).map(
    ([name, { most, leaves }]) => `| \`${name}\` | ${Number.isFinite(most) ? most : "given"} | ${leaves} |`,
  );
  const simplified = Object.entries(SIMPLIFICATIONS).map(([name, words]) => `| \`${name}\` | ${words} |`);
  expect([...bounds, ...simplified].filter((row) => !rows.has(row))).toEqual([]);
  const table = text.slice(text.indexOf("### The arguments"), text.indexOf("### What the searches leave out"));
  const cells = table.split("\n").map((row) => row.split("|")[1] ?? "");
  const named = new Set(cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name)));
  expect([...named].filter((name) => name !== "by").sort()).toEqual([...ARGUMENTS].sort());
});

it("no number of src/analysis cuts a list off but those that are recorded", () => {
  const folder = new URL("../../src/analysis/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.startsWith("diff") && !UNCUT.has(file),
  );
  const constants = files.flatMap((file) => {
    const lines = readFileSync(new URL(file, folder), "utf8").split("\n");
    return lines.filter((line) => /^(?:export )?const [A-Z_]+ = \d/.test(line)).map((line) => `${file}: ${line}`);
  });
  expect(constants).toEqual([]);
});
