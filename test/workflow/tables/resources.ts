import type { ResourceMode } from "../../workflow-reference/reference/model.js";
import { answered, type Case, call, OUTCOMES, packOf, type Row, settle, start } from "./parts.js";

const { result, bad, unsent, refused, broken, timeout, happened, undone } = OUTCOMES;

/** What another session gets that reads, and one that changes something: `-` it may, `x` a conflict. */
type Cell = "--" | "-x" | "xx";

/** How a holder stands: it goes on (also asked to cancel, also crashed), or it has closed or was killed. */
type Cells = readonly [going: Cell, ended: Cell];

interface Situation {
  readonly what: string;
  readonly rows: readonly Row[];
  readonly cells: Readonly<Record<ResourceMode, Cells>>;
}

function allowed(name: string, tool: string): Row {
  return answered(call("holder", name, tool, "x"), "allow");
}

const FREE: Cells = ["--", "--"];
const OWNED: Cells = ["-x", "--"];
const WRITING: Cells = ["-x", "-x"];
const PENDING: Cells = ["xx", "xx"];

/** Every situation of a holder, with the verdicts on others in each mode. */
const SITUATIONS: readonly Situation[] = [
  {
    what: "did nothing",
    rows: [],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "is reading it",
    rows: [allowed("r", "look")],
    cells: { single_writer: FREE, exclusive_pending: PENDING, serial_only: FREE },
  },
  {
    what: "has read it",
    rows: [allowed("r", "look"), settle("r", result)],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "has read it without an answer, which releases the call",
    rows: [allowed("r", "look"), settle("r", timeout)],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "is writing",
    rows: [allowed("w", "edit")],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: WRITING },
  },
  {
    what: "is paying, which is mutating like any side effect but read",
    rows: [allowed("w", "pay")],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: WRITING },
  },
  {
    what: "has written",
    rows: [allowed("w", "edit"), settle("w", result)],
    cells: { single_writer: OWNED, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "has written, and the output broke an invariant: it happened",
    rows: [allowed("w", "check"), settle("w", bad, "accepted, violated")],
    cells: { single_writer: OWNED, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "wanted to write, and nothing was sent",
    rows: [allowed("w", "edit"), settle("w", unsent)],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "wanted to write, and the tool refused",
    rows: [allowed("w", "edit"), settle("w", refused)],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "wanted to write, and it is not known what happened",
    rows: [allowed("w", "edit"), settle("w", timeout)],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: WRITING },
  },
  {
    what: "wanted to write, and the server failed",
    rows: [allowed("w", "edit"), settle("w", broken)],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: WRITING },
  },
  {
    what: "wrote, as it was found out later",
    rows: [allowed("w", "edit"), settle("w", timeout), settle("w", happened)],
    cells: { single_writer: OWNED, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "did not write, as it was found out later",
    rows: [allowed("w", "edit"), settle("w", timeout), settle("w", undone)],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "did not write, as somebody said of a running call",
    rows: [allowed("w", "edit"), settle("w", undone)],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "sent what commits at dispatch, and it is not settled",
    rows: [allowed("w", "fire")],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: WRITING },
  },
  {
    what: "sent what commits at dispatch, and it is settled",
    rows: [allowed("w", "fire"), settle("w", result)],
    cells: { single_writer: OWNED, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "sent what commits at dispatch, and an error took nothing back",
    rows: [allowed("w", "fire"), settle("w", unsent)],
    cells: { single_writer: OWNED, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "has written, and a second call was released",
    rows: [allowed("w", "edit"), settle("w", result), allowed("v", "edit"), settle("v", unsent)],
    cells: { single_writer: OWNED, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "wanted to write twice, and one of both was released",
    rows: [allowed("w", "edit"), allowed("v", "edit"), settle("w", unsent)],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: WRITING },
  },
  {
    what: "wanted to write twice, and both were released",
    rows: [allowed("w", "edit"), allowed("v", "edit"), settle("w", unsent), settle("v", undone)],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "has written and is reading",
    rows: [allowed("w", "edit"), settle("w", result), allowed("r", "look")],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: FREE },
  },
  {
    what: "is reading, and what it wanted to write was released",
    rows: [allowed("r", "look"), allowed("w", "edit"), settle("w", unsent)],
    cells: { single_writer: FREE, exclusive_pending: PENDING, serial_only: FREE },
  },
  {
    what: "waits for an approval, which holds nothing",
    rows: [answered(call("holder", "a", "ask", "x"), "approval_required")],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "was denied",
    rows: [
      answered(call("holder", "a", "ask", "x"), "approval_required"),
      [{ op: "deny", call: "a" }, "approval_denied"],
    ],
    cells: { single_writer: FREE, exclusive_pending: FREE, serial_only: FREE },
  },
  {
    what: "was approved and is writing",
    rows: [answered(call("holder", "a", "ask", "x"), "approval_required"), [{ op: "approve", call: "a" }, "allow"]],
    cells: { single_writer: WRITING, exclusive_pending: PENDING, serial_only: WRITING },
  },
];

