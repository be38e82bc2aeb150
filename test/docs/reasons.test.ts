import { describe, it } from "vitest";
import { REASONS } from "../../src/artifact/reasons.js";
import { type ExplainedCode, REQUEST_WARNINGS, SETTLEMENT_REFUSALS } from "../../src/artifact/run-time-codes.js";
import { expectGolden } from "../support/golden.js";

const INTRODUCTION = `# Reasons

Why a call was refused, by code: \`verdict.reason\` of a block. Codes are never renamed or reused. Made from
\`src/artifact/reasons.ts\`; \`contracts explain <reason>\` shows why and what to do about it. The order of the checks is in \`src/artifact/check-order.ts\`.

| reason | meaning |
|---|---|
`;

const SETTLEMENTS = `
## Settlements

Why \`settle\` answers \`accepted: false\`, having changed nothing:

| reason | meaning |
|---|---|
`;

const WARNINGS = `
## Warnings about requests

What \`checkRequest\` lists as \`warnings\`; the request may be sent:

| code | meaning |
|---|---|
`;

function rowsOf(codes: Readonly<Record<string, ExplainedCode>>): readonly string[] {
  return Object.entries(codes).map(([code, { what }]) => `| \`${code}\` | ${what} |\n`);
}

describe("docs/reasons.md", () => {
  it("lists every reason", () => {
    const rows = Object.entries(REASONS).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |\n`);
    const parts = [
      INTRODUCTION,
      ...rows,
      SETTLEMENTS,
      ...rowsOf(SETTLEMENT_REFUSALS),
      WARNINGS,
      ...rowsOf(REQUEST_WARNINGS),
    ];
    expectGolden(new URL("../../docs/reasons.md", import.meta.url).pathname, parts.join(""));
  });
});
