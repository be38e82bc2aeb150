import { cleanLine, jsonLine } from "../../base/clean.js";
import { counted } from "../../diagnostics/wording.js";
import type { Output } from "../terminal.js";
import type { ReplayedSession, ReplayVerdict } from "./replayed-session.js";
import type { ReplaySummary } from "./summary.js";

/** Prints sessions as they come, so that a long file needs no memory. */
export interface Printer {
  session(replayed: ReplayedSession, where: string): void;
  end(summary: ReplaySummary): void;
}

/** One JSON document, a session a line. */
export class JsonPrinter implements Printer {
  private separator = "\n";

  constructor(private readonly output: Output) {
    output.write('{ "sessions": [');
  }

  session(replayed: ReplayedSession): void {
    this.output.write(`${this.separator}${jsonLine(replayed)}`);
    this.separator = ",\n";
  }

  end(summary: ReplaySummary): void {
    this.output.write(`\n], "summary": ${jsonLine(summary)} }\n`);
  }
}

function refusalText({ index, tool, reason, rule, because }: ReplayVerdict): string {
  const place = rule === undefined ? "" : ` (${rule.file}:${rule.line})`;
  return `  call ${index + 1}, \`${tool}\`: ${reason}${place}${because === undefined ? "" : `: ${because}`}`;
}

function hypothetical(verdicts: readonly ReplayVerdict[]): readonly string[] {
  const rest = verdicts.filter((verdict) => verdict.hypothetical === true);
  if (rest.length === 0) return [];
  const refused = rest.filter(({ kind }) => kind === "block").length;
  return [`  then ${counted(rest.length, "call")}, hypothetical: ${refused} refused`];
}

/** The first refused call of each session, and the counts. */
export class TextPrinter implements Printer {
  constructor(private readonly output: Output) {}

  session({ id, verdicts, first_block: first }: ReplayedSession, where: string): void {
    const refused = first === null ? undefined : verdicts[first];
    if (refused === undefined) return;
    const lines = [`session ${id} (${where})`, refusalText(refused), ...hypothetical(verdicts)];
    this.output.write(`${lines.map(cleanLine).join("\n")}\n`);
  }

  end({ sessions, calls, allowed, blocked, by_reason: reasons }: ReplaySummary): void {
    const waiting = calls - allowed - blocked;
    const approvals = waiting === 0 ? "" : `, ${waiting} need an approval`;
    this.output.write(
      `${counted(sessions, "session")}, ${counted(calls, "call")}: ${allowed} allowed, ${blocked} refused${approvals}\n`,
    );
    for (const [reason, count] of Object.entries(reasons)) this.output.write(`  ${count} ${cleanLine(reason)}\n`);
  }
}
