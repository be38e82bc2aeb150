import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { checkSchema } from "../../../../src/guard/program/schema-check.js";
import { holds } from "./derived-judge.js";
import { lower } from "./located-json.js";

const folder = fileURLToPath(new URL("../../../../../shared/data/tau2/retail/", import.meta.url));
const isMissing = !existsSync(`${folder}tools.json`) || !existsSync(`${folder}completed.jsonl`);

interface Tool {
  readonly name: string;
  readonly parameters: JsonObject;
}

interface Session {
  readonly calls: readonly { readonly tool: string; readonly arguments: Json }[];
}

describe("the retail tools of tau2", () => {
  it.skipIf(isMissing)("lower without problems and accept every call of the completed tasks", () => {
    const tools: readonly Tool[] = JSON.parse(readFileSync(`${folder}tools.json`, "utf8"));
    const lowered = new Map(tools.map(({ name, parameters }) => [name, lower(parameters)]));
    expect(lowered.size).toBe(16);
    for (const { problems } of lowered.values()) expect(problems).toEqual([]);
    const lines = readFileSync(`${folder}completed.jsonl`, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    const calls = lines.flatMap((line): Session["calls"] => JSON.parse(line).calls);
    expect(calls.length).toBeGreaterThan(100);
    for (const call of calls) {
      const tool = lowered.get(call.tool);
      expect(tool && checkSchema(tool.check, call.arguments)).toBeNull();
      expect(tool?.derived.every(({ invariant }) => holds(invariant, call.arguments))).toBe(true);
    }
  });
});
