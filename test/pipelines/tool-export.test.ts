import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exportTools, ToolExportError } from "../../src/pipelines/registration/tool-export.js";

const SCHEMA = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const tool = (name: unknown, members: object = {}) => ({ name, input_schema: SCHEMA, ...members });

function refusal(tools: unknown): string {
  try {
    exportTools(tools);
  } catch (cause) {
    if (cause instanceof ToolExportError && cause instanceof TypeError) return cause.message;
    throw cause;
  }
  throw new Error("expected a refusal");
}

describe("exportTools", () => {
  it.each([
    ["a letter", "a"],
    ["an underscore first", "_get_order"],
    ["a hyphen, digits and capitals", "Get-Order-2"],
    ["128 characters", "a".repeat(128)],
  ])("46: a name may be %s", (_, name) => {
    expect(exportTools([tool(name)])).toEqual([tool(name)]);
  });

  it.each([
    ["129 characters", "a".repeat(129)],
    ["a leading digit", "1st_order"],
    ["a leading hyphen", "-order"],
    ["nothing", ""],
    ["a space", "get order"],
    ["a line end", "get_order\n"],
    ["letters beyond ASCII", "größe"],
    ["a number", 7],
    ["null", null],
  ])("46: a name may not be %s", (_, name) => {
    const message = refusal([tool("fine"), tool(name)]);
    expect(message).toMatch(/^tools\[1\] has the name .*; name the tool by \^\[A-Za-z_\]/);
    expect(message).not.toContain("\n");
  });

  it("46: a name may not be missing, and a long one is cut", () => {
    expect(refusal([{ input_schema: SCHEMA }])).toMatch(/^tools\[0\] has no `name`; /);
    expect(refusal([tool("x".repeat(10_000))]).length).toBeLessThan(400);
  });

  it("47: a name that stands there twice is refused, with both places, whatever the shapes", () => {
    const nested = { type: "function", function: { name: "get_order", parameters: SCHEMA } };
    expect(refusal([tool("get_order"), tool("other"), nested])).toBe(
      "tools[2] has the name of tools[0], `get_order`; rename one of them",
    );
    expect(exportTools([tool("get_order"), tool("Get_order")])).toHaveLength(2);
  });

  it("48: an input schema is required, an output schema is not", () => {
    const output = tool("get_order", { output_schema: { type: "object" } });
    expect(exportTools([output])).toEqual([output]);
    expect(refusal([{ name: "get_order" }])).toBe(
      'tools[0] (`get_order`) has no input schema; add `input_schema` or `parameters`: { "type": "object", "properties": {} } where the tool takes no arguments',
    );
    expect(refusal([{ type: "function", function: { name: "get_order" } }])).toMatch(
      /^tools\[0\] \(`get_order`\) has no input schema; add `parameters`: /,
    );
    expect(refusal([{ name: "get_order", inputSchema: SCHEMA }])).toBe(
      "tools[0] (`get_order`) has no input schema; rename `inputSchema` to `input_schema`",
    );
  });

  it.each([
    ["null", null],
    ["a string", "{}"],
    ["a list", []],
    ["a boolean", true],
  ])("48: %s is no input schema", (found, schema) => {
    expect(refusal([{ name: "a", input_schema: schema }])).toContain(
      `tools[0] (\`a\`) has ${found} as \`input_schema\``,
    );
    expect(refusal([{ name: "a", parameters: schema }])).toContain(`has ${found} as \`parameters\``);
  });

  it("48: an output schema that is there must be one", () => {
    expect(refusal([tool("a", { output_schema: "object" })])).toContain("has a string as `output_schema`");
    const flat = { name: "a", parameters: SCHEMA, output_schema: { type: "object" } };
    expect(exportTools([flat])).toEqual([flat]);
  });

  it("49: entries of the OpenAI Agents SDK and LangChain carry name, description and parameters", () => {
    const entry = { name: "get_order", description: "Look it up.", parameters: SCHEMA };
    expect(exportTools([entry])).toEqual([entry]);
    expect(exportTools([{ type: "function", strict: true, ...entry }])).toEqual([entry]);
    expect(exportTools([{ ...entry, description: undefined }])).toStrictEqual([
      { name: "get_order", parameters: SCHEMA },
    ]);
  });

  it("49: nested entries of Chat Completions become flat", () => {
    const body = { name: "get_order", description: "Look it up.", parameters: SCHEMA };
    expect(exportTools([{ type: "function", function: { ...body, strict: true } }])).toStrictEqual([body]);
    expect(exportTools([{ type: "function", function: { ...body, description: undefined } }])).toStrictEqual([
      { name: "get_order", parameters: SCHEMA },
    ]);
  });

  it("50: an Anthropic tools array passes unchanged", () => {
    const tools = [
      tool("get_order", { description: "Look it up.", cache_control: { type: "ephemeral" }, type: "custom" }),
      tool("issue_refund", { input_examples: [{ order_id: "4521" }], strict: true, eager: null }),
    ];
    const before = structuredClone(tools);
    expect(exportTools(tools)).toStrictEqual(before);
    expect(tools).toStrictEqual(before);
  });

  it("takes all shapes in one list, and an empty list", () => {
    const flat = { name: "b", parameters: SCHEMA };
    expect(exportTools([tool("a"), flat, { type: "function", function: { name: "c", parameters: SCHEMA } }])).toEqual([
      tool("a"),
      flat,
      { name: "c", parameters: SCHEMA },
    ]);
    expect(exportTools([])).toEqual([]);
  });

  it.each([
    ["an object", { tools: [] }],
    ["a string", "[]"],
    ["null", null],
    ["nothing", undefined],
  ])("refuses %s in place of the list", (found, tools) => {
    expect(refusal(tools)).toBe(`the tools are ${found}; give the list of their definitions`);
  });

  it("refuses entries of other shapes", () => {
    expect(refusal([tool("a"), "get_order"])).toMatch(/^tools\[1\] is a string; /);
    expect(refusal([null])).toMatch(/^tools\[0\] is null; /);
    expect(refusal([[tool("a")]])).toMatch(/^tools\[0\] is a list; /);
    expect(refusal([tool("a", { parameters: SCHEMA })])).toBe(
      "tools[0] (`a`) has both `input_schema` and `parameters`; keep one of them",
    );
    expect(refusal([tool("a", { description: 5 })])).toContain("has a number as `description`");
    expect(refusal([{ type: "retrieval", function: { name: "a", parameters: SCHEMA } }])).toContain("has no `name`");
  });

  it("refuses what JSON cannot say, such as a schema object of a library", () => {
    class Schema {}
    expect(refusal([{ name: "a", parameters: new Schema() }])).toBe(
      "tools[0] holds an instance of a class; convert schema objects of a library to plain JSON Schema first",
    );
    const loop: Record<string, unknown> = { type: "object" };
    loop.properties = loop;
    expect(refusal([{ name: "a", input_schema: loop }])).toContain("nested too deeply or contains itself");
  });
});

describe("the port kit", () => {
  it("51: decides nowhere on sandbox or passthrough", () => {
    const folder = new URL("../../src/pipelines/", import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const code = (name: string) =>
      readFileSync(new URL(name, folder), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
    expect(sources.length).toBeGreaterThan(10);
    expect(sources.filter((name) => /sandbox|pass_?through/i.test(code(name)))).toEqual([]);
  });
});
