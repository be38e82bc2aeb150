import { type Box, type Drawing, LINE_HEIGHT, type Point } from "../layout.js";
import { html, type Markup, type Part } from "../markup.js";
import { number } from "../svg.js";

/** A rectangle around a centre. */
export function rect(name: string, { x, y, width, height }: Pick<Box, "x" | "y" | "width" | "height">): Markup {
  return html`<rect class="${name}" x="${number(x - width / 2)}" y="${number(y - height / 2)}" width="${number(width)}" height="${number(height)}" rx="8"/>`;
}

/** Lines of text around a centre. */
export interface Lines extends Point {
  readonly lines: readonly string[];
  /** Distinguishes the places of a tool for screen readers. */
  readonly where: string;
}

/** The centre of one of several lines. */
export function lineAt({ x, y, lines }: Omit<Lines, "where">, index: number): Point {
  return { x, y: y - ((lines.length - 1) * LINE_HEIGHT) / 2 + index * LINE_HEIGHT };
}

/** One line of text. */
export function text(line: string, { x, y }: Point, name: string): Markup {
  return html`<text class="${name}" x="${number(x)}" y="${number(y + 4)}" text-anchor="middle">${line}</text>`;
}

/** What hides the line behind a text, or neither could be read. */
export function behind({ x, y, lines }: Omit<Lines, "where">): Markup {
  const width = Math.max(...lines.map((line) => [...line].length)) * 7.3 + 8;
  return rect("behind", { x, y, width, height: lines.length * LINE_HEIGHT });
}

/** A drawing with its parts; `tip` is the id of the tips of its lines, unique on the page. */
export function machine(
  { width, height }: Drawing,
  { label, tip }: { readonly label: string; readonly tip: string },
  parts: Part,
): Markup {
  const size = html`width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}"`;
  const marker = html`<defs><marker id="${tip}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M 0 0 L 8 4 L 0 8 z"/></marker></defs>`;
  return html`<svg class="machine" ${size} role="group" aria-label="${label}">${marker}
${parts}</svg>`;
}

/** A drawing in a frame that scrolls, with a hint above it. */
export function canvas(label: string, hint: Part, drawn: Markup): Markup {
  return html`<button type="button" class="fit-switch" data-fit aria-pressed="false" hidden>Fit to the page</button>
<p class="hint drawing-hint">${hint}</p>
<div class="canvas" role="region" aria-label="${label}" tabindex="0">${drawn}</div>`;
}
