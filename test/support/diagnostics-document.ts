import { RULES } from "../../src/compiler/rules/index.js";
import { GOLDEN_FINDINGS } from "../../src/diagnostics/golden-findings.js";
import { goldenFixture, invalidFixtures, read, validFixtures } from "./rule-fixtures.js";

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
those that do not matter. The last two come from playing golden cases, which \`contracts test\` does too. This page is made from the rules and their test fixtures.
`;

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
}

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** The examples of a code: a pack that it is found in, with what is printed, and one that it is not. */
interface Examples {
  readonly invalid: string;
  readonly valid: string;
}

function ruleExamples(code: string): Examples {
  const [invalid = ""] = invalidFixtures(code).filter((file) => file.endsWith("/invalid.yaml"));
  const [valid = ""] = validFixtures(code).filter((file) => file.endsWith("/valid.yaml"));
  return { invalid, valid };
}

function goldenExamples(code: string): Examples {
  return { invalid: goldenFixture(code, "invalid"), valid: goldenFixture(code, "valid") };
}

function entry({ code, severity, what, why, fix }: Finding, { invalid, valid }: Examples): string {
  return [
    `## ${code}\n`,
    `${what} (${severity})\n`,
    `**Why:** ${why}\n`,
    `**How to fix it:** ${fix}\n`,
    "Bad:\n",
    block("yaml", read(invalid)),
    block("text", read(invalid.replace(/\.yaml$/, ".out"))),
    "Good:\n",
    block("yaml", read(valid)),
  ].join("\n");
}

/** docs/diagnostics.md as the rules and their fixtures say it. */
export function diagnosticsDocument(): string {
  const index = [...RULES, ...GOLDEN_FINDINGS].map(
    ({ code, severity, what }) => `| [${code}](#${code.toLowerCase()}) | ${severity} | ${what} |`,
  );
  const table = `| code | severity | what it finds |\n|---|---|---|\n${index.join("\n")}\n`;
  return [
    INTRODUCTION,
    table,
    ...RULES.map((rule) => entry(rule, ruleExamples(rule.code))),
    ...GOLDEN_FINDINGS.map((finding) => entry(finding, goldenExamples(finding.code))),
  ].join("\n");
}
