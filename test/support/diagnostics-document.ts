import { RULES } from "../../src/compiler/rules/index.js";
import { invalidFixtures, read, validFixtures } from "./rule-fixtures.js";

const INTRODUCTION = `# Diagnostics

Every finding of \`contracts compile\` and \`contracts check\`, by code. \`contracts explain CODE\` prints the entry of one.
An **error** makes the artifact wrong or unsafe, so none is written. A **warning** can be suppressed in session.yaml:

\`\`\`yaml
graph_analysis:
  suppress:
    - check: dead_tool
      tool: sentinel_tool
      reason: "Intentional sentinel"
\`\`\`

In the examples a line \`#== name\` starts a file of the pack, and a file said to be "with the required fields" leaves out
those that do not matter. This page is made from the rules and their test fixtures.
`;

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
}

function entry(code: string): string {
  const rule = RULES.find((candidate) => candidate.code === code);
  const [invalid = ""] = invalidFixtures(code).filter((file) => file.endsWith("/invalid.yaml"));
  const [valid = ""] = validFixtures(code).filter((file) => file.endsWith("/valid.yaml"));
  return [
    `## ${code}\n`,
    `${rule?.what} (${rule?.severity})\n`,
    `**Why:** ${rule?.why}\n`,
    `**How to mend it:** ${rule?.mend}\n`,
    "Bad:\n",
    block("yaml", read(invalid)),
    block("text", read(invalid.replace(/\.yaml$/, ".out"))),
    "Good:\n",
    block("yaml", read(valid)),
  ].join("\n");
}

/** docs/diagnostics.md as the rules and their fixtures say it. */
export function diagnosticsDocument(): string {
  const codes = RULES.map(({ code }) => code);
  const index = RULES.map(
    ({ code, severity, what }) => `| [${code}](#${code.toLowerCase()}) | ${severity} | ${what} |`,
  );
  const table = `| code | severity | what it finds |\n|---|---|---|\n${index.join("\n")}\n`;
  return [INTRODUCTION, table, ...codes.map(entry)].join("\n");
}
