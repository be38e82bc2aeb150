import type { Change, Difference, Divergence } from "../difference.js";
import { headline, kindOf, ruleLabel, sessionLines, verdictOf } from "./difference-words.js";

/** What an escape sequence or a line break in a name could do to a terminal, it does not do here. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

function changeLines(change: Change): readonly string[] {
  const { what, name, tools, before, after } = change;
  const about = what === "tool" || tools.length === 0 ? "" : ` [${tools.join(", ")}]`;
  const title = `  ${kindOf(change)} ${what}: ${name}${about}`;
  const isTold = before === null || after === null || before === after;
  return isTold ? [title] : [title, `    before: ${before}`, `    after:  ${after}`];
}

function divergenceLines(divergence: Divergence): readonly string[] {
  const steps = sessionLines(divergence).map((line, at) => `    ${at + 1}. ${line}`);
  return [`  ${headline(divergence)}`, `    ${ruleLabel(divergence)}: ${divergence.rule}`, ...steps];
}

function packLines({ pack, changes, divergences, isBounded }: Difference): readonly string[] {
  return [
    `${pack}:`,
    ...changes.flatMap(changeLines),
    ...divergences.flatMap((divergence) => ["", ...divergenceLines(divergence)]),
    ...(isBounded ? ["", "  The search ended before it was complete: there may be more."] : []),
  ];
}

/** Differences as plain text. */
export function renderText(differences: readonly Difference[]): string {
  const lines = [verdictOf(differences), ...differences.flatMap((difference) => ["", ...packLines(difference)])];
  return `${lines.map(plain).join("\n")}\n`;
}
