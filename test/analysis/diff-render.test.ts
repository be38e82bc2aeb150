import { describe, expect, it } from "vitest";
import { renderDifference } from "../../src/analysis/diff/render-difference.js";
import type { Difference, Divergence } from "../../src/analysis/difference.js";
import type { TraceStep } from "../../src/analysis/trace.js";

const LOOK: TraceStep = {
  kind: "call",
  tool: "look",
  args: { item: "tea" },
  verdict: { kind: "allow" },
  outcome: { kind: "result", output: { price: 3 } },
  phase: "open",
};

const PAY: Divergence = {
  tool: "pay",
  now: "allowed",
  rule: "The argument $.amount must be at most 600.",
  ruleId: "argument_invariant@pay.yaml:9",
  trace: {
    principal: { team: "sales" },
    env: {},
    steps: [
      LOOK,
      LOOK,
      { kind: "label", label: "vip", phase: "open" },
      { ...LOOK, tool: "pay", args: { amount: 700 }, outcome: { kind: "result", output: {} } },
    ],
  },
};

const DIFFERENCE: Difference = {
  pack: "shop",
  changes: [
    {
      kind: "loosened",
      what: "rule",
      name: "The argument $.amount must be at most 700.",
      tools: ["pay"],
      before: "The argument $.amount must be at most 600.",
      after: "The argument $.amount must be at most 700.",
      oldRule: "argument_invariant@pay.yaml:9",
      newRule: "argument_invariant@pay.yaml:9",
    },
    {
      kind: "removed",
      what: "rule",
      name: "Never after `close`.",
      tools: ["look"],
      before: "Never after `close`.",
      after: null,
      oldRule: "f",
      newRule: null,
    },
  ],
  divergences: [PAY],
  isLoosened: true,
  isTightened: false,
  isBounded: false,
};

const REFUSED: Divergence = {
  ...PAY,
  now: "refused",
  trace: {
    ...PAY.trace,
    steps: [
      {
        ...LOOK,
        tool: "pay",
        verdict: { kind: "block", reason: "aggregate_exceeded", rule: null, required: "", found: "" },
        outcome: null,
      },
    ],
  },
};

describe("a difference as text", () => {
  it("has the verdict first, then the changes, then each session step by step", () => {
    expect(renderDifference([DIFFERENCE], "text")).toBe(`Loosened: 1 call is newly allowed

shop:
  loosened rule: The argument $.amount must be at most 700. [pay]
    before: The argument $.amount must be at most 600.
    after:  The argument $.amount must be at most 700.
  removed (loosened) rule: Never after \`close\`. [look]

  pay is allowed now
    the old rule that stood in the way: The argument $.amount must be at most 600.
    1. principal {"team":"sales"}
    2. look {"item":"tea"}: allowed, answers {"price":3} (2 times)
    3. the session gets the label "vip"
    4. pay {"amount":700}: allowed, answers {}
`);
  });

  it("says that there is none", () => {
    expect(renderDifference([], "text")).toBe("No difference\n");
  });

  it("says how far it looked", () => {
    const text = renderDifference([{ ...DIFFERENCE, divergences: [], isBounded: true }], "text");
    expect(text).toContain("No call is judged differently, as far as the search went\n");
    expect(text).toContain("The search ended before it was complete: there may be more.");
  });

  it("tells both directions, and why a call is refused", () => {
    const text = renderDifference([{ ...DIFFERENCE, divergences: [PAY, PAY, REFUSED] }], "text");
    expect(text).toContain("Loosened and tightened: 2 calls are newly allowed, 1 newly refused\n");
    expect(text).toContain("pay is refused now");
    expect(text).toContain("refused (aggregate_exceeded)");
  });

  it("lets no control character through, and cuts long values", () => {
    const steps = [{ ...LOOK, args: { item: "x".repeat(500) } }];
    const text = renderDifference(
      [{ ...DIFFERENCE, pack: "a\u001b[31m\nb\u202e", divergences: [{ ...PAY, trace: { ...PAY.trace, steps } }] }],
      "text",
    );
    expect(text).toContain("a\ufffd[31m\ufffdb\ufffd:");
    expect(text).toContain("… (500 characters)");
    expect(text).not.toContain("x".repeat(100));
  });
});

describe("a difference as markdown", () => {
  it("has the verdict first, a table of changes, and each session in a collapsed block", () => {
    const lines = renderDifference([DIFFERENCE], "markdown").split("\n");
    expect(lines[0]).toBe("**Loosened: 1 call is newly allowed**");
    expect(lines).toContain("| change | of | tools | before | after |");
    expect(lines.filter((line) => line.startsWith("| "))).toHaveLength(4);
    expect(lines).toContain("<summary>pay is allowed now</summary>");
    expect(lines.filter((line) => line === "<details>")).toHaveLength(1);
    expect(lines.filter((line) => line === "</details>")).toHaveLength(1);
  });

  it("takes nothing in a pack for markup", () => {
    const hostile = "</details><img src=x> | [a](http://b) `c` *d* @team ![e](f) :cat: $x$ www.b.c\n# g";
    const [change] = DIFFERENCE.changes;
    const changes =
      change === undefined ? [] : [{ ...change, name: hostile, before: hostile, after: hostile, tools: [hostile] }];
    const divergences = [{ ...PAY, tool: hostile, rule: hostile }];
    const rendered = renderDifference([{ ...DIFFERENCE, pack: hostile, changes, divergences }], "markdown");
    const own = rendered
      .replaceAll(/<\/?(?:details|summary)>/g, "")
      .replaceAll(/^\| (?:change|---).*$/gm, "")
      .replaceAll(/&(?:[a-z]+|#[0-9]+);/g, "");
    expect(own).not.toMatch(/[<>[\]`@!_$]|:\/|:cat|www\./);
    expect(rendered.match(/<details>/g)).toHaveLength(1);
    expect(own.match(/^#/gm)).toHaveLength(1);
  });
});

describe("a difference as JSON", () => {
  it("is the value itself", () => {
    expect(JSON.parse(renderDifference([DIFFERENCE], "json"))).toEqual([DIFFERENCE]);
    expect(renderDifference([], "json")).toBe("[]\n");
  });
});
