import { REASON_ADVICE } from "../../artifact/reason-advice.js";
import { REASONS, type Reason } from "../../artifact/reasons.js";
import { suggest } from "../../base/suggest.js";
import { RULES } from "../../compiler/rules/index.js";
import { GOLDEN_FINDINGS } from "../../diagnostics/golden-findings.js";
import { VERIFICATION_FINDINGS } from "../../diagnostics/verification-findings.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { packageFile } from "../package-file.js";
import type { Terminal } from "../terminal.js";

/** The section of docs/diagnostics.md about one code: the document is made from the rules and their fixtures. */
function sectionOf(code: string): string {
  const document = packageFile("docs/diagnostics.md");
  const heading = `\n## ${code}\n`;
  const start = document.indexOf(heading) + heading.length;
  const end = document.indexOf("\n## ", start);
  return document.slice(start, end === -1 ? undefined : end).trim();
}

/** Markdown as a terminal shows it: code blocks are indented, their fences dropped. */
function plain(markdown: string): string {
  let inCode = false;
  const lines: string[] = [];
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    else lines.push(inCode ? `    ${line}`.trimEnd() : line.replaceAll("**", ""));
  }
  return lines.join("\n");
}

function isReason(code: string): code is Reason {
  return Object.hasOwn(REASONS, code);
}

function reasonText(reason: Reason): string {
  const { why, mend } = REASON_ADVICE[reason];
  const what = REASONS[reason];
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  return `${reason}, a reason why the guard refuses\n\n${sentence}\n\nWhy: ${why}\n\nWhat to do: ${mend}\n`;
}

/** Tells what a code means, why it matters and how to mend it, with an example of each side. */
export function explainCommand(terminal: Terminal, code: string): ExitCode {
  const found = VERIFICATION_FINDINGS.find((candidate) => candidate.code === code);
  if (found !== undefined) {
    const { severity, what, why, mend } = found;
    terminal.stdout.write(`${code} (${severity}), found by \`contracts verify\`\n\n${what} ${why}\n\nMend: ${mend}\n`);
    return EXIT.clean;
  }
  if (isReason(code)) {
    terminal.stdout.write(reasonText(code));
    return EXIT.clean;
  }
  const rule = [...RULES, ...GOLDEN_FINDINGS].find((candidate) => candidate.code === code);
  if (rule === undefined) {
    const codes = [...RULES, ...GOLDEN_FINDINGS, ...VERIFICATION_FINDINGS].map((candidate) => candidate.code);
    const meant = suggest(code, [...codes, ...Object.keys(REASONS)]);
    throw new UsageError(`there is no code \`${code}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`);
  }
  terminal.stdout.write(`${rule.code} (${rule.severity})\n\n${plain(sectionOf(rule.code))}\n`);
  return EXIT.clean;
}
