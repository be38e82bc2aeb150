import { describe, expect, it } from "vitest";
import { explored } from "./explored.js";

const SESSION = `#== session.yaml (with the required fields)
schema_version: "1.1"
`;

/** A tool with one requirement, and a tool that looks things up for it. */
function packOf(that: string, more = ""): string {
  return `${SESSION}${more}
#== look_up.yaml (with the required fields)
binds:
  - { name: entry, source: output, path: $, key: $.id }
#== use.yaml (with the required fields)
requires:
  - that: |
      ${that}
    reason: A rule
`;
}

/** Whether the tool was seen allowed and refused by its only requirement. */
function shown(pack: string): readonly [boolean, string] {
  const { isAllowed, seen } = explored(pack);
  return [isAllowed("use"), seen("requires")];
}

const WITNESSED = [
  `args.amount <= 100`,
  `args.amount == 7.5`,
  `args.kind in ["a", "b"]`,
  `args.name.startsWith("ab") && args.name.endsWith("z")`,
  `args.name.contains("mid")`,
  `args.name.matches(r"^[A-Z]{3}$")`,
  `size(args.items) >= 2`,
  `size(args.name) == 5`,
  `has(args.note)`,
  `args.price * 3 + 1 == 16`,
  `args.items.all(item, item.price > 10) && size(args.items) == 2`,
  `args.items.exists(item, item.sku == "x")`,
  `args.items.map(item, item.price).sum() == 30`,
  `args.a == args.b`,
  `!(args.id in ["blocked"]) && args.id != ""`,
  `slots.entry[args.id].status == "pending"`,
  `args.id in slots.entry && slots.entry[args.id].limit >= args.amount`,
  `slots.entry[args.id].lines.exists(line, line.sku == args.sku)`,
  `slots.entry[args.id].methods[args.method].balance >= 10`,
  `timestamp(args.at) - timestamp("2024-01-01T00:00:00Z") <= duration("24h")`,
  `now - timestamp(slots.entry[args.id].created_at) <= duration("24h")`,
  `args.fee == { "economy": 30, "business": 0 }[slots.entry[args.id].cabin] * args.bags`,
  `size(args.items.distinct()) == size(args.items)`,
  `args.mode == "fast" ? args.amount < 5 : args.amount < 50`,
  `now.getHours() >= 9 && now.getHours() < 17`,
  `now.getDayOfWeek() in [1, 2] && now.getHours("Europe/Berlin") >= 9`,
  `now >= timestamp("2024-05-01T00:00:00Z") && now < timestamp("2024-06-01T00:00:00Z")`,
  `now.getFullYear() == 2024 && now.getMonth() == 4`,
  `timestamp(args.at).getHours() < 12 && now.getMinutes() == 30`,
  `"reviewed" in labels`,
  `!("tainted" in labels)`,
  `labels.exists(label, label == "reviewed") && !("closed" in labels)`,
  `now.getHours() >= 9 && slots.entry[args.id].open && "reviewed" in labels`,
];

describe("the search for calls that expressions judge", () => {
  it.each(WITNESSED)("finds a call that is allowed and one that is refused by `%s`", { timeout: 120_000 }, (that) => {
    expect(shown(packOf(that))).toEqual([true, "1 of 1"]);
  });

  it("finds nothing that is allowed where nothing is", { timeout: 60_000 }, () => {
    expect(shown(packOf(`args.n > 5 && args.n < 3 + 0 * args.n`))).toEqual([false, "1 of 1"]);
  });

  it("finds results that break a guarantee, and calls that a checkpoint asks about", { timeout: 60_000 }, () => {
    const { isAllowed, seen } = explored(`${SESSION}
#== pay.yaml (with the required fields)
ensures: [{ that: "output.paid <= args.amount", reason: No more than was asked for }]
checkpoint: { when: [{ that: "args.amount > 100" }], timeout_seconds: 60 }
`);
    expect([isAllowed("pay"), seen("ensures"), seen("checkpoint")]).toEqual([true, "1 of 1", "1 of 1"]);
  });

  it("moves the clock between calls, and forward only", { timeout: 60_000 }, () => {
    const { isAllowed, seen } = explored(`${SESSION}
#== early.yaml (with the required fields)
binds: [{ name: booking, path: $.id, collect: union }]
requires: [{ that: now.getHours() < 10, reason: Early }]
#== late.yaml (with the required fields)
requires: [{ that: args.id in slots.booking && now.getHours() >= 20, reason: Late }]
`);
    expect([isAllowed("early"), isAllowed("late"), seen("requires")]).toEqual([true, true, "2 of 2"]);
  });

  it("finds the second call that a union refuses", { timeout: 60_000 }, () => {
    const { isAllowed, seen } = explored(`${SESSION}
#== cancel.yaml (with the required fields)
binds: [{ name: cancelled, path: $.id, collect: union }]
requires: [{ that: "!(args.id in slots.cancelled)", reason: Once }]
`);
    expect([isAllowed("cancel"), seen("requires")]).toEqual([true, "1 of 1"]);
  });

  it("finds calls under nested keys that are read from each match", { timeout: 60_000 }, () => {
    const { isAllowed, seen } = explored(`${SESSION}
#== find.yaml (with the required fields)
binds: [{ name: offer, source: output, path: "$[*]", key: [{ source: arguments, path: $.date }, "@.number"] }]
#== book.yaml (with the required fields)
requires: [{ that: "slots.offer[args.date][args.number].price <= args.paid", reason: The price is paid }]
`);
    expect([isAllowed("book"), seen("requires")]).toEqual([true, "1 of 1"]);
  });
});
