import { describe, expect, it } from "vitest";
import { OpenedParts, PossibleValues } from "../../src/analysis/expression/possible-values.js";
import { EMPTY_SCENE, SceneSlots } from "../../src/analysis/expression/scene.js";
import type { JsonObject } from "../../src/base/json.js";
import { Frame } from "../../src/guard/expression/frame.js";
import { preparedOf } from "../../src/guard/expression/of-pack.js";
import { artifactOf } from "../support/guard-artifact.js";

const ENTRY = { status: "pending", price: 5, lines: ["a"] };
const SLOTS: JsonObject = { entry: [{ key: ["1"], value: ENTRY }], name: "ann", done: ["x"] };

/** Whether an expression may be true for some arguments, with and without anything in the slots. */
function mayBeTrue(that: string): string {
  const [pack] = artifactOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
#== look_up.yaml (with the required fields)
binds:
  - { name: entry, source: output, path: $, key: $.id }
  - { name: name, source: output, path: $.name }
  - { name: done, source: output, path: $.id, collect: union }
#== use.yaml (with the required fields)
requires:
  - that: |
      ${that}
    reason: A rule
`).packs;
  const check = pack?.tools.find(({ name }) => name === "use")?.checks.find(({ kind }) => kind === "requires");
  if (pack === undefined || check?.kind !== "requires") throw new Error("no such rule");
  const { context } = preparedOf(check.that, pack).scope;
  const inSlots = (slots: JsonObject) => {
    const reader = new SceneSlots({ ...EMPTY_SCENE, slots }, context.slots);
    const frame = new Frame({ ...EMPTY_SCENE, tool: "use", now: 0 }, reader);
    return new PossibleValues(new OpenedParts(context), frame).mayBeTrue(check.that.tree);
  };
  return `${inSlots({}) ? "empty " : ""}${inSlots(SLOTS) ? "set" : ""}`.trim();
}

describe("whether a condition may be true in a state, whatever the arguments are", () => {
  it.each([
    [`args.n > 5`, "empty set"],
    [`slots.entry[args.id].status == "pending"`, "set"],
    [`slots.entry[args.id].status == "delivered"`, ""],
    [`slots.entry[args.id].missing == args.x`, ""],
    [`slots.entry[args.id].price * 2 == 10`, "set"],
    [`slots.entry[args.id].price + args.n == 10`, "set"],
    [`args.id in slots.entry`, "set"],
    [`!(args.id in slots.entry)`, "empty set"],
    [`args.id in slots.done`, "set"],
    [`"y" in slots.done || args.vip`, "empty set"],
    [`args.name == slots.name`, "set"],
    [`!has(slots.name) || slots.name == args.name`, "empty set"],
    [`slots.name == "bob" ? args.a : slots.name == "ann" && args.b`, "set"],
    [`slots.entry[args.id].lines.all(line, line == args.line)`, "set"],
    [`slots.entry[args.id].lines.exists(line, line == "b")`, ""],
    [`args.items.all(item, item in slots.done)`, "empty set"],
    [`args.items.map(item, item.n).sum() == 3`, "empty set"],
    [`size(slots.entry) == 1 && args.ok`, "set"],
    [`slots.entry[args.id].status.startsWith("del")`, ""],
  ])("`%s`: %s", (that, expected) => {
    expect(mayBeTrue(that)).toBe(expected);
  });
});
