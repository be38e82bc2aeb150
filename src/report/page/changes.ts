import { type DivergenceGroup, groupDivergences, shownSentences } from "../../analysis/diff/static/difference-words.js";
import { gateOf } from "../../analysis/diff/static/gate.js";
import type { Change, Difference } from "../../analysis/difference.js";
import { html, type Markup, type Part } from "../markup.js";
import { counted } from "../sentence-words.js";
import { changeBadge, directionBadge } from "./change-marks.js";
import { badge, phaseLink, type Section, section, sentence, toolLink, toolList } from "./parts.js";
import type { PackView } from "./view.js";

function nameOf(view: PackView, { what, name }: Change): Part {
  if (what === "tool") return toolLink(view, name);
  return what === "phase" ? phaseLink(view, name) : sentence(view, name);
}

function wording(view: PackView, label: string, text: string | null, name: string): Part {
  return text === null || text === name ? null : html`<p class="quiet">${label}: ${sentence(view, text)}</p>`;
}

function changeRow(view: PackView, change: Change): Markup {
  const { kind, what, name, before, after, tools } = change;
  const concerned =
    what === "tool" || tools.length === 0 ? null : html`<p class="for">For ${toolList(view, tools)}</p>`;
  return html`<li class="rule"><p>${changeBadge(kind)}${directionBadge(change)} ${what === "tool" || what === "phase" ? what : `${what}:`} ${nameOf(view, change)}</p>${wording(view, "Before", before, name)}${wording(view, "Now", after, name)}${shownSentences(change).map((text) => html`<p class="quiet">${text}</p>`)}${concerned}</li>
`;
}

function divergenceRow(view: PackView, { shown, others }: DivergenceGroup): Markup {
  const { tool, now, trace, rule } = shown;
  const same = others.length === 0 ? null : html`<p class="for">The same of ${toolList(view, others)}</p>`;
  const verb = now === "allowed" ? "refused before by" : "refused now by";
  const title = `A call of ${tool} that is ${now} now`;
  return html`<li class="rule"><p>${badge(now === "allowed" ? "warn" : "accent", `newly ${now}`)} ${toolLink(view, tool)}, ${verb}: ${sentence(view, rule)}</p>${same}<p class="facts">${view.traces.button(view, trace, title)}</p></li>
`;
}

function gateWords(difference: Difference): string {
  const { length } = gateOf(difference).reasons.filter(({ what }) => what !== "call" && what !== "search");
  if (length === 0) return "By reading, every rule and setting is as strong as before.";
  return `${counted(length, "change")} ${length === 1 ? "is" : "are"} weaker, or not shown to be as strong.`;
}

function summaryOf(difference: Difference): string {
  const { changes, isLoosened, isTightened, isBounded, divergences } = difference;
  if (changes.every(({ direction }) => direction === "same")) return "No call is judged differently.";
  const words = [
    gateWords(difference),
    isLoosened ? "Some calls that were refused are allowed now." : "No call was found that is newly allowed.",
    isTightened ? "Some calls that were allowed are refused now." : "No call was found that is newly refused.",
  ];
  const bound = isBounded ? " The search reached a bound, so there may be more." : "";
  return `${words.join(" ")}${bound}${divergences.length === 0 ? "" : " The shortest such sessions:"}`;
}

/** The changes since the older pack and their effects; nothing without an older pack. */
export function changesSection(view: PackView): Section | null {
  const { difference, index } = view;
  if (difference === null) return null;
  const { changes, divergences } = difference;
  const list =
    changes.length === 0
      ? html`<p class="quiet">No rule or setting changed.</p>`
      : html`<h3>Changed rules and settings</h3><ul class="rules">${changes.map((change) => changeRow(view, change))}</ul>`;
  const calls = html`<ul class="rules">${groupDivergences(divergences).map((group) => divergenceRow(view, group))}</ul>`;
  const body = [html`<p>${summaryOf(difference)}</p>`, divergences.length === 0 ? null : calls, list];
  return section(`p${index}changes`, "Changes", body, { note: counted(changes.length, "change") });
}
