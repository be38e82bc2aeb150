import type { Json } from "../../../src/base/json.js";
import { type Case, call, OUTCOMES, packOf, start } from "./parts.js";

type Pair = readonly [held: Json, wanted: Json, word: "allow" | "resource_conflict"];

/** Whether two keys are one resource: they are compared as text. */
const PAIRS: readonly Pair[] = [
  ["x", "x", "resource_conflict"],
  ["x", "y", "allow"],
  ["x", "X", "allow"],
  ["x", "x ", "allow"],
  ["", "", "resource_conflict"],
  [17, "17", "resource_conflict"],
  ["17", 17, "resource_conflict"],
  [17, 17.0, "resource_conflict"],
  [17, "17.0", "allow"],
  [17, "017", "allow"],
  [17, 18, "allow"],
  [0.5, "0.5", "resource_conflict"],
  [true, "true", "resource_conflict"],
  [false, "false", "resource_conflict"],
  [true, 1, "allow"],
  [false, "", "allow"],
  ["__proto__", "__proto__", "resource_conflict"],
  ["__proto__", "constructor", "allow"],
  ["null", "undefined", "allow"],
];

const UNREADABLE: readonly Json[] = [null, [], ["x"], {}, { file: "x" }];

const owned = packOf();
const serial = packOf({ shared_resources: [{ alias: "file", mode: "serial_only" }] });

const nested = { file: { type: "file", extract_from: { path: "$.where.list[-1]" } } };

function nestedCall(session: string, name: string, where: Json) {
  return { op: "propose" as const, session, call: name, tool: "edit", args: { where } };
}

/** What a call touches, by its arguments. */
export const KEYS: readonly Case[] = [
  ...PAIRS.map(
    ([held, wanted, word]): Case => ({
      sentence: `${JSON.stringify(wanted)} where ${JSON.stringify(held)} is held: ${word}`,
      pack: owned,
      rows: [
        start("a"),
        start("b"),
        [call("a", "one", "edit", held), "allow"],
        [call("b", "two", "edit", wanted), word],
        { state: { resources: expect(held, word === "allow" ? wanted : null) } },
      ],
    }),
  ),
  ...UNREADABLE.flatMap((key): Case[] =>
    ["look", "edit"].map((tool) => ({
      sentence: `a call of ${tool} on ${JSON.stringify(key)} cannot be judged`,
      pack: serial,
      rows: [start("a"), [call("a", "one", tool, key), "resource_unreadable"], { state: { totals: { steps: 0 } } }],
    })),
  ),
  {
    sentence: "a call without the path touches nothing",
    pack: packOf(),
    rows: [
      start("a"),
      start("b"),
      [call("a", "one", "edit"), "allow"],
      [call("b", "two", "edit"), "allow"],
      { state: { resources: [] } },
    ],
  },
  {
    sentence: "a path into nothing touches nothing, and one that finds something touches it",
    pack: packOf({}, { resources: nested }),
    rows: [
      start("a"),
      start("b"),
      [nestedCall("a", "one", { list: [] }), "allow"],
      [nestedCall("a", "two", 5), "allow"],
      { state: { resources: [] } },
      [nestedCall("a", "three", { list: ["y", "x"] }), "allow"],
      { state: { resources: ["file x single_writer a"] } },
      [nestedCall("b", "four", { list: ["x"] }), "resource_conflict"],
      [nestedCall("b", "five", { list: ["x", "y"] }), "allow"],
      [nestedCall("b", "six", { list: [null] }), "resource_unreadable"],
    ],
  },
  {
    sentence: "a resource that the workflow does not share is touched by nobody",
    pack: packOf({ shared_resources: [] }),
    rows: [
      start("a"),
      start("b"),
      [call("a", "one", "edit", "x"), "allow"],
      [call("b", "two", "edit", "x"), "allow"],
      [call("b", "three", "edit", null), "allow"],
      { state: { resources: [] } },
    ],
  },
  {
    sentence: "a call may touch several resources, and each of them refuses it",
    pack: packOf(
      {
        shared_resources: [
          { alias: "file", mode: "serial_only" },
          { alias: "folder", mode: "single_writer" },
        ],
      },
      {
        resources: {
          file: { type: "file", extract_from: { path: "$.file" } },
          folder: { type: "folder", extract_from: { path: "$.folder" } },
        },
      },
    ),
    rows: [
      start("a"),
      start("b"),
      [both("a", "one", "x", "f"), "allow"],
      { state: { resources: ["file x serial_only a", "folder f single_writer a"] } },
      [both("b", "two", "x", "g"), "resource_conflict"],
      [both("b", "three", "y", "f"), "resource_conflict"],
      [both("b", "four", "y", "g"), "allow"],
      [{ op: "settle", call: "one", outcome: OUTCOMES.result }, "accepted"],
      { state: { resources: ["file y serial_only b", "folder f single_writer a", "folder g single_writer b"] } },
      [both("b", "five", "x", "g"), "allow"],
      [both("b", "six", "x", "f"), "resource_conflict"],
    ],
  },
];

function both(session: string, name: string, file: string, folder: string) {
  return { op: "propose" as const, session, call: name, tool: "edit", args: { file, folder } };
}

/** Who holds what after both calls, in the order of the comparison. */
function expect(held: Json, second: Json): readonly string[] {
  const holdings = [`file ${String(held)} single_writer a`];
  if (second !== null) holdings.push(`file ${String(second)} single_writer b`);
  return holdings.sort();
}
