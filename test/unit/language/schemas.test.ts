import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { claimsContract } from "../../../src/language/schema/claims.js";
import { sessionContract } from "../../../src/language/schema/session.js";
import { toolContract } from "../../../src/language/schema/tool.js";
import { workflowContract } from "../../../src/language/schema/workflow.js";

const schemas = { tool: toolContract, session: sessionContract, workflow: workflowContract, claims: claimsContract };

describe.each(Object.entries(schemas))("the schema of a %s contract", (name, schema) => {
  it("is a JSON Schema of draft 2020-12", () => {
    const ajv = new Ajv2020({ strict: false });
    expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
  });

  it("describes every field, for editors", () => {
    const undescribed: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      for (const [key, value] of Object.entries(node)) {
        const isField = path.endsWith("/properties");
        if (isField && typeof value === "object" && value !== null && !("description" in value))
          undescribed.push(`${path}/${key}`);
        walk(value, `${path}/${key}`);
      }
    };
    walk(schema, "");
    expect(undescribed).toEqual([]);
  });

  it("is shipped as the build wrote it", () => {
    const shipped: unknown = JSON.parse(
      readFileSync(new URL(`../../../dist/schemas/${name}.schema.json`, import.meta.url), "utf8"),
    );
    expect(shipped).toMatchObject(JSON.parse(JSON.stringify(schema)));
  });
});

describe("the schema of a tool contract with defaults", () => {
  it("asks for what has no default, and knows the same fields", () => {
    const read = (name: string): { required: string[]; properties: object } =>
      JSON.parse(readFileSync(new URL(`../../../dist/schemas/${name}.schema.json`, import.meta.url), "utf8"));
    const [whole, brief] = [read("tool"), read("tool-with-defaults")];
    expect(brief.properties).toEqual(whole.properties);
    expect(brief.required).toEqual(["tool", "side_effect"]);
    expect(whole.required).toHaveLength(10);
  });
});
