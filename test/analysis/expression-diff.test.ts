import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { headline } from "../../src/analysis/diff/static/difference-words.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";

/** What the search says about a change, one line for each call. */
async function found(before: string, after: string): Promise<readonly string[]> {
  const bounds = { depth: 20, states: 200 };
  const differences = await diffPacks(artifactOf(before), artifactOf(after), { bounds, wording: sentenceOf });
  return differences.flatMap(({ divergences }) => divergences.map(headline)).sort();
}

function requiring(that: string): string {
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
#== look_up.yaml (with the required fields)
binds: [{ name: entry, source: output, path: $, key: $.id }]
#== use.yaml (with the required fields)
requires: [{ that: '${that}', reason: A rule }]
`;
}

function ensuring(that: string): string {
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
ensures: [{ that: '${that}', reason: A rule }]
`;
}

function asking(that: string): string {
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
checkpoint: { when: [{ that: '${that}' }], timeout_seconds: 60 }
`;
}

function constant(most: number): string {
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
constants: { most: ${most} }
#== pay.yaml (with the required fields)
requires: [{ that: args.amount <= constants.most, reason: A rule }]
ensures: [{ that: output.paid <= constants.most, reason: A rule }]
`;
}

describe("a changed expression", () => {
  it("is shown by a call between the old and the new border", { timeout: 60_000 }, async () => {
    expect(await found(requiring("args.amount <= 100"), requiring("args.amount <= 200"))).toEqual([
      "use is allowed now",
    ]);
    expect(await found(requiring("args.amount <= 200"), requiring("args.amount <= 100"))).toEqual([
      "use is refused now",
    ]);
  });

  it("is shown by an earlier answer that only one of them accepts", { timeout: 60_000 }, async () => {
    const one = requiring('slots.entry[args.id].status == "pending"');
    const two = requiring('slots.entry[args.id].status != "pending"');
    expect(await found(one, two)).toContain("use is allowed now");
    expect(await found(two, one)).toContain("use is refused now");
  });

  it("is shown by a further value that a list of the new one has", { timeout: 60_000 }, async () => {
    const one = requiring('slots.entry[args.id].status == "pending"');
    const two = requiring('slots.entry[args.id].status in ["pending", "held"]');
    expect(await found(one, two)).toContain("use is allowed now");
    expect(await found(two, one)).toContain("use is refused now");
  });

  it("is shown by a call that only one of them asks about", { timeout: 60_000 }, async () => {
    const [one, two] = [asking("args.amount > 100"), asking("args.amount > 200")];
    expect(await found(one, two)).toEqual(["pay is allowed now"]);
    expect(await found(two, one)).toEqual(["pay needs an approval now"]);
    const [kind, kinds] = [asking('args.kind == "a"'), asking('args.kind in ["a", "b"]')];
    expect(await found(kinds, kind)).toEqual(["pay is allowed now"]);
  });

  it("is shown at a time, or with a label, that only one of them accepts", { timeout: 60_000 }, async () => {
    const [six, seven] = [requiring("now.getHours() < 18"), requiring("now.getHours() < 19")];
    expect(await found(six, seven)).toEqual(["use is allowed now"]);
    expect(await found(seven, six)).toEqual(["use is refused now"]);
    const [some, none] = [requiring('!("a" in labels)'), requiring('!("a" in labels) && !("b" in labels)')];
    expect(await found(none, some)).toEqual(["use is allowed now"]);
  });

  it("is shown where only a constant in it changed", { timeout: 60_000 }, async () => {
    const [one, two] = [constant(100), constant(200)];
    expect(await found(one, two)).toEqual(["the result of pay is returned now", "pay is allowed now"].sort());
    expect(await found(two, one)).toEqual(["the result of pay is withheld now", "pay is refused now"].sort());
  });

  it("is shown by a result that is compared with the arguments", { timeout: 60_000 }, async () => {
    const [one, two] = [ensuring("output.paid <= args.amount"), ensuring("output.paid <= args.amount + 5")];
    expect(await found(one, two)).toEqual(["the result of pay is returned now"]);
    expect(await found(two, one)).toEqual(["the result of pay is withheld now"]);
  });

  it("is shown by a result that is withheld under one of them", { timeout: 60_000 }, async () => {
    const [one, two] = [ensuring("output.paid <= 100"), ensuring("output.paid <= 200")];
    expect(await found(one, two)).toEqual(["the result of pay is returned now"]);
    expect(await found(two, one)).toEqual(["the result of pay is withheld now"]);
  });
});
