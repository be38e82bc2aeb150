import type { Change, Difference, Gate, GateReason } from "../../difference.js";

function textOf({ what, name, before, after }: Change): string {
  if (what !== "setting") return after ?? before ?? name;
  return `${name}: ${before ?? "none"} → ${after ?? "none"}`;
}

function reasonOf(change: Change): readonly GateReason[] {
  const { direction, what, tools, at } = change;
  if (direction !== "weaker" && direction !== "unknown") return [];
  const where = at === null ? {} : { file: at.file, line: at.line };
  return [{ direction, what, text: textOf(change), tools, ...where }];
}

function allowedCalls({ divergences }: Difference): readonly GateReason[] {
  const tools = [...new Set(divergences.filter(({ now }) => now === "allowed").map(({ tool }) => tool))];
  if (tools.length === 0) return [];
  return [{ direction: "weaker", what: "call", text: "the search found calls that are newly allowed", tools }];
}

/**
 * The result of `--fail-on loosened`: every rule and setting that is weaker or not shown to be as strong, and every call found
 * to be newly allowed. An incomplete search matters only if reading left a question: if every rule is shown to be as strong,
 * no search is needed.
 */
export function gateOf(difference: Difference): Gate {
  const read = difference.changes.flatMap(reasonOf);
  const bound: GateReason = {
    direction: "unknown",
    what: "search",
    text: difference.isSearched ? "the search reached a bound before it was complete" : "no calls were searched for",
    tools: [],
  };
  const reasons = [...read, ...allowedCalls(difference), ...(read.length > 0 && difference.isBounded ? [bound] : [])];
  return { loosened: reasons.length > 0, reasons };
}
