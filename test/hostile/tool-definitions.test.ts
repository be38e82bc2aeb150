import { describe } from "vitest";
import { MAX_FILE_BYTES } from "../../src/language/file-tree.js";
import {
  type AcceptedPack,
  filled,
  type RefusedPack,
  testAccepted,
  testRefused,
  toolText,
} from "../support/hostile-pack.js";

type Schema = Readonly<Record<string, unknown>>;

function withText(what: string, text: () => string): AcceptedPack {
  return { what, files: () => ({ "t.yaml": toolText(), "tools.json": text() }) };
}

function withSchema(what: string, schema: () => Schema): AcceptedPack {
  return withText(what, () => JSON.stringify([{ name: "t", input_schema: schema() }]));
}

function named(count: number, entry: (index: number) => unknown): Schema {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, entry(index)]));
}

/** Thirty definitions, each of which refers ten times to the next: 10^30 schemas when written out. */
function fanOut(use: (targets: readonly Schema[]) => Schema): Schema {
  const definition = (index: number) => use(Array.from({ length: 10 }, () => ({ $ref: `#/$defs/n${index + 1}` })));
  const $defs = { ...named(30, definition), n30: { type: "string", maxLength: 5, pattern: "^a" } };
  return { type: "object", properties: { a: { $ref: "#/$defs/n0" } }, $defs };
}

function chain(use: (target: Schema) => Schema): Schema {
  const $defs = named(3000, (index) => (index === 2999 ? {} : use({ $ref: `#/$defs/n${index + 1}` })));
  return { $ref: "#/$defs/n0", $defs };
}

function propertiesOf(targets: readonly Schema[]): Schema {
  return { type: "object", properties: named(targets.length, (index) => targets[index]) };
}

describe("schemas that are large but fine", () => {
  testAccepted([
    withSchema("refs that fan out through allOf", () => fanOut((targets) => ({ allOf: targets }))),
    withSchema("refs that fan out through anyOf", () => fanOut((targets) => ({ anyOf: targets }))),
    withSchema("refs that fan out through oneOf", () => fanOut((targets) => ({ oneOf: targets }))),
    withSchema("refs that fan out through properties", () => fanOut(propertiesOf)),
    withSchema("refs that fan out through lists", () => fanOut((targets) => ({ type: "array", prefixItems: targets }))),
    withSchema("a chain of three thousand refs", () => chain((target) => target)),
    withSchema("a chain of refs through properties", () => chain((target) => ({ properties: { a: target } }))),
    withSchema("a chain of refs through anyOf", () => chain((target) => ({ anyOf: [target] }))),
    withSchema("a chain of refs through not", () => chain((target) => ({ not: target }))),
    withSchema("a tree that refers to itself", () => ({ type: "object", properties: { a: { $ref: "#" } } })),
    withSchema("a tree that refers to itself thrice", () => {
      return { allOf: [{ properties: named(3, () => ({ $ref: "#" })) }] };
    }),
    withSchema("an enum of a hundred thousand", () => {
      return { properties: { a: { enum: Array.from({ length: 100_000 }, (_, index) => index) } } };
    }),
    withSchema("seventy thousand required names", () => {
      return { required: Array.from({ length: 70_000 }, (_, index) => `r${index}`) };
    }),
    withSchema("ten thousand properties", () => ({ properties: named(10_000, () => ({ type: "string" })) })),
    withSchema("twenty thousand choices", () => ({
      oneOf: Array.from({ length: 20_000 }, () => ({ type: "string" })),
    })),
    withSchema("two hundred slow patterns", () => {
      return { properties: named(200, (index) => ({ type: "string", pattern: `^(a|a)*(b+)+${index}$` })) };
    }),
  ]);

  testAccepted([
    {
      ...withText("ten thousand tools", () =>
        JSON.stringify(Array.from({ length: 10_000 }, (_, index) => ({ name: `t${index}`, input_schema: {} }))),
      ),
      warnings: ["missing_definition", "missing_contract"],
    },
    {
      ...withSchema("ten thousand unknown keywords", () => named(10_000, () => 1)),
      warnings: ["unenforced_schema_keyword"],
    },
  ]);
});

