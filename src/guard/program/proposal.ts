import type { JsonObject } from "../../base/json.js";
import type { Clock } from "../public.js";
import type { Proposal, Tool } from "./program.js";

/** A call of a tool, ready to be judged. */
export function proposalOf(tool: Tool, args: JsonObject): Proposal {
  return { kind: "call", tool, args, values: tool.fields.read(args), now: 0 };
}

/** The call as it is decided now; the time is read only where a rule needs it. */
export function timed(proposal: Proposal, clock: Clock): Proposal {
  return proposal.tool.readsNow ? { ...proposal, now: clock.now() } : proposal;
}
