import { isDeepStrictEqual } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isJsonList, isJsonObject, type Json } from "../../../src/base/json.js";
import {
  claimsSchema,
  type Schema,
  scenarioSchema,
  sessionSchema,
  toolSchema,
  workflowSchema,
} from "../../../src/language/contract-schemas.js";
import { formatTests } from "../../../src/language/formats.js";
import { claimsContract } from "../../../src/language/schema/claims.js";
import { scenarioContract } from "../../../src/language/schema/scenario.js";
import { sessionContract } from "../../../src/language/schema/session.js";
import { toolContract } from "../../../src/language/schema/tool.js";
import { workflowContract } from "../../../src/language/schema/workflow.js";
import { schemaErrors } from "../../../src/language/schema-errors.js";
import { EXAMPLE_PACKS } from "../../support/example-packs.js";

const FORMATS = formatTests();
const GENERATED: Record<Kind, Schema> = {
  tool: toolSchema,
  session: sessionSchema,
  workflow: workflowSchema,
  claims: claimsSchema,
  scenario: scenarioSchema,
};
const SCHEMAS = {
  tool: toolContract,
  session: sessionContract,
  workflow: workflowContract,
  claims: claimsContract,
  scenario: scenarioContract,
};
type Kind = keyof typeof SCHEMAS;
const KINDS: readonly Kind[] = ["tool", "session", "workflow", "claims", "scenario"];

function kindOf(file: string): Kind {
  if (/(?:^|\/)tests\//.test(file)) return "scenario";
  const name = file
    .split("/")
    .at(-1)
    ?.replace(/\.yaml$/, "");
  return KINDS.find((kind) => kind === name) ?? "tool";
}

const DOCUMENTS = EXAMPLE_PACKS.filter(({ name }) => name !== "broken").flatMap(({ files }) =>
  [...files].filter(([file]) => file.endsWith(".yaml")).map(([file, text]) => ({ kind: kindOf(file), text })),
);

/** In place of any value: each breaks other keywords. */
const ODD: readonly Json[] = [null, true, -1, 0.5, 10_000, "", "a b", "always", [], ["x"], {}, { path: "$.a", x: [1] }];

/** The document with one value replaced or left out, for every value in it. */
function* changed(root: Json): Generator<Json> {
  for (const odd of ODD) yield odd;
  if (isJsonList(root)) {
    for (const [index, item] of root.entries()) {
      yield root.toSpliced(index, 1);
      for (const inner of changed(item)) yield root.with(index, inner);
    }
  } else if (isJsonObject(root)) {
    for (const [key, item] of Object.entries(root)) {
      const { [key]: _, ...rest } = root;
      yield rest;
      for (const inner of changed(item)) yield { ...root, [key]: inner };
    }
  }
}

/** A schema without what only editors need. */
function plain({ description: _, ...schema }: Readonly<Record<string, unknown>>): unknown {
  const parts = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === "items" || (keyword === "additionalProperties" && value !== false))
      return [keyword, plainPart(value)];
    if (keyword === "anyOf" && Array.isArray(value)) return [keyword, value.map(plainPart)];
    if (keyword !== "properties" || typeof value !== "object" || value === null) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainPart(part)]))];
  });
  return Object.fromEntries(parts);
}

/** The text of a schema without what only editors need, made once: one comes with every error. */
const textOf = (() => {
  const known = new Map<unknown, string>();
  return (schema: unknown): string => {
    const text = known.get(schema) ?? JSON.stringify(plainPart(schema));
    known.set(schema, text);
    return text;
  };
})();

function plainPart(value: unknown): unknown {
  return typeof value === "object" && value !== null ? plain({ ...value }) : value;
}

describe.each(KINDS)("the schema of a %s contract", (kind) => {
  const schema: Schema = GENERATED[kind];
  const contract: unknown = JSON.parse(JSON.stringify(SCHEMAS[kind]));

  it("was written by the build as it is in the sources", () => {
    expect(schema, "run `npm run build` after a change of the schemas").toEqual(plainPart(contract));
  });

  it("finds the errors that ajv finds, in its order", () => {
    const validate = new Ajv2020({ allErrors: true, verbose: true, strict: false, formats: FORMATS }).compile(
      SCHEMAS[kind],
    );
    const longest = DOCUMENTS.filter((each) => each.kind === kind).sort((a, b) => b.text.length - a.text.length);
    const documents = longest.slice(0, 3).map(({ text }): Json => parse(text));
    expect(documents).not.toEqual([]);
    const keywords = new Set<string>();
    for (const value of documents.flatMap((document) => [document, ...changed(document)])) {
      const found = schemaErrors(schema, value, FORMATS).map((error) => ({
        ...error,
        parentSchema: textOf(error.parentSchema),
      }));
      validate(value);
      const ofAjv = validate.errors ?? [];
      const expected = ofAjv.map(({ keyword, instancePath, schemaPath, params, parentSchema }) => ({
        keyword,
        params,
        instancePath,
        schemaPath,
        parentSchema: textOf(parentSchema),
      }));
      if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
      for (const { keyword } of found) keywords.add(keyword);
    }
    expect([...keywords]).toEqual(expect.arrayContaining(["type", "required", "additionalProperties"]));
  });
});
