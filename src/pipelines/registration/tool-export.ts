import { isJsonObject, type JsonObject } from "../../base/json.js";
import { TOOL_NAME } from "../../base/tool-name.js";
import { show } from "../../base/wording.js";
import { plainJson } from "../../guard/values/plain-json.js";
import { namedType } from "../response/response-warnings.js";
import { readProperty } from "../wire/read-property.js";

/** A definition that the platform could not import: which entry, what is wrong with it, how to fix it. */
export class ToolExportError extends TypeError {
  override readonly name = "ToolExportError";

  constructor(
    readonly problem: string,
    readonly help: string,
  ) {
    super(`${problem}; ${help}`);
  }
}

const EMPTY_SCHEMA = '{ "type": "object", "properties": {} } where the tool takes no arguments';

/** Members that are undefined would not be in the JSON that is imported. */
function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

function plainEntry(entry: unknown, place: string): JsonObject {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    throw new ToolExportError(
      `${place} is ${namedType(entry)}`,
      "give each tool as an object with a name and a schema",
    );
  }
  const inner = readProperty(entry, "function");
  const isNested = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  const plain = plainJson(
    isNested ? { ...withoutUndefined(entry), function: withoutUndefined(inner) } : withoutUndefined(entry),
  );
  if (plain.ok && isJsonObject(plain.value)) return plain.value;
  const what = plain.ok ? namedType(plain.value) : plain.what;
  throw new ToolExportError(`${place} holds ${what}`, "convert schema objects of a library to plain JSON Schema first");
}

function demandName({ name }: JsonObject, place: string): string {
  if (typeof name === "string" && TOOL_NAME.test(name)) return name;
  const found = name === undefined ? "has no `name`" : `has the name ${show(name)}`;
  throw new ToolExportError(`${place} ${found}`, `name the tool by ${TOOL_NAME.source}`);
}

type SchemaKey = "input_schema" | "parameters" | "output_schema";

function demandSchema(body: JsonObject, key: SchemaKey, place: string): JsonObject {
  const schema = body[key];
  if (isJsonObject(schema)) return schema;
  const found = `${place} has ${namedType(schema)} as \`${key}\``;
  throw new ToolExportError(found, `give a JSON Schema as an object: ${EMPTY_SCHEMA}`);
}

/** Checks the common parts of all shapes. */
function demandBody(body: JsonObject, key: SchemaKey, place: string): void {
  demandSchema(body, key, place);
  if (body.output_schema !== undefined && body.output_schema !== null) demandSchema(body, "output_schema", place);
  if (body.description === undefined || typeof body.description === "string") return;
  const found = `${place} has ${namedType(body.description)} as \`description\``;
  throw new ToolExportError(found, "give the description as a string, or leave it out");
}

/** The members that the dialog knows, with the names of the OpenAI Agents SDK and LangChain. */
function flatEntry(body: JsonObject, place: string): JsonObject {
  demandBody(body, "parameters", place);
  const known = ["name", "description", "parameters", "output_schema"];
  return Object.fromEntries(Object.entries(body).filter(([key]) => known.includes(key)));
}

function noSchema(body: JsonObject, place: string, keys: readonly string[]): ToolExportError {
  const found = `${place} has no input schema`;
  if ("inputSchema" in body) return new ToolExportError(found, `rename \`inputSchema\` to \`${keys[0]}\``);
  return new ToolExportError(found, `add \`${keys.join("` or `")}\`: ${EMPTY_SCHEMA}`);
}

interface NamedTool {
  readonly name: string;
  readonly tool: JsonObject;
}

/** Recognises one of the three shapes; only the nested one and extra members of the flat one change. */
function readTool(given: unknown, index: number): NamedTool {
  const entry = plainEntry(given, `tools[${index}]`);
  const nested = entry.type === "function" && isJsonObject(entry.function) ? entry.function : null;
  const body = nested ?? entry;
  const name = demandName(body, `tools[${index}]`);
  const place = `tools[${index}] (\`${name}\`)`;
  const known = nested === null ? ["input_schema", "parameters"] : ["parameters"];
  const [key, other] = known.filter((candidate) => candidate in body);
  if (key === undefined) throw noSchema(body, place, known);
  if (other !== undefined) {
    throw new ToolExportError(`${place} has both \`${key}\` and \`${other}\``, "keep one of them");
  }
  if (key === "parameters") return { name, tool: flatEntry(body, place) };
  demandBody(entry, "input_schema", place);
  return { name, tool: entry };
}

/** Reads each definition on its own: the tool, or its error. */
export function readTools(tools: readonly unknown[]): readonly (JsonObject | ToolExportError)[] {
  const first = new Map<string, number>();
  return tools.map((given, index) => {
    try {
      const { name, tool } = readTool(given, index);
      const before = first.get(name);
      if (before !== undefined) {
        const found = `tools[${index}] has the name of tools[${before}], \`${name}\``;
        throw new ToolExportError(found, "rename one of them");
      }
      first.set(name, index);
      return tool;
    } catch (cause) {
      if (cause instanceof ToolExportError) return cause;
      throw cause;
    }
  });
}

/**
 * Tool definitions in a form that the platform's import dialog accepts. A list for Anthropic's API is unchanged, and so are flat
 * entries with `parameters`; nested ones of Chat Completions become flat. Throws a `ToolExportError` for anything else.
 */
export function exportTools(tools: unknown): readonly JsonObject[] {
  if (!Array.isArray(tools)) {
    throw new ToolExportError(`the tools are ${namedType(tools)}`, "give the list of their definitions");
  }
  return readTools(tools).map((tool) => {
    if (tool instanceof ToolExportError) throw tool;
    return tool;
  });
}
