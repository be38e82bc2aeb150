import { jsonText } from "../../../base/clean.js";
import type { Difference, Gate } from "../../difference.js";
import { gateOf } from "../static/gate.js";
import { renderMarkdown } from "./render-markdown.js";
import { renderText } from "./render-text.js";

function withGate(difference: Difference): Difference & { readonly gate: Gate } {
  return { ...difference, gate: gateOf(difference) };
}

/** Differences for a terminal, for a comment on a pull request, or for another program. */
export function renderDifference(differences: readonly Difference[], format: "text" | "markdown" | "json"): string {
  switch (format) {
    case "text":
      return renderText(differences);
    case "markdown":
      return renderMarkdown(differences);
    case "json":
      return `${jsonText(differences.map(withGate))}\n`;
  }
}
