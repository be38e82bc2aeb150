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

/** What became of something, as a mark beside it. */
export function changeBadge(kind: Change["kind"], words: string = kind): Markup {
  return badge(TONES[kind], words);
}

/** The changes since the older pack that fit; none where there is no older pack. */
export function changesOf({ difference }: PackView, is: (change: Change) => boolean): readonly Change[] {
  return difference?.changes.filter(is) ?? [];
}

/** Whether a change is about a tool or about something that governs it. */
export function concerns({ what, name, tools }: Change, tool: string): boolean {
  return tools.includes(tool) || (what === "tool" && name === tool);
}

/** What became of a tool; of its rules it is said that it is they, or a tool that lost a rule would seem to be gone. */
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

/** What a rule said before, where that was something else. */
export function wordsBefore(view: PackView, rule: string): Part {
  return changesOf(view, ({ newRule, others = [] }) =>
    [newRule, ...others.map((other) => other.newRule)].includes(rule),
  )
    .filter(({ before, after }) => before !== null && before !== after)
    .map(({ before }) => html`<p class="before">Before: ${sentence(view, before ?? "")}</p>`);
}

/** The rules that a tool had in the older pack and has no more. */
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
  return html`<h4>Rules that were taken away</h4><ul class="rules">${items}</ul>`;
}
