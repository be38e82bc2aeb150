import type { Ajv } from "ajv";
import { isJsonObject, type JsonObject } from "../../base/json.js";
import { readTools, ToolExportError } from "../registration/tool-export.js";
import { namedType } from "../response/response-warnings.js";
import { readProperty } from "../wire/read-property.js";
import { checked, type DoctorCheck, type DoctorFinding, skipped } from "./doctor-check.js";

/** The checks of the tool definitions. */
export interface ToolsReport {
  readonly checks: readonly DoctorCheck[];
  /** The names of the tools; null if none were given. */
  readonly declared: readonly string[] | null;
}

type Compiler = Pick<Ajv, "validateSchema" | "errors" | "compile">;

/** Unknown keywords and formats are not faults; patterns are parsed without the `u` flag. */
const LENIENT = {
  strict: false,
  validateFormats: false,
  unicodeRegExp: false,
  addUsedSchema: false,
  logger: false,
} as const;

/** The current draft, and draft 07, which most libraries still write. Loaded here: only a doctor needs them. */
async function makeCompilers(): Promise<readonly Compiler[]> {
  const [{ Ajv2020 }, { Ajv }] = await Promise.all([import("ajv/dist/2020.js"), import("ajv")]);
  return [new Ajv2020(LENIENT), new Ajv(LENIENT)];
}

/** Why a schema cannot be compiled; null if it can. */
function faultOf(schema: JsonObject, compiler: Compiler): string | null {
  try {
    if (compiler.validateSchema(schema) !== true) {
      const [error] = compiler.errors ?? [];
      return `${error?.instancePath ?? ""} ${error?.message ?? "is not a JSON Schema"}`.trim();
    }
    compiler.compile(schema);
    return null;
  } catch (cause) {
    return cause instanceof Error ? cause.message : "it cannot be compiled";
  }
}

/** What keeps a schema from being compiled by any of them; null where one can. */
function schemaFault(schema: JsonObject, compilers: readonly Compiler[]): string | null {
  // The draft does not matter here, and one that ajv does not know is not a fault.
  const { $schema, ...keywords } = schema;
  const faults = compilers.map((compiler) => faultOf(keywords, compiler));
  return faults.includes(null) ? null : (faults[0] ?? null);
}

function judgeTool(tool: JsonObject, index: number, compilers: readonly Compiler[]): readonly DoctorFinding[] {
  return ["input_schema", "parameters", "output_schema"].flatMap((key) => {
    const schema = tool[key];
    if (!isJsonObject(schema)) return [];
    const fault = schemaFault(schema, compilers);
    if (fault === null) return [];
    const found = `tools[${index}] (\`${tool.name}\`): \`${key}\` is not a JSON Schema: ${fault}`;
    return [{ status: "fail", found, help: "fix the schema: arguments are validated against it" }];
  });
}

function listOf(tools: unknown): readonly unknown[] | null {
  if (Array.isArray(tools)) return tools;
  const inner = readProperty(tools, "tools") ?? readProperty(tools, "tools_schema");
  return Array.isArray(inner) ? inner : null;
}

async function judgeList(list: readonly unknown[]): Promise<{
  readonly findings: readonly DoctorFinding[];
  readonly names: readonly string[];
}> {
  const compilers = await makeCompilers();
  const names: string[] = [];
  const findings = readTools(list).flatMap((tool, index): readonly DoctorFinding[] => {
    if (tool instanceof ToolExportError) return [{ status: "fail", found: tool.problem, help: tool.help }];
    names.push(String(tool.name));
    return judgeTool(tool, index, compilers);
  });
  return { findings, names };
}

/** Checks that the platform could import the tool definitions: names, schemas, no name twice. */
export async function examineTools(tools: unknown): Promise<ToolsReport> {
  const report = (findings: readonly DoctorFinding[], declared: readonly string[] | null): ToolsReport => ({
    checks: findings.map((finding) => checked("tools_schema", finding)),
    declared,
  });
  if (tools === undefined) return report([skipped("no tools were given")], null);
  const list = listOf(tools);
  if (list === null) {
    const help = "give a list of tools, or an object that holds one as `tools` or `tools_schema`";
    return report([{ status: "fail", found: `the tools are ${namedType(tools)}`, help }], null);
  }
  const { findings, names } = await judgeList(list);
  const found = `${names.length} ${names.length === 1 ? "tool" : "tools"}`;
  return report(findings.length > 0 ? findings : [{ status: "ok", found }], names);
}
