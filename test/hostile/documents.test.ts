import { describe } from "vitest";
import { type RefusedPack, testRefused, toolText } from "../support/hostile-pack.js";

/** Whole files that are no contract, by what they are. */
const DOCUMENTS: readonly (readonly [what: string, code: RefusedPack["code"], text: string])[] = [
  ["an empty file", "wrong_type", ""],
  ["only comments", "wrong_type", "# nothing\n# here\n"],
  ["only line ends", "wrong_type", "\n\n\n"],
  ["only a document marker", "wrong_type", "---\n"],
  ["only a byte order mark", "wrong_type", "\ufeff"],
  ["a list", "wrong_type", "- tool: t\n"],
  ["a text", "wrong_type", "hello\n"],
  ["a number", "wrong_type", "42\n"],
  ["null", "wrong_type", "null\n"],
  ["a boolean", "wrong_type", "true\n"],
  ["an empty mapping", "missing_field", "{}\n"],
  ["JSON", "missing_field", '{ "tool": "t" }\n'],
  ["a Markdown page", "wrong_type", "Title\n=====\n\nSome text.\n"],
  ["two documents", "several_documents", `${toolText()}---\n${toolText()}`],
  ["a document and an empty one", "several_documents", `${toolText()}---\n`],
  ["a directive for YAML 1.1", "yaml_syntax", `%YAML 1.1\n---\n${toolText()}`],
  ["a directive for YAML 9.9", "yaml_syntax", `%YAML 9.9\n---\n${toolText()}`],
  ["a directive without a document", "yaml_syntax", "%YAML 1.2\n"],
  ["tabs as indentation", "yaml_syntax", `${toolText()}binds:\n\t- name: x\n`],
  ["a tab before a key", "yaml_syntax", `a:\n\tb: 1\n`],
  ["a custom tag", "custom_tag", `${toolText()}x: !!js/function "return 1"\n`],
  ["an undeclared tag", ["custom_tag", "yaml_syntax"], toolText({ side_effect: "!x!foo read" })],
  ["a binary tag", "custom_tag", `${toolText()}x: !!binary aGVsbG8=\n`],
  ["a set", "custom_tag", `${toolText()}x: !!set { a, b }\n`],
  ["a merge key", "merge_key", `${toolText()}x: { <<: { a: 1 } }\n`],
  ["a null key", "non_string_key", `${toolText()}~: 1\n`],
  ["a boolean key", "non_string_key", `${toolText()}true: 1\n`],
  ["a list as a key", "non_string_key", `${toolText()}? [a, b]\n: 1\n`],
  ["a key without a name", "non_string_key", `${toolText()}: 1\n`],
  ["not a number", "imprecise_number", `${toolText()}x: .nan\n`],
  ["infinity", "imprecise_number", `${toolText()}x: -.inf\n`],
  ["an integer that no double holds", "imprecise_number", `${toolText()}x: 9007199254740993\n`],
  ["keys that differ only in quotes", "duplicate_key", `${toolText()}"tool": t\n`],
  ["a mapping that never closes", "yaml_syntax", "tool: { a: 1\n"],
  ["a list that never closes", "yaml_syntax", "tool: [ 1, 2\n"],
  ["a bracket of the other kind", "yaml_syntax", "tool: [ 1, 2 }\n"],
  ["a key on the line of another", "yaml_syntax", "tool: a: b\n"],
  ["text behind a quoted text", "yaml_syntax", 'tool: "a" b\n'],
  ["two anchors on one value", "yaml_syntax", "tool: &a &b c\n"],
];

describe("files that are no contract", () => {
  testRefused(DOCUMENTS.map(([what, code, text]): RefusedPack => ({ what, code, files: () => ({ "t.yaml": text }) })));
});
