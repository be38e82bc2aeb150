import { describe } from "vitest";
import { MAX_FILE_BYTES } from "../../src/language/file-tree.js";
import {
  type AcceptedPack,
  filled,
  type RefusedPack,
  sessionText,
  testAccepted,
  testRefused,
  toolText,
} from "../support/hostile-pack.js";

const ROOM = MAX_FILE_BYTES - 1000;

/** A text that fills a file, in each style that YAML has for it. */
const STYLES: ReadonlyMap<string, () => string> = new Map([
  ["plain", () => "x".repeat(ROOM)],
  ["plain and full of spaces", () => filled("x ", ROOM)],
  ["plain on many lines", () => filled("x\n    ", ROOM)],
  ["single-quoted", () => `'${"x".repeat(ROOM)}'`],
  ["single-quoted and full of quotes", () => `'${filled("''", ROOM)}'`],
  ["double-quoted", () => `"${"x".repeat(ROOM)}"`],
  ["double-quoted and full of escapes", () => `"${filled("\\u0041", ROOM)}"`],
  ["literal", () => `|\n        ${"x".repeat(ROOM)}`],
  ["literal on many lines", () => `|\n${filled("        x\n", ROOM)}`],
  ["folded", () => `>\n        ${"x".repeat(ROOM)}`],
  ["folded on many lines", () => `>\n${filled("        x\n", ROOM)}`],
  ["full of emoji", () => `"${filled("😀", ROOM)}"`],
]);

function agentPacks(): readonly AcceptedPack[] {
  return [...STYLES].map(([style, text]) => ({
    what: `a name of almost 1 MiB, ${style},`,
    files: () => ({ "t.yaml": toolText(), "session.yaml": sessionText({ agent: text() }) }),
  }));
}

function labelledPacks(): readonly AcceptedPack[] {
  return ["plain", "double-quoted", "literal"].map((style) => ({
    what: `a checkpoint label of almost 1 MiB, ${style},`,
    files: () => {
      const context = `\n    - path: "$.a"\n      label: ${STYLES.get(style)?.()}`;
      return { "t.yaml": toolText({ checkpoint: `\n  when: always\n  timeout_seconds: 30\n  context:${context}` }) };
    },
  }));
}

function exactly(bytes: number): string {
  const text = toolText();
  return `${text}#${"x".repeat(bytes - text.length - 1)}`;
}

describe("texts just below the size limit", () => {
  testAccepted([
    ...agentPacks(),
    ...labelledPacks(),
    { what: "a file of exactly 1 MiB", files: () => ({ "t.yaml": exactly(MAX_FILE_BYTES) }) },
  ]);
});

function tool(what: string, code: RefusedPack["code"], text: () => string): RefusedPack {
  return { what, code, files: () => ({ "t.yaml": text() }) };
}

describe("texts that are too large or in the wrong place", () => {
  testRefused([
    tool("a file one byte above 1 MiB", "file_too_large", () => exactly(MAX_FILE_BYTES + 1)),
    tool("a name of 2 MiB", "file_too_large", () => toolText({}, "x".repeat(2 * ROOM))),
    ...["plain", "double-quoted", "folded"].map((style) =>
      tool(`a tool name of almost 1 MiB, ${style},`, "bad_tool_name", () => toolText({}, STYLES.get(style)?.())),
    ),
    tool("a side effect of almost 1 MiB", "unknown_value", () => toolText({ side_effect: "x".repeat(ROOM) })),
    tool("a phase of almost 1 MiB", "unknown_phase", () => {
      return toolText({ transitions: `\n  valid_in_phases:\n    - ${"x".repeat(ROOM)}` });
    }),
    tool("an unknown key of almost 1 MiB", "unknown_key", () => `${toolText()}? "${"x".repeat(ROOM)}"\n: 1\n`),
    tool("an implicit key of almost 1 MiB", "yaml_syntax", () => `${toolText()}${"x".repeat(ROOM)}: 1\n`),
    tool("an anchor of almost 1 MiB", "unknown_key", () => `${toolText()}x: &${"x".repeat(ROOM)} 1\n`),
    tool("an alias of almost 1 MiB", "unknown_alias", () => `${toolText()}x: *${"x".repeat(ROOM)}\n`),
    tool("a tag of almost 1 MiB", "custom_tag", () => `${toolText()}x: !${"x".repeat(ROOM)} 1\n`),
    tool(
      "a tag with an unknown handle of almost 1 MiB",
      ["custom_tag", "yaml_syntax"],
      () => `${toolText()}x: !x!${"x".repeat(ROOM)} 1\n`,
    ),
    tool("a block header of almost 1 MiB", "yaml_syntax", () => `${toolText()}x: |${"x".repeat(ROOM)}\n`),
    tool("a number of a million digits", "imprecise_number", () => `${toolText()}x: ${"9".repeat(ROOM)}\n`),
    tool(
      "a hexadecimal number of a million digits",
      "imprecise_number",
      () => `${toolText()}x: 0x${"f".repeat(ROOM)}\n`,
    ),
    tool("an exponent of a million digits", "imprecise_number", () => `${toolText()}x: 1e${"9".repeat(ROOM)}\n`),
    tool("a status of a million characters", "bad_status", () => {
      return toolText({ retries: `{ max_attempts: 1, retry_on: ["${"4 ".repeat(ROOM / 2)}"] }` });
    }),
    tool("a double quote that never closes", "yaml_syntax", () => `${toolText()}x: "${"x".repeat(ROOM)}`),
    tool("a single quote that never closes", "yaml_syntax", () => `${toolText()}x: '${"x\n ".repeat(ROOM / 3)}`),
  ]);
});
