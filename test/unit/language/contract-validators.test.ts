import { isDeepStrictEqual } from "node:util";
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  claimsValidator,
  sessionValidator,
  toolValidator,
  workflowValidator,
} from "../../../src/language/contract-validators.js";
import { formatTests } from "../../../src/language/formats.js";
import { claimsContract } from "../../../src/language/schema/claims.js";
import { sessionContract } from "../../../src/language/schema/session.js";
import { toolContract } from "../../../src/language/schema/tool.js";
import { workflowContract } from "../../../src/language/schema/workflow.js";
import { EXAMPLE_PACKS } from "../../support/example-packs.js";

const FORMATS = formatTests();
const GENERATED = {
  tool: toolValidator(FORMATS),
  session: sessionValidator(FORMATS),
  workflow: workflowValidator(FORMATS),
  claims: claimsValidator(FORMATS),
};
const SCHEMAS = { tool: toolContract, session: sessionContract, workflow: workflowContract, claims: claimsContract };
type Kind = keyof typeof SCHEMAS;
const KINDS: readonly Kind[] = ["tool", "session", "workflow", "claims"];

function kindOf(file: string): Kind {
  const name = file
    .split("/")
    .at(-1)
    ?.replace(/\.yaml$/, "");
  return KINDS.find((kind) => kind === name) ?? "tool";
}

const DOCUMENTS = EXAMPLE_PACKS.filter(({ name }) => name !== "broken").flatMap(({ files }) =>
  [...files]
    .filter(([file]) => /^(?!.*tests\/).*\.yaml$/.test(file))
    .map(([file, text]) => ({ kind: kindOf(file), text })),
);

/** In place of any value: each breaks other keywords. */
const ODD = [null, true, -1, 0.5, 10_000, "", "a b", "always", [], ["x"], {}, { path: "$.a", x: [1] }];

/** The document with one value replaced or left out, for every value in it. */
function* changed(root: unknown): Generator<unknown> {
  for (const odd of ODD) yield odd;
  if (typeof root !== "object" || root === null) return;
  for (const [key, value] of Object.entries(root)) {
    const copy = (entries: object) => (Array.isArray(root) ? Object.values(entries) : entries);
    const { [key]: _, ...rest } = { ...root } as Record<string, unknown>;
    yield copy(rest);
    for (const inner of changed(value)) yield copy({ ...root, [key]: inner });
  }
}

function errorsOf(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

describe.each(KINDS)("the validator of a %s contract", (kind) => {
  it("was generated from the schema as it is", () => {
    const [error] = errorsOf(GENERATED[kind], null);
    expect(error?.parentSchema, "run `npm run build` after a change of the schemas").toEqual(
      JSON.parse(JSON.stringify(SCHEMAS[kind])),
    );
  });

  it("gives the errors that ajv gives", () => {
    const compiled = new Ajv2020({ allErrors: true, verbose: true, strict: false, formats: FORMATS }).compile(
      SCHEMAS[kind],
    );
    const longest = DOCUMENTS.filter((each) => each.kind === kind).sort((a, b) => b.text.length - a.text.length);
    const documents = longest.slice(0, 3).map(({ text }): unknown => parse(text));
    expect(documents).not.toEqual([]);
    const keywords = new Set<string>();
    for (const value of documents.flatMap((document) => [document, ...changed(document)])) {
      const [found, expected] = [errorsOf(GENERATED[kind], value), errorsOf(compiled, value)];
      if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
      for (const { keyword } of found) keywords.add(keyword);
    }
    expect([...keywords]).toEqual(expect.arrayContaining(["type", "required", "additionalProperties"]));
  });
});
