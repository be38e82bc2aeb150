import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { sessionContract } from "../../src/language/schema/session.js";
import { toolContract } from "../../src/language/schema/tool.js";
import { generateCase } from "./generate.js";

const PACKS = 6000;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every field and every fixed value that a schema of the language knows, as paths. */
function constructsOf(schema: unknown, path: string): readonly string[] {
  if (!isRecord(schema)) return [];
  const { properties, items, anyOf, additionalProperties, enum: values, const: only } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const fixed = [...(Array.isArray(values) ? values : []), ...(only === undefined ? [] : [only])];
  return [
    ...fields.flatMap(([name, field]) => [`${path}.${name}`, ...constructsOf(field, `${path}.${name}`)]),
    ...constructsOf(items, path),
    ...constructsOf(additionalProperties, path),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((branch) => constructsOf(branch, path)) : []),
    ...fixed.map((value) => `${path}=${value}`),
  ];
}

/** The same paths of a value; names that the user chose are left out by the comparison. */
function constructsIn(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => constructsIn(item, path));
  if (!isRecord(value)) return [`${path}=${value}`];
  return Object.entries(value).flatMap(([name, item]) => [
    `${path}.${name}`,
    ...constructsIn(item, `${path}.${name}`),
    ...constructsIn(item, path),
  ]);
}

describe("generated packs", () => {
  it("use every field and every fixed value of the language, between them", () => {
    const used = new Set<string>();
    for (let seed = 0; seed < PACKS; seed += 1) {
      const { tools, session } = generateCase(seed, 0).pack;
      for (const tool of tools) for (const construct of constructsIn(tool, "tool")) used.add(construct);
      for (const construct of constructsIn(session, "session")) used.add(construct);
    }
    // Golden cases speak to the compiler alone.
    const ofTools = constructsOf(toolContract, "tool").filter((path) => !path.startsWith("tool.golden_cases."));
    // What tools take by default is the same as what they have themselves.
    const ofSession = constructsOf(sessionContract, "session").filter(
      (path) => !/^session\.tool_defaults\.\w+[.=]/.test(path),
    );
    const known = [...ofTools, ...ofSession];
    expect(known.length).toBeGreaterThan(200);
    expect(known.filter((construct) => !used.has(construct))).toEqual([]);
  }, 300_000);

  it("are the same for the same seed", () => {
    const text = () => inspect(generateCase(42, 3), { depth: null });
    expect(text()).toBe(text());
  });
});
