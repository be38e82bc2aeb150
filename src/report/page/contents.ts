import { html, type Markup } from "../markup.js";
import type { Section } from "./parts.js";

/** Links to every section of a long page, and buttons that fold them all. */
export function contents(id: string, sections: readonly Section[]): Markup {
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}" data-section="${id}">${title}</a></li>`);
  return html`<nav class="contents" id="${id}" tabindex="-1" aria-label="Parts of the report"><ul>${links}</ul>
<button type="button" data-fold aria-pressed="false">Fold all</button></nav>
`;
}
