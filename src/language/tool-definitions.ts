import { isJsonObject, type Json, type JsonObject } from "../base/json.js";
import { TOOL_NAME } from "../base/tool-name.js";
import type { SourceFile, Span } from "../diagnostics/source.js";
import { spanOf, valueSpan } from "./located.js";
import type { Problem } from "./problem.js";

/** One tool as the agent's own definitions describe it. */
export interface ToolDefinition {
  readonly name: string;
  readonly nameSpan: Span;
  /** What the model reads of it; null if nothing. */
  readonly description: string | null;
  readonly inputSchema: JsonObject | boolean;
  readonly outputSchema: JsonObject | boolean | null;
  /** Whether it is written as MCP servers write it: then no output schema means that the tool has none. */
  readonly isOfMcp: boolean;
}

/** tools.json: the definitions it holds, by name. */
export interface ToolDefinitions {
  readonly source: SourceFile;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** False when some of the file could not be used, so that a tool missing here may still be defined. */
  readonly complete: boolean;
  readonly problems: readonly Problem[];
}

const INPUT_KEYS = ["input_schema", "inputSchema", "parameters"] as const;
const OUTPUT_KEYS = ["output_schema", "outputSchema"] as const;

/** A file with this many mistakes is not a list of definitions at all; reporting more would add nothing. */
const MOST_PROBLEMS = 1000;

function listOf(root: Json): readonly Json[] | null {
  if (Array.isArray(root)) return root;
  if (!isJsonObject(root)) return null;
  if (root.tools !== undefined && root.tools_schema !== undefined) return null;
  const inner = root.tools ?? root.tools_schema;
  return Array.isArray(inner) ? inner : null;
}

function isSchema(value: Json | undefined): value is JsonObject | boolean {
  return typeof value === "boolean" || isJsonObject(value);
}

/** Reads one entry; OpenAI's nested shape keeps everything under `function`. */
function definitionOf(entry: JsonObject): ToolDefinition | Problem {
  const body = isJsonObject(entry.function) ? entry.function : entry;
  const name = body.name;
  if (typeof name !== "string") {
    if (name === undefined)
      return { kind: "bad_tool_definition", span: spanOf(body), message: "the entry has no `name`" };
    return { kind: "bad_tool_definition", span: valueSpan(body, "name"), message: "`name` must be a string" };
  }
  const nameSpan = valueSpan(body, "name");
  if (!TOOL_NAME.test(name)) return { kind: "bad_tool_name", span: nameSpan, name };
  const inputKeys = INPUT_KEYS.filter((key) => key in body);
  const [inputKey, otherKey] = inputKeys;
  if (inputKey === undefined) {
    const message = `tool \`${name}\` has no input schema: none of ${INPUT_KEYS.map((key) => `\`${key}\``).join(", ")}`;
    return { kind: "bad_tool_definition", span: spanOf(body), message };
  }
  if (otherKey !== undefined) {
    const message = `tool \`${name}\` has both \`${inputKey}\` and \`${otherKey}\`; keep one`;
    return { kind: "bad_tool_definition", span: valueSpan(body, otherKey), message };
  }
  const outputKey = OUTPUT_KEYS.find((key) => key in body);
  const inputSchema = body[inputKey];
  const outputSchema = outputKey === undefined ? undefined : body[outputKey];
  if (!isSchema(inputSchema)) return notASchema(body, name, inputKey);
  const description = typeof body.description === "string" ? body.description : null;
  const stated = { name, nameSpan, description, inputSchema, isOfMcp: inputKey === "inputSchema" };
  if (outputKey === undefined || outputSchema === null) return { ...stated, outputSchema: null };
  if (!isSchema(outputSchema)) return notASchema(body, name, outputKey);
  return { ...stated, outputSchema };
}

function notASchema(body: JsonObject, tool: string, key: string): Problem {
  const message = `\`${key}\` of tool \`${tool}\` must be a JSON Schema: an object, true or false`;
  return { kind: "bad_tool_definition", span: valueSpan(body, key), message };
}

/** Recognises the shapes of tool definitions that people already have. */
export function readToolDefinitions(source: SourceFile, root: Json): ToolDefinitions {
  const tools = new Map<string, ToolDefinition>();
  const problems: Problem[] = [];
  const start =
    typeof root === "object" && root !== null ? spanOf(root) : { source, start: 0, end: source.text.length };
  const entries = listOf(root);
  if (entries === null) {
    const message = "expected a list of tools, or an object with either `tools` or `tools_schema` holding one";
    return { source, tools, complete: false, problems: [{ kind: "bad_tool_definition", span: start, message }] };
  }
  for (const [index, entry] of entries.entries()) {
    if (problems.length >= MOST_PROBLEMS) break;
    if (!isJsonObject(entry)) {
      const message = "each tool definition is an object";
      problems.push({ kind: "bad_tool_definition", span: valueSpan(entries, index), message });
      continue;
    }
    const definition = definitionOf(entry);
    if ("kind" in definition) {
      problems.push(definition);
      continue;
    }
    const first = tools.get(definition.name);
    if (first === undefined) tools.set(definition.name, definition);
    else {
      const { name, nameSpan } = definition;
      problems.push({ kind: "duplicate_definition", span: nameSpan, tool: name, first: first.nameSpan });
    }
  }
  return { source, tools, complete: problems.length === 0, problems };
}
