import { describe, expect, it } from "vitest";
import { renderDifference } from "../../src/analysis/diff/render/render-difference.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Change, Difference, Divergence } from "../../src/analysis/difference.js";
import type { TraceStep } from "../../src/analysis/trace/trace.js";

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
  over: "call",
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
      direction: "weaker",
      at: { file: "pay.yaml", line: 9 },
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
      direction: "weaker",
      at: { file: "close.yaml", line: 4 },
    },
  ],
  divergences: [PAY],
  isLoosened: true,
  isTightened: false,
  isBounded: false,
  isSearched: true,
};

const REFUSED: Divergence = {
  ...PAY,
  now: "refused",
  over: "call",
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
Gate: loosened, or not shown to be as strong as before
  weaker: pay.yaml:9: The argument $.amount must be at most 700. [pay]
  weaker: close.yaml:4: Never after \`close\`. [look]
  weaker: the search found calls that are newly allowed [pay]

shop:
  loosened rule: The argument $.amount must be at most 700. [pay]
    before: The argument $.amount must be at most 600.
    after:  The argument $.amount must be at most 700.
  removed (loosened) rule: Never after \`close\`. [look]

  pay is allowed now
    responsible old rule: The argument $.amount must be at most 600.
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
    const found = { ...DIFFERENCE, divergences: [], isLoosened: false, isBounded: true };
    const text = renderDifference([found], "text");
    expect(text).toContain("Changed: no difference found, as far as the search went\n");
    expect(text).toContain("The search ended before it was complete: there may be more.");
    expect(text).toContain("  not shown to be as strong: the search reached a bound before it was complete\n");
    const read = renderDifference([{ ...found, isSearched: false }], "text");
    expect(read).toContain("Changed: calls that are judged differently were not searched for\n");
    expect(read).not.toContain("The search ended");
  });

  it("says that no call is judged differently only where every change says the same", () => {
    const [change] = DIFFERENCE.changes;
    if (change === undefined) throw new Error("no change");
    const found = { ...DIFFERENCE, divergences: [], isLoosened: false };
    const textOf = (...directions: readonly Change["direction"][]) =>
      renderDifference([{ ...found, changes: directions.map((direction) => ({ ...change, direction })) }], "text");
    expect(textOf("same", "same")).toMatch(/^No call is judged differently\nGate: by reading, every rule/);
    for (const direction of ["stronger", "weaker", "unknown"] as const) {
      expect(textOf("same", direction)).toMatch(/^Changed: no difference found, as far as the search went\n/);
    }
  });

  it("needs no search where reading shows that nothing is weaker", () => {
    const changes = DIFFERENCE.changes.map((change): Change => ({ ...change, direction: "stronger" }));
    const found = { ...DIFFERENCE, changes, divergences: [REFUSED], isLoosened: false, isBounded: true };
    expect(gateOf(found)).toEqual({ loosened: false, reasons: [] });
    expect(gateOf({ ...found, divergences: [PAY] }).reasons).toMatchObject([{ what: "call", tools: ["pay"] }]);
  });

  it("shows one session for calls of many tools that one rule stopped, and counts the tools", () => {
    const tools = Array.from({ length: 9 }, (_, at) => `tool${at}`);
    const divergences = tools.map((tool) => ({ ...PAY, tool }));
    const [change] = DIFFERENCE.changes;
    const changes = change === undefined ? [] : [{ ...change, tools }];
    const text = renderDifference([{ ...DIFFERENCE, changes, divergences }], "text");
    expect(text).toContain("Loosened: 9 calls are newly allowed\n");
    expect(text).toContain("[tool0, tool1, tool2, tool3, tool4 and 4 more]");
    expect(text).toContain("    the same of: tool1, tool2, tool3, tool4, tool5 and 3 more\n");
    expect(text.match(/is allowed now/g)).toHaveLength(1);
  });

  it("shows both directions, and why a call is refused", () => {
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

/** Code as it ends where it began: between runs of as many backticks. */
const CODE = /(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g;

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
      .replaceAll(CODE, "")
      .replaceAll(/<\/?(?:details|summary)>/g, "")
      .replaceAll(/^\| (?:change|---).*$/gm, "")
      .replaceAll(/&(?:[a-z]+|#[0-9]+);/g, "");
    expect(own).not.toMatch(/[<>[\]`@!_$]|:\/|:cat|www\./);
    expect(rendered.match(/<details>/g)).toHaveLength(1);
    expect(own.match(/^#/gm)).toHaveLength(1);
  });
});

describe("JSON in markdown", () => {
  const value = '[{"a":"x|y","b":"`<b>`"}]';
  const setting: Change = {
    kind: "changed",
    what: "setting",
    name: "allowed errors",
    tools: ["pay"],
    before: "[]",
    after: `${value}\n| c |`,
    oldRule: null,
    newRule: null,
    direction: "unknown",
    at: null,
  };
  const lines = renderDifference([{ ...DIFFERENCE, changes: [setting] }], "markdown").split("\n");

  it("is shown as code, in the table, in the reasons and in the sessions", () => {
    const shown = '``[{"a":"x\\|y","b":"`<b>`"}]\ufffd\\| c \\|``';
    expect(lines).toContain(
      `| changed (not shown to be as strong) | setting: allowed errors | pay | \`[]\` | ${shown} |`,
    );
    expect(lines).toContain(`- not shown to be as strong: \`\`allowed errors: [] → ${shown.slice(2, -2)}\`\` (pay)`);
    expect(lines).toContain('4. pay `{"amount":700}`: allowed, answers `{}`');
  });

  it("keeps a row of a table a row", () => {
    const row = lines.find((line) => line.includes("setting: allowed errors"));
    expect(row?.match(/(?<!\\)\|/g)).toHaveLength(6);
  });

  it("shows the names in a sentence as code too", () => {
    const removed = renderDifference([DIFFERENCE], "markdown")
      .split("\n")
      .find((line) => line.includes("removed"));
    expect(removed).toContain("Never after `close`.");
  });
});

describe("a difference as JSON", () => {
  it("is the value itself, with what the gate makes of it", () => {
    expect(JSON.parse(renderDifference([DIFFERENCE], "json"))).toEqual([{ ...DIFFERENCE, gate: gateOf(DIFFERENCE) }]);
    expect(renderDifference([], "json")).toBe("[]\n");
  });
});
