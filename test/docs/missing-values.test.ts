import { describe, expect, it } from "vitest";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { createGuard } from "../../src/guard/guard.js";
import { sectionOf, tableRows, textOf } from "../support/documents.js";
import { withPack } from "../support/pack-text.js";

const ROWS = tableRows(sectionOf(textOf("docs/contract-language.md"), "### Expressions"));
const OF_MEMBERS = ROWS.filter(
  ([expression = "", ...columns]) => expression.includes("x.name") && columns.length === 3,
);
const OF_SLOTS = ROWS.filter(
  ([expression = "", ...columns]) => /slots\.(?:plain|keyed|union)/.test(expression) && columns.length === 1,
);

/** What the guard says of an expression, in the words of the tables. */
async function judged(expression: string, args: object): Promise<string> {
  const that = JSON.stringify(expression.replaceAll(/[`\\]/g, "").replaceAll("x.", "args."));
  const text = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== look.yaml (with the required fields)
binds:
  - { name: plain, source: output, path: $.id }
  - { name: keyed, source: output, path: $.id, key: $.id }
  - { name: union, source: output, path: $.id, collect: union }
#== use.yaml (with the required fields)
requires: [{ that: ${that}, reason: As the table says }]
`;
  const { artifact, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const guard = await createGuard(artifact);
  const verdict = await guard.propose({ tool: "use", args });
  if (verdict.kind === "allow") return "true";
  if (verdict.kind !== "block") throw new Error("there is no checkpoint");
  return verdict.reason === "requirement_failed" ? "false" : "cannot be judged";
}

const SURE = { yes: true, no: false };

describe("what docs/contract-language.md says of missing values", () => {
  it("is a table of members and one of slots", () => {
    expect([OF_MEMBERS.length, OF_SLOTS.length]).toEqual([14, 7]);
  });

  it.each(OF_MEMBERS)("%s: missing %s, null %s, another kind %s", async (expression = "", ...expected) => {
    const values = [{}, { name: null }, { name: true }];
    const found = await Promise.all(values.map((args) => judged(expression, { ...args, ...SURE })));
    expect(found).toEqual(expected);
  });

  it.each(OF_SLOTS)("%s: %s", async (expression = "", expected) => {
    expect(await judged(expression, {})).toBe(expected);
  });
});
