import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS } from "../../src/analysis/default-bounds.js";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { verify } from "../../src/analysis/verify.js";
import { PackRules } from "../../src/artifact/pack-rules.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";
import { withPack } from "../support/pack-text.js";
import { explored } from "./explored.js";

function packOf(aggregate: string, claims = ""): string {
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
phases: [{ name: open, initial: true }, { name: done, terminal: true }]
transitions: { open: [done] }
aggregates: [{ name: counted, tool: [pay, lend], reason: Bounded, ${aggregate} }]
#== pay.yaml (with the required fields)
side_effect: financial
transitions: { valid_in_phases: [open] }
#== lend.yaml (with the required fields)
side_effect: financial
transitions: { valid_in_phases: [open] }
#== end.yaml (with the required fields)
side_effect: write
preconditions: [{ requires_prior_tool: pay }]
transitions: { valid_in_phases: [open], advances_to: done }
${claims}`;
}

const COUNT = "metric: count, per: $.to, lte: 1";
const CLAIMS = `#== claims.yaml (with the required fields)
claims: [{ at_most: { tool: pay, calls: 1 } }, { always_possible: { reach: terminal } }]
`;

async function claimsOf(pack: string) {
  const { artifact, claims } = withPack(pack, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error("no artifact");
  const [found] = await verify(artifact, claims, DEFAULT_BOUNDS);
  return found?.claims.map(({ status }) => status);
}

describe("an aggregate with `per`", () => {
  it.each([
    "metric: sum, path: $.n, per: $.to, lte: 100",
    "metric: count, per: $.to, lte: 2",
    "metric: count_distinct, path: $.n, per: $.to, lte: 2",
    "metric: max, path: $.n, per: $.to.id, lte: 10",
    "metric: min, path: $.n, per: $.to, gte: 10",
  ])("is shown to refuse calls, and not all of them: %s", (aggregate) => {
    const found = explored(packOf(aggregate));
    expect([found.isAllowed("pay"), found.isAllowed("lend"), found.isAllowed("end")]).toEqual([true, true, true]);
    expect(found.reasons("pay")).toEqual(expect.arrayContaining(["aggregate_exceeded", "aggregate_unjudgeable"]));
    expect(found.seen("aggregate")).toBe("1 of 1");
  });

  it("does not limit the calls of a session, because further values have room", async () => {
    expect(await claimsOf(packOf(COUNT, CLAIMS))).toEqual(["violated", "no_counterexample"]);
    expect(await claimsOf(packOf(COUNT.replace("per: $.to, ", ""), CLAIMS))).toEqual(["proved", "violated"]);
  });

  it("is worded with the value that is counted apart", () => {
    const [pack] = artifactOf(packOf("metric: sum, path: $.n, per: $.to, lte: 100")).packs;
    const rules = pack === undefined ? [] : new PackRules(pack).all;
    expect(rules.map(sentenceOf)).toContain(
      "Over a session the sum of $.n of `pay` and `lend`, for each value of $.to apart, must stay at or below 100: Bounded.",
    );
  });

  it("is neither as strong as one without it nor weaker by reading, and shown to be looser by a session", async () => {
    const [together, apart] = [artifactOf(packOf("metric: count, lte: 1")), artifactOf(packOf(COUNT))];
    const options = { bounds: DEFAULT_BOUNDS, wording: sentenceOf };
    const [difference] = await diffPacks(together, apart, options);
    expect(difference?.changes).toMatchObject([{ direction: "unknown" }]);
    expect(difference).toMatchObject({ isLoosened: true });
    expect(await diffPacks(apart, apart, options)).toEqual([]);
  });
});
