import { isDeepStrictEqual } from "node:util";
import type { SessionContract } from "../../../src/language/schema/session.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";
import type { Pack } from "../reference/model.js";
import type { Random } from "./random.js";

/** Fields that tools may take from `tool_defaults`. */
const FIELDS = [
  "evidence_class",
  "commit_requirement",
  "timeouts",
  "retries",
  "rate_limits",
  "assertions",
  "golden_cases",
  "allowed_errors",
  "transitions",
  "schema_derived",
  "policy",
  "response_format_invariants",
  "checkpoint",
] as const satisfies readonly (keyof ToolContract)[];

/** Moves some fields of one tool to the session, where all tools that have them would leave them out. */
export function withToolDefaults(random: Random, pack: Pack, session: SessionContract): Pack {
  const giver = random.pick(pack.tools);
  const fields = FIELDS.filter((field) => giver[field] !== undefined && random.chance(0.4)).filter((field) =>
    // A tool without the field would take it, too.
    pack.tools.every((tool) => tool[field] !== undefined),
  );
  const isTaken = (tool: ToolContract, name: string): boolean =>
    fields.some((field) => field === name && isDeepStrictEqual(tool[field], giver[field]));
  const tools = pack.tools.map((tool) => {
    const own: unknown = Object.fromEntries(Object.entries(tool).filter(([name]) => !isTaken(tool, name)));
    return own as ToolContract; // what is left out is the default
  });
  const defaults = Object.fromEntries(fields.map((field) => [field, giver[field]]));
  const given: unknown = fields.length === 0 ? session : { ...session, tool_defaults: defaults };
  return { ...pack, tools, session: given as SessionContract }; // the session and one more field
}
