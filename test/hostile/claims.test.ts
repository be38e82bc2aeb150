import { describe } from "vitest";
import { type Files, lines, sessionText, testAccepted, testRefused, toolText } from "../support/hostile-pack.js";

const HEAD = 'schema_version: "1.0"\nclaims:\n';

function withClaims(count: number, line: (index: number) => string, session = sessionText()): Files {
  return { "t.yaml": toolText(), "session.yaml": session, "claims.yaml": HEAD + lines(count, line) };
}

function phaseChain(length: number): string {
  const names = Array.from({ length }, (_, index) => `p${index}`);
  const phases = names.map((name, index) => ({ name, initial: index === 0, terminal: index > 0 }));
  return sessionText({ phases: JSON.stringify(phases), transitions: JSON.stringify({ p0: names.slice(1) }) });
}

describe("claims that are many", () => {
  testAccepted([
    { what: "a file of different claims", files: () => withClaims(4000, (i) => `- at_most: {tool: t, calls: ${i}}`) },
    {
      what: "a file of equal claims",
      files: () => withClaims(4000, () => "- at_most: {tool: t, calls: 1}"),
      warnings: ["duplicate_claim"],
    },
    {
      what: "a file of claims on labels that no gate names",
      files: () => withClaims(4000, (i) => `- never: {tool: t, when_label: label_${i}}`),
      warnings: ["unknown_label"],
    },
    {
      what: "a file of claims on the many terminal phases",
      files: () => withClaims(2000, () => "- always_possible: {reach: terminal}", phaseChain(2000)),
      warnings: ["duplicate_claim"],
    },
  ]);
});

describe("claims that are wrong", () => {
  testRefused([
    {
      what: "a file of claims on unknown tools",
      files: () => withClaims(4000, (i) => `- at_most: {tool: t_${i}, calls: 1}`),
      code: "unknown_tool",
    },
    {
      what: "a claim on a tool called like a part of every object",
      files: () => withClaims(1, () => "- never: {tool: constructor, after: __proto__}"),
      code: "unknown_tool",
    },
    {
      what: "a claim with a key called like a part of every object",
      files: () => withClaims(1, () => "- __proto__: {tool: t, calls: 1}"),
      code: "unknown_key",
    },
    { what: "a claim on nothing", files: () => withClaims(1, () => "- never: null"), code: "wrong_type" },
    { what: "a list in place of a claim", files: () => withClaims(1, () => "- [never]"), code: "wrong_type" },
  ]);
});
