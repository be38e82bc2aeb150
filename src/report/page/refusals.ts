import { html, type Markup } from "../markup.js";
import type { Refusals, RefusedCall } from "../report-content.js";
import { counted } from "../sentence-words.js";
import { badge, placeLink, type Section, section, toolLink } from "./parts.js";
import type { PackView } from "./view.js";

function row(view: PackView, refused: RefusedCall): Markup {
  const { session, number, tool, reason, rule, because, isHypothetical } = refused;
  const after = isHypothetical ? badge("warn", "after a refusal") : null;
  const words = because === null ? null : html`<p>${because}</p>`;
  return html`<li class="rule"><p>${toolLink(view, tool)} <code>${reason}</code> ${after}</p>${words}<p class="facts">call ${number} of session <code>${session}</code> ${placeLink(view.sources, rule)}</p></li>
`;
}

/** The calls of recorded sessions that the pack refuses; nothing if none were decided again. */
export function refusalsSection(view: PackView, refusals: Refusals | null): Section | null {
  if (refusals === null) return null;
  const { calls, count } = refusals;
  const rest = count - calls.length;
  const body = [
    count === 0
      ? html`<p class="quiet">No call of the recorded sessions is refused.</p>`
      : html`<ul class="rules">${calls.map((call) => row(view, call))}</ul>`,
    rest === 0 ? null : html`<p class="quiet">${counted(rest, "further call")} refused, not listed here.</p>`,
  ];
  return section(`p${view.index}refused`, "Refused calls of recorded sessions", body, { note: String(count) });
}
