import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { workflowContract } from "../../src/language/schema/workflow.js";
import { tryCompileWorkflow } from "./compile-workflow.js";
import { generateWorkflowCase } from "./generate.js";

const WORKFLOWS = 150;

/** The fields of workflow.yaml, on every level. */
function fieldsOf(schema: unknown): readonly string[] {
  const { properties = {}, items = null }: { readonly properties?: object; readonly items?: unknown } = Object(schema);
  const own = Object.entries(properties).flatMap(([name, field]) => [name, ...fieldsOf(field)]);
  return items === null ? own : [...own, ...fieldsOf(items)];
}

function keysIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}

describe("generated workflows", () => {
  it("compile, and use every field of workflow.yaml between them", () => {
    const used = new Set<string>();
    for (let seed = 0; seed < WORKFLOWS; seed += 1) {
      for (const { pack } of generateWorkflowCase(seed, 1)) {
        expect(tryCompileWorkflow(pack), `seed ${seed}`).toHaveProperty("hash");
        for (const key of keysIn(pack.workflow)) used.add(key);
      }
    }
    const fields = fieldsOf(workflowContract);
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter((field) => !used.has(field))).toEqual([]);
  });

  it("are the same for the same seed", () => {
    const text = () => inspect(generateWorkflowCase(42, 3), { depth: null });
    expect(text()).toBe(text());
  });
});
