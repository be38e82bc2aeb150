import type { Difference } from "../difference.js";
import { renderMarkdown } from "./render-markdown.js";
import { renderText } from "./render-text.js";

/** Differences for a terminal, for a comment on a pull request, or for another program. */
export function renderDifference(differences: readonly Difference[], format: "text" | "markdown" | "json"): string {
  switch (format) {
    case "text":
      return renderText(differences);
    case "markdown":
      return renderMarkdown(differences);
    case "json":
      return `${JSON.stringify(differences, null, 2)}\n`;
  }
}
