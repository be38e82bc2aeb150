import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Difference } from "../../src/analysis/difference.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

function compiled(body: string): Artifact {
  const text = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
${body}`;
  const { artifact } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(text);
  return artifact;
}

function differences(before: string, after: string): Promise<readonly Difference[]> {
  return diffPacks(compiled(before), compiled(after), { bounds: null, wording: ({ id }) => id });
}

async function isLoosened(before: string, after: string): Promise<boolean> {
  return (await differences(before, after)).some((difference) => gateOf(difference).loosened);
}

const required = (that: string, more = "") => `${more}requires:\n  - { that: "${that}", reason: Small amounts only }\n`;
const ensured = (that: string) => `ensures:\n  - { that: "${that}", reason: Never more than asked for }\n`;
const asked = (that: string) => `checkpoint:\n  when: [{ that: "${that}" }]\n  timeout_seconds: 60\n`;

describe("the difference between two expressions", () => {
  it.each([
    ["requires", required("args.amount <= 5"), required("args.amount <= 6")],
    ["ensures", ensured("output.paid <= 5"), ensured("output.paid <= 6")],
    ["a condition of a checkpoint", asked("args.amount > 5"), asked("args.amount > 6")],
    ["requires that is gone", required("args.amount <= 5"), ""],
    ["ensures that is gone", ensured("output.paid <= 5"), ""],
    [
      "a changed let",
      required("small", "let: { small: args.amount <= 5 }\n"),
      required("small", "let: { small: args.amount <= 6 }\n"),
    ],
  ])("counts as loosening: %s", async (_, before, after) => {
    expect(await isLoosened(before, after)).toBe(true);
  });

  it.each([
    ["space and brackets", required("args.amount <= 5"), required("( args.amount<=5.0 )")],
    ["a let", required("args.amount <= 5"), required("small", "let: { small: args.amount <= 5 }\n")],
    [
      "another condition beside it",
      asked("args.amount > 5"),
      `checkpoint:\n  when: [{ that: args.amount > 5 }, { that: args.vip }]\n  timeout_seconds: 60\n`,
    ],
    [
      "one more requirement",
      required("args.amount <= 5"),
      `${required("args.amount <= 5")}  - { that: args.vip, reason: For some }\n`,
    ],
  ])("does not matter where only this changed: %s", async (_, before, after) => {
    expect(await isLoosened(before, after)).toBe(false);
  });
});
