import type { Miss } from "../../analysis/verification.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import { html, type Markup, type Part } from "../markup.js";
import { sentenceOf } from "../sentences.js";
import { placeLink, sentence } from "./parts.js";
import type { PackView } from "./view.js";

/** The rules with these ids. */
export function rulesWith(view: PackView, ids: readonly string[]): readonly PackRule[] {
  return ids.flatMap((id) => view.rules.all.find((rule) => rule.id === id) ?? []);
}

/** Rules behind a line that opens. */
export function refusingRules(view: PackView, rules: readonly PackRule[], summary: string): Markup {
  const listed = rules.map(
    (rule) => html`<li>${sentence(view, sentenceOf(rule))} ${placeLink(view.sources, rule.at)}</li>`,
  );
  return html`<details class="others"><summary>${summary}</summary><ul>${listed}</ul></details>`;
}

/** The session that came closest, and the rules of which at least one would have to change. */
export function nearMiss(view: PackView, miss: Miss | null, title: string): Part {
  if (miss === null) return null;
  const button = view.traces.button(view, miss.trace, title);
  return [refusingRules(view, rulesWith(view, miss.refusedBy), "What refuses the session that came closest"), button];
}
