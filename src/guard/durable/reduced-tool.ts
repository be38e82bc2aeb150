import { block } from "../decide/verdict.js";
import type { Check, Tool } from "../program/program.js";

const judgedTools = new WeakMap<Tool, Tool>();

/** The tool for calls of which only those arguments are known that other rules read. */
export function withoutSchema(tool: Tool): Tool {
  const known = judgedTools.get(tool);
  if (known !== undefined) return known;
  const judged = { ...tool, checks: tool.checks.filter(({ kind }) => kind !== "schema") };
  judgedTools.set(tool, judged);
  return judged;
}

function refusing(check: Check): Check {
  const run = () =>
    block("schema_mismatch", check.at, "arguments as the tool's definition has them", "arguments that are not stored");
  return check.kind === "schema" ? { ...check, run, test: null, refuse: run } : check;
}

/** The tool for a call that its JSON Schema refused for arguments that are not known any more. */
export function refusedBySchema(tool: Tool): Tool {
  return { ...tool, checks: tool.checks.map(refusing) };
}
