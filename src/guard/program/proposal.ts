import type { JsonObject } from "../../base/json.js";
import type { Proposal, Tool } from "./program.js";

/** A call of a tool, ready to be judged. */
export function proposalOf(tool: Tool, args: JsonObject): Proposal {
  return { kind: "call", tool, args, values: tool.fields.read(args) };
}
