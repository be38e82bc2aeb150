import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
slot_limits: { offer: 5 }
#== get.yaml (with the required fields)
binds:
  - { name: offer, source: output, path: "$[*]", key: [{ source: arguments, path: $.date }, "@.number"] }
  - { name: last, path: $.text, decode: json }
#== act.yaml (with the required fields)
argument_value_invariants: [{ path: $.last, ref: last }]
unbinds: [{ name: offer, key: $.date }, { name: last }]
`;

async function difference(before: string, after: string): Promise<string> {
  return inPack(before, (old) => inPack(after, async (next) => (await waitForCli(["diff", old, next])).stdout));
}

describe("a difference between packs with keyed slots", () => {
  it("is none if nothing changed", async () => {
    expect(await difference(PACK, PACK)).toContain("No difference");
  });

  it.each([
    [
      "what is unbound",
      "{ name: offer, key: $.date }, ",
      "",
      "unbinds: last, offer[arguments $.date]",
      "unbinds: last",
    ],
    ["how much is kept", "offer: 5", "offer: 6", "slot limits: offer 5", "after: offer 6"],
    [
      "where a value is bound",
      '"@.number"',
      '"@.id"',
      "last = arguments $.text decoded, offer[arguments $.date][@.number] = output $[*]",
      "[@.id]",
    ],
  ])("shows %s", async (_, before, after, old, next) => {
    const text = await difference(PACK, PACK.replace(before, after));
    expect(text).not.toContain("No difference");
    for (const words of [old, next]) expect(text.replace(/\s+/g, " ")).toContain(words);
  });
});

describe("the gate on an argument that is no longer bound", () => {
  const BINDS =
    '#== session.yaml (with the required fields)\nschema_version: "1.1"\n#== pay.yaml (with the required fields)\n';
  const asked = (path: string) =>
    `assertions: { input_invariants: [{ path: "${path}", exists: true }], output_invariants: [] }\n`;

  async function exitCode(bind: string, path: string): Promise<number> {
    const [before, after] = [`${BINDS}binds: [${bind}]\n`, `${BINDS}${asked(path)}`];
    return inPack(before, (old) =>
      inPack(
        after,
        async (next) => (await waitForCli(["diff", "--no-search", "--fail-on", "loosened", old, next])).code,
      ),
    );
  }

  it.each([
    ["had to be JSON", "{ name: memo, path: $.memo, decode: json }", "$.memo"],
    ["had to be a key", "{ name: memo, source: output, path: $.memo, key: { source: arguments, path: $.id } }", "$.id"],
    ["had to hold keys", '{ name: memo, path: "$.list[*]", key: "@.id" }', "$.list[*]"],
  ])("fails where it %s, and now only has to be there", async (_, bind, path) => {
    expect(await exitCode(bind, path)).toBe(1);
  });

  it("passes where it only had to be there", async () => {
    expect(await exitCode("{ name: memo, path: $.memo }", "$.memo")).toBe(0);
  });
});
