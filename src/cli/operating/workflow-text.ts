import type { ShownRecord } from "../../sessions/session-view.js";
import type { ShownWorkflow, WorkflowRow } from "../../sessions/workflows.js";
import { count, fields, table, textAt, time } from "./text.js";

/** The workflows of a store. */
export function workflowsText(rows: readonly WorkflowRow[]): string {
  if (rows.length === 0) return "no workflows\n";
  const cells = rows.map(({ id, workflow, killed, sessions, active, updated }) => [
    ...[id, workflow, killed ? "killed" : "active", String(sessions), String(active), time(updated)],
  ]);
  return table(["id", "workflow", "status", "sessions", "active", "updated"], cells);
}

/** Who ended something, or wanted to, and why. */
function killWords(event: ShownRecord["event"]): string {
  const own = textAt(event, "killed");
  if (own !== "") return `(killed: ${own})`;
  const by = textAt(event, "operator");
  const why = textAt(event, "why");
  if (by !== "") return `(by ${by}: ${why})`;
  return why === "" ? "" : `(${why})`;
}

/** What one record says. */
function recordWords({ event, note }: ShownRecord): string {
  const scope = textAt(event, "scope");
  const would = textAt(note, "verdict", "would", "reason");
  const said = [
    textAt(event, "kind") || "a note",
    textAt(event, "session"),
    textAt(event, "role"),
    scope === "" ? "" : `scope ${scope}`,
    would === "" ? "" : `(would ${would})`,
    killWords(event),
  ];
  return said.filter((word) => word !== "").join(" ");
}

/** One workflow for people. */
export function workflowText(view: ShownWorkflow): string {
  const { id, workflow, artifact, killed, sessions, openHandoffs, totals, resources, records } = view;
  const head = fields([
    ["workflow", `${id}, ${workflow}, ${killed ? "killed" : "active"}`],
    ["artifact", artifact],
    ["sessions", `${totals.sessions} started, ${totals.active} active, ${count(openHandoffs, "open handoff")}`],
    ["counted", `${count(totals.steps, "step")}, cost ${totals.cost}`],
  ]);
  const members = sessions.map((member) => [
    ...[`  ${member.id}`, member.role, member.parent ?? "-", member.status],
    ...[String(member.steps), String(member.cost)],
  ]);
  const held = resources.map(({ alias, key, mode, session }) => [`  ${alias}`, String(key), mode, session]);
  const last = records.map((record) => [
    `  ${record.n}`,
    time(record.at),
    record.guard.slice(0, 8),
    recordWords(record),
  ]);
  return [
    `${head}\n`,
    `\nsessions\n${table(["  session", "role", "parent", "status", "steps", "cost"], members)}`,
    held.length === 0 ? "" : `\nheld\n${table(["  resource", "key", "mode", "session"], held)}`,
    `\nlast records\n${table(["  n", "time", "guard", "what"], last)}`,
  ].join("");
}