const refused = (what: string, code: RefusedPack["code"], text: () => string): RefusedPack => ({
  ...withText(what, text),
  code,
});
const refusedSchema = (what: string, schema: () => Schema): RefusedPack => ({
  ...withSchema(what, schema),
  code: "bad_schema",
});

describe("schemas that make no sense", () => {
  testRefused([
    refusedSchema("a ref to itself", () => ({ $ref: "#" })),
    refusedSchema("two refs to each other", () => {
      return { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    }),
    refusedSchema("a loop through allOf and anyOf", () => {
      return { $ref: "#/$defs/a", $defs: { a: { allOf: [{ anyOf: [{ $ref: "#/$defs/a" }] }] } } };
    }),
    refusedSchema("a ref to nothing", () => ({ $ref: `#/${"a/".repeat(100_000)}` })),
    refusedSchema("a ref through the prototype", () => ({ $ref: "#/__proto__" })),
    refusedSchema("ten thousand malformed properties", () => ({ properties: named(10_000, () => 1) })),
    {
      ...withSchema("a ref to another place", () => ({ $ref: "file:///etc/passwd" })),
      code: "unsupported_schema_keyword",
    },
    {
      ...withSchema("a pattern with lookahead", () => ({
        type: "object",
        properties: { a: { type: "string", pattern: "(?=a)" } },
      })),
      code: "unsupported_schema_pattern",
    },
    refused("a number beyond every double", "bad_schema", () => '[{"name":"t","input_schema":{"maximum":1e999}}]'),
  ]);
});

describe("definitions that make no sense", () => {
  testRefused([
    refused("an empty file", "json_syntax", () => ""),
    refused("null", "bad_tool_definition", () => "null"),
    refused("a text", "bad_tool_definition", () => '"tools"'),
    refused("tools that are no list", "bad_tool_definition", () => '{"tools":{}}'),
    refused("ten thousand definitions of one tool", "duplicate_definition", () => {
      return JSON.stringify(Array.from({ length: 10_000 }, () => ({ name: "t", input_schema: {} })));
    }),
    refused(
      "half a million entries that are no definitions",
      "bad_tool_definition",
      () => `[${"1,".repeat(500_000)}1]`,
    ),
    refused("a hundred thousand equal keys", "duplicate_key", () => `{${'"a":1,'.repeat(100_000)}"a":1}`),
    refused("1 MiB of quotes", "json_syntax", () => '"'.repeat(MAX_FILE_BYTES)),
    refused("1 MiB of backslashes in a text", "json_syntax", () => `"${"\\".repeat(MAX_FILE_BYTES - 1)}`),
    refused("a text that never closes", "json_syntax", () => `"${"a".repeat(MAX_FILE_BYTES - 1)}`),
    refused("1 MiB of commas", "json_syntax", () => `[${",".repeat(MAX_FILE_BYTES - 1)}`),
    refused("1 MiB of minus signs", "json_syntax", () => "-".repeat(MAX_FILE_BYTES)),
    refused("1 MiB of slashes", "json_syntax", () => "/".repeat(MAX_FILE_BYTES)),
    refused("1 MiB of brackets that do not match", "json_syntax", () => filled("[}", MAX_FILE_BYTES)),
    refused("more than 1 MiB", "file_too_large", () => " ".repeat(MAX_FILE_BYTES + 1)),
    refused("a comment", "json_syntax", () => "// tools\n[]"),
    refused("a comma too many", "json_syntax", () => '[{"name":"t","input_schema":{}},]'),
    refused("YAML", "json_syntax", () => "- name: t\n  input_schema: {}\n"),
    refused("lists behind a text that never closes", ["json_syntax", "too_deep"], () => `[ "\n${"[".repeat(100_000)}`),
    refused("lists behind an escaped line end", ["json_syntax", "too_deep"], () => `["\\\n",${"[".repeat(100_000)}`),
    refused("lists between comments with quotes", ["json_syntax", "too_deep"], () => {
      return `/*"*/${"[".repeat(100_000)}/*"*/`;
    }),
  ]);
});
