import { rewriteUnsafe } from "../../base/clean.js";
import { tallyOf } from "./render-tests.js";
import type { TestResult } from "./test-result.js";

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

function testcase({ tool, id, at, failure }: TestResult, fileOf: (file: string) => string): string {
  const classname = tool === "" ? "scenario" : tool;
  const opening = `    <testcase${attributes({ classname, name: id, file: fileOf(at.file), line: at.line })}`;
  if (failure === null)
    return `${opening}/>
`;
  const shown = attributes({ type: failure.code, message: failure.message });
  return `${opening}>
      <failure${shown}>${escaped(failure.help)}</failure>
    </testcase>
`;
}

/** The pack's name, the paths of its files, and the errors that prevent playing its cases, if any. */
interface JunitOptions {
  readonly name: string;
  readonly fileOf: (file: string) => string;
  /** Lines that are clean; empty where the pack compiles. */
  readonly errors: string;
}

/** A JUnit report: one suite, one test case for each golden case and scenario. A pack with errors is one test case in error. */
export function renderJunit(results: readonly TestResult[], { name, fileOf, errors }: JunitOptions): string {
  const broken =
    errors === ""
      ? []
      : [
          `    <testcase${attributes({ classname: name, name: "compile" })}>\n` +
            `      <error type="pack_has_errors" message="the pack has errors">${errors.split("\n").map(escaped).join("\n")}</error>\n    </testcase>\n`,
        ];
  const tests = [...broken, ...results.map((each) => testcase(each, fileOf))];
  const counts = attributes({ tests: tests.length, failures: tallyOf(results).failed, errors: broken.length });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites${counts}>
  <testsuite${attributes({ name })}${counts}>
${tests.join("")}  </testsuite>
</testsuites>
`;
}
