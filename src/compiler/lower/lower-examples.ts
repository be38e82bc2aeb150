import type { ExampleCall, ExampleSession, PackExamples } from "../../artifact/example-call.js";
import type { GoldenCase, PackGoldenCases } from "../../artifact/golden-case.js";
import type { PackScenarios, Scenario } from "../../artifact/scenario.js";
import { isJsonObject, type Json } from "../../base/json.js";
import type { RuleContext } from "../rule-context.js";

/** Schemas are nested no deeper than people read. */
const DEEPEST = 8;

function ofScenario({ given, steps }: Scenario): ExampleSession {
  const made = steps.flatMap((step): ExampleSession => {
    if (step.kind !== "call") return [];
    const { tool, args, ending } = step;
    return [{ tool, args, output: ending?.kind === "output" ? ending.output : undefined }];
  });
  return [...given.history, ...made];
}

function ofCase({ tool, args, given }: GoldenCase): ExampleSession {
  return [...given.history, { tool, args, output: undefined }];
}

/** The value that a schema gives as an example or as a default, put together from those of its properties; undefined without any. */
function exampleOf(schema: Json | undefined, depth = 0): Json | undefined {
  if (!isJsonObject(schema) || depth > DEEPEST) return undefined;
  const { examples, default: usual, properties, items } = schema;
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0];
  if (usual !== undefined) return usual;
  const item = exampleOf(items, depth + 1);
  if (item !== undefined) return [item];
  if (!isJsonObject(properties)) return undefined;
  const known = Object.entries(properties).flatMap(([name, property]) => {
    const example = exampleOf(property, depth + 1);
    return example === undefined ? [] : [[name, example] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The values that tools.json gives as examples. */
function ofDefinitions(context: RuleContext): ExampleSession {
  return context.tools.flatMap(({ name }): readonly ExampleCall[] => {
    const definition = context.definition(name);
    const args = exampleOf(definition?.inputSchema);
    const output = exampleOf(definition?.outputSchema ?? undefined);
    if (args === undefined && output === undefined) return [];
    return [{ tool: name, args: isJsonObject(args) ? args : {}, output }];
  });
}

/** The calls that the authors of a pack wrote: in scenarios and golden cases, and the examples of tools.json. */
export function examplesOf(context: RuleContext, scenarios: PackScenarios, golden: PackGoldenCases): PackExamples {
  const sessions = [...scenarios.map(ofScenario), ...golden.map(ofCase), ofDefinitions(context)];
  return sessions.filter(({ length }) => length > 0);
}
