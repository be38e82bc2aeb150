import { REASON_ADVICE } from "../../artifact/reason-advice.js";
import { REASONS } from "../../artifact/reasons.js";
import { type ExplainedCode, REQUEST_WARNINGS, SETTLEMENT_REFUSALS } from "../../artifact/run-time-codes.js";
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

/** The codes of the guard, by what they are. */
const RUN_TIME: readonly (readonly [kind: string, codes: Readonly<Record<string, ExplainedCode>>])[] = [
  ["a reason why the guard refuses", explainedReasons()],
  ["a reason why a settlement is not accepted", SETTLEMENT_REFUSALS],
  ["a warning about a request to a model", REQUEST_WARNINGS],
];

function explainedReasons(): Readonly<Record<string, ExplainedCode>> {
  const meanings = new Map<string, string>(Object.entries(REASONS));
  return Object.fromEntries(
    Object.entries(REASON_ADVICE).map(([reason, advice]) => [reason, { what: meanings.get(reason) ?? "", ...advice }]),
  );
}

/** A code of the guard in words; null for any other code. */
function runTimeText(code: string): string | null {
  for (const [kind, codes] of RUN_TIME) {
    const explained = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (explained === undefined) continue;
    const { what, why, fix } = explained;
    const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
    return `${code}, ${kind}\n\n${sentence}\n\nWhy: ${why}\n\nWhat to do: ${fix}\n`;
  }
  return null;
}

/** Shows what a code means, why it matters and how to fix it, with a bad and a good example. */
export function explainCommand(terminal: Terminal, code: string): ExitCode {
  const found = VERIFICATION_FINDINGS.find((candidate) => candidate.code === code);
  if (found !== undefined) {
    const { severity, what, why, fix } = found;
    terminal.stdout.write(`${code} (${severity}), found by \`contracts verify\`\n\n${what} ${why}\n\nFix: ${fix}\n`);
    return EXIT.clean;
  }
  const ofGuard = runTimeText(code);
  if (ofGuard !== null) {
    terminal.stdout.write(ofGuard);
    return EXIT.clean;
  }
  const rule = [...RULES, ...GOLDEN_FINDINGS].find((candidate) => candidate.code === code);
  if (rule === undefined) {
    const codes = [...RULES, ...GOLDEN_FINDINGS, ...VERIFICATION_FINDINGS].map((candidate) => candidate.code);
    const meant = suggest(code, [...codes, ...RUN_TIME.flatMap(([, known]) => Object.keys(known))]);
    throw new UsageError(`there is no code \`${code}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`);
  }
  terminal.stdout.write(`${rule.code} (${rule.severity})\n\n${plain(sectionOf(rule.code))}\n`);
  return EXIT.clean;
}
