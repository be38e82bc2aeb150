import { describe, expect, it } from "vitest";
import type { CompiledAggregate } from "../../../src/artifact/compiled.js";
import type { Json } from "../../../src/base/json.js";
import type { Watch } from "../../../src/guard/program/tool-effects.js";
import { contributionOf } from "../../../src/guard/session/aggregate.js";
import { loopKey } from "../../../src/guard/session/call-digest.js";
import { entityOf } from "../../../src/guard/session/entity.js";

const path = { kind: "definite", text: "$.v", steps: ["v"] } as const;
const watch: Watch = { index: 0, tool: "t", withOutput: [], resource: path };
const distinct: CompiledAggregate = {
  at: { file: "session.yaml", line: 1 },
  name: "values",
  metric: "count_distinct",
  tools: ["t"],
  path,
  gte: null,
  lte: 1,
  reason: "Few",
  when: [],
};

/** What a session keeps of a value under each of the rules that remember values. */
const KEPT: readonly (readonly [string, (v: Json) => string | null | undefined])[] = [
  ["the window of loop detection", (v) => loopKey("t", { v })],
  ["the entities of a precondition", (v) => entityOf(watch, { v })],
  ["distinct values", (v) => contributionOf(distinct, { v })?.distinct[0]],
];

describe.each(KEPT)("what is kept for %s", (_, keyOf) => {
  it("is short, however long the value is", () => {
    for (const value of ["x".repeat(1_000_000), Array.from({ length: 10_000 }, (_, n) => n), "\u0001".repeat(256)]) {
      expect(keyOf(value)?.length).toBeLessThan(300);
    }
  });

  it("is the same for equal values only", () => {
    const long = "x".repeat(100_000);
    expect(keyOf({ a: long, b: 1 })).toBe(keyOf({ b: 1, a: long }));
    expect(keyOf(`${long}y`)).not.toBe(keyOf(`${long}z`));
    expect(keyOf([`${long}y`])).not.toBe(keyOf(`${long}y`));
    expect(keyOf(keyOf(long) ?? null)).not.toBe(keyOf(long));
  });
});
