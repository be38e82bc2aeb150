import { clean } from "../../base/clean.js";
import type { UnsettledCall } from "../../guard/public.js";
import type { SessionRow, SessionView, ShownRecord } from "../../sessions/session-view.js";
import { approvalRows } from "./approval-text.js";
import { count, fields, inline, table, textAt, time } from "./text.js";

function statusWord({ killed, status = "active" }: Pick<SessionRow, "killed" | "status">): string {
  return killed ? "killed" : status;
}

/** The sessions of a store. */
export function sessionsText(rows: readonly SessionRow[]): string {
  if (rows.length === 0) return "no sessions\n";
  const cells = rows.map((row) => [
    ...[row.id, row.agent, row.phase ?? "-", statusWord(row), String(row.toolCalls), String(row.unsettled)],
    ...[String(row.pendingApprovals), time(row.updated)],
  ]);
  return table(["session", "agent", "phase", "status", "calls", "unsettled", "approvals", "updated"], cells);
}

/** Calls that were reserved and not settled. */
export function unsettledText(calls: readonly UnsettledCall[]): string {
  if (calls.length === 0) return "no unsettled calls\n";
  const cells = calls.map(({ session, callId, tool, status, since, origin, fields: stored }) => [
    ...[session, callId, tool, status, time(since), origin, inline(stored)],
  ]);
  return table(["session", "call", "tool", "status", "since", "origin", "stored fields"], cells);
}

/** What one record says, without arguments and outputs. */
function recordWords({ event, note }: ShownRecord): string {
  const said = [
    textAt(event, "kind"),
    textAt(event, "tool") || textAt(note, "call", "tool"),
    textAt(event, "callId") || textAt(event, "approvalId") || textAt(event, "request", "id"),
    textAt(event, "label") || textAt(event, "ending"),
    textAt(note, "verdict", "kind"),
    textAt(note, "verdict", "reason") || textAt(note, "settlement", "reason"),
    textAt(note, "migrated", "from") === "" ? "" : "migrated",
    textAt(note, "opened", "agent") === "" ? "" : "opened",
  ].filter((word) => word !== "");
  const by = textAt(note, "operator", "by") || textAt(note, "answer", "by");
  const why = textAt(note, "operator", "why") || textAt(note, "answer", "note");
  const who = by === "" ? "" : ` (by ${by}${why === "" ? "" : `: ${why}`})`;
  return `${said.length === 0 ? "a note" : said.join(" ")}${who}`;
}

function section(title: string, text: string): string {
  return text === "" ? "" : `\n${title}\n${text}`;
}

function values(of: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(of);
  return entries.length === 0
    ? ""
    : `${fields(entries.map(([name, value]) => [`  ${name}`, JSON.stringify(value)]))}\n`;
}

/** One session for people. */
export function sessionText(view: SessionView): string {
  const { id, artifact, phase, steps, toolCalls, bindings, aggregates, labels, unsettled, cost } = view;
  const head = fields([
    ["session", `${id}, ${statusWord(view)}`],
    ["artifact", artifact],
    ["phase", phase ?? "-"],
    ["counted", `${count(toolCalls, "call")}, ${count(steps, "step")}, cost ${cost}`],
    ["labels", labels.length === 0 ? "-" : labels.join(", ")],
  ]);
  const open = unsettled.map(({ callId, tool, status }) => `  ${clean(`${callId} ${tool}, ${status}`)}\n`).join("");
  const records = view.records.map((record) => [
    `  ${record.n}`,
    time(record.at),
    record.guard.slice(0, 8),
    recordWords(record),
  ]);
  return [
    `${head}\n`,
    section("bound values", values(bindings)),
    section("aggregates", values(aggregates)),
    section("unsettled calls", open),
    section("waiting for an approval", view.approvals.length === 0 ? "" : approvalRows(view.approvals)),
    section("last records", table(["  n", "time", "guard", "what"], records)),
  ].join("");
}
