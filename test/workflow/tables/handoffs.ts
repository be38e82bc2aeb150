import { inspect } from "node:util";
import type { Operation } from "../../workflow-reference/operation.js";
import { type Case, call, packOf, start, statuses } from "./parts.js";

const MEBIBYTE = 1024 * 1024;

/** `{"summary":"…"}` has 14 bytes around the text. */
const AROUND = 14;

function give(artifacts: unknown): Operation {
  return { op: "handoff", from: "lead", session: "worker", role: "worker", artifacts };
}

function loop(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return { summary: list };
}

const needy = packOf({ handoffs: [{ from: "lead", to: "worker", requires_artifacts: ["summary", "toString"] }] });
const one = packOf({ handoffs: [{ from: "lead", to: "worker", requires_artifacts: ["summary"] }] });

const free = packOf();

const INVALID = "handoff_artifact_invalid";
const MISSING = "handoff_artifact_missing";

/** What a handoff brings, and what becomes of it. */
const ARTIFACTS: readonly (readonly [what: string, artifacts: unknown, word: string])[] = [
  ["a text", { summary: "do it" }, "allow"],
  ["null, which is there", { summary: null }, "allow"],
  ["further artifacts", { summary: 1, more: [2] }, "allow"],
  ["none of those required", { other: 1 }, MISSING],
  ["nothing", {}, MISSING],
  ["no artifacts at all", undefined, MISSING],
  ["null instead of artifacts", null, MISSING],
  ["one of another case", { Summary: 1 }, MISSING],
  ["undefined", { summary: undefined }, INVALID],
  ["a function", { summary: () => 1 }, INVALID],
  ["a number that JSON does not have", { summary: Number.NaN }, INVALID],
  ["a big integer", { summary: 1n }, INVALID],
  ["a date", { summary: new Date(0) }, INVALID],
  ["itself", loop(), INVALID],
  ["what JSON does not have, but nothing that is required", { other: undefined }, MISSING],
  ["a list", ["summary"], MISSING],
  ["a text alone", "summary", MISSING],
  ["exactly 1 MiB", { summary: "a".repeat(MEBIBYTE - AROUND) }, "allow"],
  ["1 MiB and a byte", { summary: "a".repeat(MEBIBYTE - AROUND + 1) }, INVALID],
  ["1 MiB in two bytes a character", { summary: "é".repeat((MEBIBYTE - AROUND) / 2) }, "allow"],
  ["more than 1 MiB in two bytes a character", { summary: "é".repeat((MEBIBYTE - AROUND) / 2 + 1) }, INVALID],
  ["more than 1 MiB together", { summary: "a".repeat(600_000), more: "a".repeat(600_000) }, INVALID],
];

function refused(operation: Operation, word: string): Case["rows"][number] {
  return [operation, word];
}

/** Starts, handoffs and attaching. */
export const HANDOFFS: readonly Case[] = [
  ...ARTIFACTS.map(
    ([what, artifacts, word]): Case => ({
      sentence: `a handoff that brings ${what}: ${word}`,
      pack: one,
      rows: [start("lead", "lead"), refused(give(artifacts), word)],
    }),
  ),
  ...[null, ["summary"], "summary", 1, { summary: undefined }].map(
    (artifacts): Case => ({
      sentence: `a handoff that requires nothing and brings ${inspect(artifacts)}: ${INVALID}`,
      pack: free,
      rows: [start("lead", "lead"), refused(give(artifacts), INVALID)],
    }),
  ),
  {
    sentence: "what an object inherits is no artifact",
    pack: needy,
    rows: [
      start("lead", "lead"),
      refused(give({ summary: 1 }), MISSING),
      refused(give({ summary: 1, toString: "here" }), "allow"),
    ],
  },
  {
    sentence: "a handoff that is not declared is refused, whatever it brings",
    pack: packOf(),
    rows: [
      start("lead", "lead"),
      start("solo", "solo"),
      refused({ op: "handoff", from: "lead", session: "h", role: "helper" }, "handoff_not_declared"),
      refused({ op: "handoff", from: "lead", session: "l", role: "lead" }, "handoff_not_declared"),
      refused({ op: "handoff", from: "solo", session: "w", role: "worker" }, "handoff_not_declared"),
      refused({ op: "handoff", from: "lead", session: "s", role: "solo" }, "handoff_not_declared"),
      { state: { totals: { sessions: 2 } } },
    ],
  },
  {
    sentence: "a role that is handed off to does not start by itself",
    pack: packOf(),
    rows: [
      refused({ op: "start", session: "w", role: "worker" }, "handoff_required"),
      refused({ op: "start", session: "h", role: "helper" }, "handoff_required"),
      start("l", "lead"),
      start("s", "solo"),
    ],
  },
  {
    sentence: "a role, a session and a scope that do not exist are mistakes of the caller",
    pack: packOf(),
    rows: [
      refused({ op: "start", session: "x", role: "nobody" }, "TypeError"),
      refused({ op: "start", session: "x", role: "toString" }, "TypeError"),
      start("lead", "lead"),
      refused({ op: "handoff", from: "lead", session: "x", role: "nobody" }, "TypeError"),
      refused({ op: "attach", session: "nobody" }, "TypeError"),
      refused({ op: "kill", scope: "session", session: "nobody" }, "TypeError"),
      refused({ op: "kill", scope: "subtree", session: "nobody" }, "TypeError"),
      refused({ op: "kill", scope: "session" }, "TypeError"),
      refused({ op: "kill", scope: "everything", session: "lead" }, "TypeError"),
      refused({ op: "kill", scope: null }, "TypeError"),
      statuses({ lead: "active" }),
    ],
  },
  {
    sentence: "an id that the store knows begins no second session",
    pack: packOf(),
    rows: [
      start("lead", "lead"),
      refused({ op: "start", session: "lead", role: "lead" }, "session_exists"),
      refused({ op: "handoff", from: "lead", session: "lead", role: "worker" }, "session_exists"),
      [{ op: "close", session: "lead" }, "allow"],
      refused({ op: "start", session: "lead", role: "solo", process: 1 }, "session_exists"),
      { state: { totals: { sessions: 1 } } },
    ],
  },
  {
    sentence: "a session is attached in another process, and goes on where it was",
    pack: packOf(),
    rows: [
      start("a"),
      [call("a", "one", "edit", "x"), "allow"],
      [{ op: "crash" }, "allow"],
      [{ op: "attach", session: "a", process: 1 }, "allow"],
      { state: { resources: ["file x single_writer a"], totals: { steps: 1 } } },
      [{ op: "settle", call: "one", outcome: { kind: "happened" }, process: 1 }, "accepted"],
      [{ ...call("a", "two", "edit", "x"), process: 1 }, "allow"],
      [{ op: "handoff", from: "a", session: "w", role: "worker", process: 1 }, "handoff_not_declared"],
      [{ op: "close", session: "a", process: 1 }, "allow"],
      [call("a", "three", "look"), "session_closed"],
    ],
  },
  {
    sentence: "a handoff from a process that did not begin the parent is one all the same",
    pack: packOf(),
    rows: [
      start("lead", "lead"),
      [{ op: "handoff", from: "lead", session: "w", role: "worker", process: 1 }, "allow"],
      [{ op: "handoff", from: "w", session: "h", role: "helper", process: 0 }, "allow"],
      { state: { openHandoffs: 2, sessions: [{ parent: "w" }, { parent: null }, { parent: "lead" }] } },
    ],
  },
];
