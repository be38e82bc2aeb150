import type { Change, Difference, Divergence } from "../../analysis/difference.js";
import { html, type Markup, type Part } from "../markup.js";
import { counted } from "../sentence-words.js";
import { changeBadge } from "./change-marks.js";
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
  return html`<li class="rule"><p>${changeBadge(kind)} ${what === "tool" || what === "phase" ? what : `${what}:`} ${nameOf(view, change)}</p>${wording(view, "Before", before, name)}${wording(view, "Now", after, name)}${concerned}</li>
`;
}

function divergenceRow(view: PackView, { tool, now, trace, rule }: Divergence): Markup {
  const verb = now === "allowed" ? "refused before by" : "refused now by";
  const title = `A call of ${tool} that is ${now} now`;
  return html`<li class="rule"><p>${badge(now === "allowed" ? "warn" : "accent", `newly ${now}`)} ${toolLink(view, tool)}, ${verb}: ${sentence(view, rule)}</p><p class="facts">${view.traces.button(view, trace, title)}</p></li>
`;
}

function summaryOf({ isLoosened, isTightened, isBounded, divergences }: Difference): string {
  const words = [
    isLoosened ? "Some calls that were refused are allowed now." : "Nothing that was refused is allowed now.",
    isTightened ? "Some calls that were allowed are refused now." : "Nothing that was allowed is refused now.",
  ];
  const bound = isBounded ? " The search reached a bound, so there may be more." : "";
  return `${words.join(" ")}${bound}${divergences.length === 0 ? "" : " The shortest such sessions:"}`;
}

/** What changed since the older pack, and what that means; nothing where there is none. */
export function changesSection(view: PackView): Section | null {
  const { difference, index } = view;
  if (difference === null) return null;
  const { changes, divergences } = difference;
  const list =
    changes.length === 0
      ? html`<p class="quiet">Nothing is written differently.</p>`
      : html`<h3>What is written differently</h3><ul class="rules">${changes.map((change) => changeRow(view, change))}</ul>`;
  const calls = html`<ul class="rules">${divergences.map((divergence) => divergenceRow(view, divergence))}</ul>`;
  const body = [html`<p>${summaryOf(difference)}</p>`, divergences.length === 0 ? null : calls, list];
  return section(`p${index}changes`, "Changes", body, { note: counted(changes.length, "change") });
}
