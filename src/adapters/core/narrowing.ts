import type { Guard } from "../../guard/guard-api.js";

/** Whether the model is told which tools were left out, and why. */
export type Narrowing = "silent" | "explain";

/** The tools to offer now, and what to tell the model of the others; null if there is nothing to tell. */
export interface Offer {
  readonly isOffered: (tool: string) => boolean;
  readonly note: string | null;
}

/** What of these tools a request may offer. A tool that the pack does not know is left to the judgement of its calls. */
export function offerOf(guard: Guard, tools: readonly string[], narrowing: Narrowing): Offer {
  const reasons = new Map(guard.visibleTools().hidden.map(({ tool, reason }) => [tool, reason]));
  const hidden = tools.filter((tool) => reasons.has(tool));
  const listed = hidden.map((tool) => `${tool} (${reasons.get(tool)})`).join(", ");
  const isTold = narrowing === "explain" && hidden.length > 0;
  return {
    isOffered: (tool) => !reasons.has(tool),
    note: isTold ? `These tools cannot be called at this point: ${listed}.` : null,
  };
}
