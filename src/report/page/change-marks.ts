import type { Change } from "../../analysis/difference.js";
import { html, type Markup, type Part } from "../markup.js";
import { badge, sentence } from "./parts.js";
import type { Tone } from "./status.js";
import type { PackView } from "./view.js";

const TONES: Readonly<Record<Change["kind"], Tone>> = {
  added: "accent",
  removed: "plain",
  tightened: "accent",
  loosened: "warn",
  changed: "accent",
};

/** A mark for how something changed. */
export function changeBadge(kind: Change["kind"], words: string = kind): Markup {
  return badge(TONES[kind], words);
}

/** The result of the gate of `contracts diff` for a change; nothing if it passes. */
export function directionBadge({ kind, direction }: Change): Part {
  if (direction === "unknown") return html` ${badge("warn", "not shown to be as strong")}`;
  return direction === "weaker" && kind !== "loosened" ? html` ${badge("warn", "weaker")}` : null;
}

/** The matching changes since the older pack; none without an older pack. */
export function changesOf({ difference }: PackView, is: (change: Change) => boolean): readonly Change[] {
  return difference?.changes.filter(is) ?? [];
}

/** Whether a change affects a tool or something that governs it. */
export function concerns({ what, name, tools }: Change, tool: string): boolean {
  return tools.includes(tool) || (what === "tool" && name === tool);
}

/** How a tool changed. The mark says if only its rules changed, or a tool that lost a rule would seem to be removed. */
export function toolChangeBadges(view: PackView, tool: string): readonly Markup[] {
  const changes = changesOf(view, (change) => concerns(change, tool));
  const marks = new Map(
    changes.map(({ kind, what }) => {
      const words = what === "tool" ? kind : `${what} ${kind}`;
      return [words, changeBadge(kind, words)];
    }),
  );
  return [...marks.values()];
}

/** The old text of a changed rule. */
export function wordsBefore(view: PackView, rule: string): Part {
  return changesOf(view, ({ newRule, others = [] }) =>
    [newRule, ...others.map((other) => other.newRule)].includes(rule),
  )
    .filter(({ before, after }) => before !== null && before !== after)
    .map(({ before }) => html`<p class="before">Before: ${sentence(view, before ?? "")}</p>`);
}

/** The rules of a tool that only the older pack has. */
export function lostRules(view: PackView, tool: string): Part {
  const lost = changesOf(
    view,
    ({ kind, what, tools }) => kind === "removed" && what === "rule" && tools.includes(tool),
  );
  if (lost.length === 0) return null;
  const items = lost.map(
    ({ name, before }) =>
      html`<li><p>${sentence(view, before ?? name)}</p><p class="facts">${changeBadge("removed")}</p></li>`,
  );
  return html`<h4>Removed rules</h4><ul class="rules">${items}</ul>`;
}