interface Holder {
  readonly how: string;
  readonly rows: readonly Row[];
  readonly column: 0 | 1;
}

/** What became of the holder. */
const HOLDERS: readonly Holder[] = [
  { how: "goes on", rows: [], column: 0 },
  { how: "crashed", rows: [[{ op: "crash" }, "allow"]], column: 0 },
  { how: "is asked to cancel", rows: [[{ op: "close", session: "lead" }, "allow"]], column: 0 },
  { how: "has closed", rows: [[{ op: "close", session: "holder" }, "allow"]], column: 1 },
  { how: "was killed", rows: [[{ op: "kill", scope: "session", session: "holder" }, "allow"]], column: 1 },
  {
    how: "was killed after a crash",
    rows: [
      [{ op: "crash" }, "allow"],
      [{ op: "kill", scope: "session", session: "holder", process: 1 }, "allow"],
    ],
    column: 1,
  },
];

const MODES = (["single_writer", "exclusive_pending", "serial_only"] as const).map((mode) => ({
  mode,
  pack: packOf({ shared_resources: [{ alias: "file", mode }] }),
}));

function verdict(cell: Cell, at: 0 | 1): string {
  return cell[at] === "x" ? "resource_conflict" : "allow";
}

/** Each access in a session of its own, in a second process, so that the first one cannot change the answer to the second. */
function accesses(cell: Cell): readonly Row[] {
  return [
    [{ ...call("reader", "other read", "look", "x"), process: 1 }, verdict(cell, 0)],
    [{ op: "settle", call: "other read", outcome: unsent, process: 1 }, cell[0] === "x" ? "skipped" : "accepted"],
    [{ ...call("writer", "other write", "edit", "x"), process: 1 }, verdict(cell, 1)],
    [{ ...call("writer", "elsewhere", "edit", "y"), process: 1 }, "allow"],
    [{ ...call("writer", "nowhere", "edit"), process: 1 }, "allow"],
  ];
}

const BEGIN: readonly Row[] = [
  start("lead", "lead"),
  [{ op: "handoff", from: "lead", session: "holder", role: "worker", approver: "manual" }, "allow"],
  start("reader"),
  start("writer"),
];

/** Mode × situation × what became of the holder × access. */
export const RESOURCES: readonly Case[] = MODES.flatMap(({ mode, pack }) =>
  SITUATIONS.flatMap(({ what, rows, cells }) =>
    HOLDERS.map(({ how, rows: become, column }) => ({
      sentence: `${mode}: a session ${what} and ${how}`,
      pack,
      rows: [...BEGIN, ...rows, ...become, ...accesses(cells[mode][column])],
    })),
  ),
);

/** A session never conflicts with itself. */
export const OWN_RESOURCES: readonly Case[] = MODES.flatMap(({ mode, pack }) =>
  SITUATIONS.filter(({ what }) => !what.startsWith("waits")).map(({ what, rows }) => ({
    sentence: `${mode}: the session that ${what} may go on itself`,
    pack,
    rows: [
      ...BEGIN,
      ...rows,
      answered(call("holder", "own read", "look", "x"), "allow"),
      answered(call("holder", "own write", "edit", "x"), "allow"),
    ],
  })),
);
