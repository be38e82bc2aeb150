import type { Problem, Report } from "../../audit/problem.js";
import type { Replayed } from "../../audit/replay/replay-store.js";
import type { Why } from "../../audit/replay/skipped.js";
import { clean, cleanLine, jsonText } from "../../base/clean.js";
import type { StoreFormat } from "../output-formats.js";

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

function problemText({ session, workflow, index, what }: Problem): string {
  if (session === null && workflow === undefined) return cleanLine(what);
  const name = workflow === undefined ? `session \`${clean(session ?? "")}\`` : `workflow \`${clean(workflow)}\``;
  return index === null ? `${name}: ${clean(what)}` : `${name}, record ${index}: ${clean(what)}`;
}

const WHYS: Readonly<Record<Why, string>> = {
  schema: "without the JSON Schema: only the arguments that other rules read are stored",
  principal: "without the policy: the principal is not given (--principal)",
  environment: "without rules that compare with environment variables that are not set",
  cost: "not decided: refused because judging takes too much work",
  arguments: "not decided: the arguments are no JSON object, or too large, and not stored",
  output: "without the rules on outputs, which are not stored whole",
  unrecorded_answer: "not decided: refused because of an answer that was not recorded yet",
  sealed: "not read: sealed",
  artifact: "not decided: of another artifact",
  migration: "not decided: the state after the migration is not stored any more",
  broken: "not decided: a record before cannot be read or does not fit",
  workflow: "not decided: the log of the workflow cannot be read that far",
};

function isWhy(why: string): why is Why {
  return Object.hasOwn(WHYS, why);
}

/** A report for a terminal: the problems, and a last line that sums up. */
export function reportText({ records, sessions, workflows = 0, problems, more = 0 }: Report): string {
  const lines = problems.map(problemText);
  if (more > 0) lines.push(`and ${counted(more, "further problem")}`);
  const found = problems.length + more;
  const also = workflows === 0 ? "" : ` and ${counted(workflows, "workflow")}`;
  const summary = `${counted(records, "record")} of ${counted(sessions, "session")}${also}`;
  return `${[...lines, `${summary}: ${found === 0 ? "no problems" : counted(found, "problem")}`].join("\n")}\n`;
}

/** The same for a log that was decided anew, with what was not. */
export function replayText(result: Replayed): string {
  const skipped = Object.entries(result.skipped).flatMap(([why, count]) =>
    isWhy(why) ? [`  ${count} ${WHYS[why]}\n`] : [],
  );
  return `${reportText(result)}${counted(result.replayed, "verdict")} decided anew\n${skipped.join("")}`;
}

/** Either as text or as JSON. */
export function formatted<T>(format: StoreFormat, value: T, text: (value: T) => string): string {
  return format === "json" ? `${jsonText(value)}\n` : text(value);
}
