import { rewriteUnsafe } from "../../base/clean.js";
import type { PlayedCase } from "../../golden/played-case.js";
import { tallyOf } from "./render-tests.js";
import { codeOf, failureWords, helpFor } from "./words.js";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/**
 * Text for an attribute or an element, on one line. What XML 1.0 has no character for, escaped or not, becomes U+FFFD; what
 * could harm a terminal or a log that the report is printed to becomes a reference to the character.
 */
function escaped(text: string): string {
  const xml = text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
  return rewriteUnsafe(xml, (character) => `&#${character.codePointAt(0)};`);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
}

function testcase(played: PlayedCase, fileOf: (file: string) => string): string {
  const { golden, ok, actual } = played;
  const { tool, id, at } = golden;
  const opening = `    <testcase${attributes({ classname: tool, name: id, file: fileOf(at.file), line: at.line })}`;
  if (ok) return `${opening}/>\n`;
  const failure = attributes({ type: codeOf(actual), message: failureWords(played) });
  return `${opening}>\n      <failure${failure}>${escaped(helpFor(played))}</failure>\n    </testcase>\n`;
}

/** The pack's name, the paths of its files, and the errors that prevent playing its cases, if any. */
interface JunitOptions {
  readonly name: string;
  readonly fileOf: (file: string) => string;
  /** Lines that are clean; empty where the pack compiles. */
  readonly errors: string;
}

/** A JUnit report: one suite, one test case for each golden case. A pack with errors is one test case in error. */
export function renderJunit(played: readonly PlayedCase[], { name, fileOf, errors }: JunitOptions): string {
  const broken =
    errors === ""
      ? []
      : [
          `    <testcase${attributes({ classname: name, name: "compile" })}>\n` +
            `      <error type="pack_has_errors" message="the pack has errors">${errors.split("\n").map(escaped).join("\n")}</error>\n    </testcase>\n`,
        ];
  const tests = [...broken, ...played.map((each) => testcase(each, fileOf))];
  const counts = attributes({ tests: tests.length, failures: tallyOf(played).failed, errors: broken.length });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites${counts}>
  <testsuite${attributes({ name })}${counts}>
${tests.join("")}  </testsuite>
</testsuites>
`;
}
