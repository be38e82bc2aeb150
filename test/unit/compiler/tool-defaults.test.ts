import { describe, expect, it } from "vitest";
import type { Artifact } from "../../../src/artifact/compiled.js";
import { DEFAULT_FIELDS } from "../../../src/language/tool-defaults.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { outputWithoutAnalysis } from "../../support/rule-fixtures.js";

/** A value for each field that may have a default. */
const VALUES: Readonly<Record<string, string>> = {
  evidence_class: "local_transaction",
  commit_requirement: "none",
  timeouts: "{ total_ms: 1234 }",
  retries: '{ max_attempts: 3, retry_on: ["429"] }',
  rate_limits: "{ on_429: { respect_retry_after: false, max_sleep_seconds: 7 } }",
  assertions: "{ input_invariants: [{ path: $.a, exists: true }], output_invariants: [{ path: $.b, exists: true }] }",
  golden_cases: "[{ id: plain, arguments: { a: 1 }, expect_ok: true, given: { principal: { role: clerk } } }]",
  allowed_errors: '["404"]',
  transitions: "{ valid_in_phases: [open] }",
  schema_derived: "false",
  policy: "{ allow: [{ principal: { path: $.role, equals: clerk } }] }",
  response_format_invariants: "{ finish_reason: tool_calls }",
  checkpoint: "{ when: [{ path: $.a, equals: 2 }], timeout_seconds: 60 }",
};

const SESSION = `#== session.yaml
schema_version: "1.1"
agent: example
phases: [{ name: open, initial: true, terminal: true }]
`;

const linesOf = (values: Readonly<Record<string, string>>, indent = "") =>
  Object.entries(values)
    .map(([field, value]) => `${indent}${field}: ${value}\n`)
    .join("");

const tool = (name: string, fields = "") => `#== ${name}.yaml\ntool: ${name}\nside_effect: write\n${fields}`;

/** An artifact without the places of its rules. */
function content({ hash: _, ...artifact }: Artifact): unknown {
  const isPlace = (value: object) => Object.keys(value).sort().join() === "file,line";
  return JSON.parse(
    JSON.stringify(artifact, (_key, value: unknown) =>
      typeof value === "object" && value !== null && isPlace(value) ? null : value,
    ),
  );
}

describe("tool_defaults", () => {
  it("may give every field but those that tell tools apart", () => {
    expect([...DEFAULT_FIELDS].sort()).toEqual(Object.keys(VALUES).sort());
  });

  it("mean what the same fields mean in every contract that lacks them", () => {
    const given = `${SESSION}tool_defaults:\n${linesOf(VALUES, "  ")}`;
    const short = artifactOf(`${given}${tool("save")}${tool("send")}`);
    const long = artifactOf(`${SESSION}${tool("save", linesOf(VALUES))}${tool("send", linesOf(VALUES))}`);
    expect(content(short)).toEqual(content(long));
  });

  it.each(Object.entries(VALUES))("give %s alone", (field, value) => {
    const { [field]: _, ...others } = VALUES;
    const short = artifactOf(`${SESSION}tool_defaults:\n  ${field}: ${value}\n${tool("save", linesOf(others))}`);
    expect(content(short)).toEqual(content(artifactOf(`${SESSION}${tool("save", linesOf(VALUES))}`)));
  });

  it("are replaced whole by a field of the contract", () => {
    const given = `${SESSION}tool_defaults:\n${linesOf(VALUES, "  ")}`;
    const own = "assertions: { input_invariants: [{ path: $.c, exists: true }], output_invariants: [] }\n";
    const [save] = artifactOf(`${given}${tool("save", own)}${tool("send")}`).packs[0]?.tools ?? [];
    expect(save?.output_invariants).toEqual([]);
    const inputs = save?.checks.flatMap((check) => (check.kind === "input_invariant" ? [check.path.text] : []));
    expect(inputs).toEqual(["$.c"]);
  });

  it("put their rules at their place in session.yaml, one rule for all tools that take them", () => {
    const given = `${SESSION}tool_defaults:\n${linesOf(VALUES, "  ")}`;
    const { packs } = artifactOf(`${given}${tool("save")}${tool("send")}`);
    const places = packs[0]?.tools.map(({ output_invariants: [first] }) => first?.at);
    expect(places).toEqual([
      { file: "session.yaml", line: 10 },
      { file: "session.yaml", line: 10 },
    ]);
  });

  it("are not known where session.yaml cannot be read, so nothing is said to be missing", () => {
    const broken = `#== session.yaml\nschema_version: "1.1\n${tool("save")}`;
    expect(outputWithoutAnalysis(broken)).not.toContain("missing_field");
    expect(outputWithoutAnalysis(`${SESSION}${tool("save")}`)).toContain("missing_field");
  });
});
