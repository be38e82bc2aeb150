import { describe, expect, it } from "vitest";
import { explored } from "../explored.js";

const SESSION = `#== session.yaml (with the required fields)
schema_version: "1.1"
`;

function tool(name: string, more: string): string {
  return `#== ${name}.yaml (with the required fields)\nside_effect: write\ngate: allow\n${more}\n`;
}

/** Each price at most a tenth from the one before. */
function chain(last: string): string {
  const step = (name: string, before: string, own: string, more = "") =>
    tool(
      name,
      `argument_value_invariants: [{ path: $.price, ref: ${before}, tolerance: 0.1 }${more}]
binds: [{ name: ${own}, source: arguments, path: $.price }]`,
    );
  return `${SESSION}${tool("list", `argument_value_invariants: [{ path: $.price, one_of: [100] }]\nbinds: [{ name: first, source: arguments, path: $.price }]`)}${step("raise", "first", "second")}${step("raise_again", "second", "third")}${step("sell", "third", "fourth", `, { path: $.price, gte: ${last} }`)}`;
}

const ENVELOPES = ["a", "b", "c", "d", "e", "f"];

/** One call that is compared with a value of six calls before. */
function envelopes(floor: number): string {
  const stages = ENVELOPES.map(
    (name) =>
      `  - { name: near_${name}, constraint: within_band, band: 0.1, reason: Near, stages: [{ tool: quote_${name}, path: $.${name}, role: anchor }, { tool: order, path: $.${name}, role: constrained }] }`,
  );
  const quotes = ENVELOPES.map((name) =>
    tool(`quote_${name}`, `argument_value_invariants: [{ path: $.${name}, gte: 10, lte: 20 }]`),
  );
  const order = tool(
    "order",
    `requires: [{ that: "args.a + args.b + args.c + args.d + args.e + args.f >= ${floor}", reason: Enough }]`,
  );
  return `${SESSION}envelopes:\n${stages.join("\n")}\n${quotes.join("")}${order}`;
}

function items(total: number): string {
  const order = tool(
    "order",
    `argument_value_invariants: [{ path: "$.lines[*].amount", gte: 1, lte: 40 }]
requires:
  - { that: "args.lines.map(l, l.amount).sum() == ${total}.0 && args.lines.size() == 3", reason: As agreed }
  - { that: "args.lines[0].amount > args.lines[1].amount && args.lines[1].amount > args.lines[2].amount", reason: In order }`,
  );
  return `${SESSION}${order}`;
}

function payments(bounds: string): string {
  const pay = tool("pay", `argument_value_invariants: [{ path: $.amount, gte: 30, lte: 40 }]`);
  return `${SESSION}aggregates: [{ name: paid, metric: sum, tool: pay, path: $.amount, ${bounds}, reason: Bounded }]\n${pay}`;
}

function whole(total: number): string {
  const order = tool(
    "order",
    `argument_value_invariants: [{ path: $.pairs, type: integer, gte: 0, lte: 9 }, { path: $.triples, type: integer, gte: 0, lte: 9 }]
requires: [{ that: "2 * args.pairs + 3 * args.triples == ${total} && args.pairs > args.triples", reason: All of them }]`,
  );
  return `${SESSION}${order}`;
}

describe("numbers of calls that hang on each other are computed", () => {
  it.each<[string, string, string, boolean]>([
    ["a chain of tolerances up to its end", chain("133.1"), "sell", true],
    ["a chain of tolerances past its end", chain("133.2"), "sell", false],
    ["six envelopes at their upper ends", envelopes(132), "order", true],
    ["six envelopes past their upper ends", envelopes(132.1), "order", false],
    ["a sum of items", items(117), "order", true],
    ["a sum of items that are too small", items(120), "order", false],
    ["whole numbers", whole(17), "order", true],
    ["no such whole numbers", whole(1), "order", false],
  ])("%s", (_, pack, name, isPossible) => {
    expect(explored(pack).isAllowed(name)).toBe(isPossible);
  });

  it("also those that one rule alone refuses", () => {
    const order = explored(envelopes(132));
    expect([order.seen("envelope"), order.seen("requires")]).toEqual(["6 of 6", "1 of 1"]);
    expect(explored(chain("133.1")).seen("ref")).toBe("3 of 3");
    // Four payments exceed it, three do not.
    expect(explored(payments("lte: 120")).seen("aggregate")).toBe("1 of 1");
  });
});
