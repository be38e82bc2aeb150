import { describe, it } from "vitest";
import { REASONS } from "../../src/artifact/reasons.js";
import { expectGolden } from "../support/golden.js";

const INTRODUCTION = `# Reasons

Why a call was refused, by code: \`verdict.reason\` of a block. Codes are never renamed or reused. Made from
\`src/artifact/reasons.ts\`; \`contracts explain <reason>\` tells why and what to do about it. The order in which checks run stands in \`src/artifact/check-order.ts\`.

| reason | meaning |
|---|---|
`;

describe("docs/reasons.md", () => {
  it("lists every reason", () => {
    const rows = Object.entries(REASONS).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |\n`);
    expectGolden(new URL("../../docs/reasons.md", import.meta.url).pathname, INTRODUCTION + rows.join(""));
  });
});
