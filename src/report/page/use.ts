import { isOfModel } from "../../artifact/pack-rules.js";
import type { Coverage } from "../coverage.js";
import { html, type Markup, type Part } from "../markup.js";
import { counted } from "../sentence-words.js";
import { sentenceOf } from "../sentences.js";
import { nameList, phaseLink, placeLink, type Section, section, sentence, toolLink } from "./parts.js";
import type { PackView } from "./view.js";

/** After this number of items, the rest of a list unfolds. */
const MOST = 12;

function unused(title: string, items: readonly Markup[], all: string): Part {
  if (items.length === 0) return html`<h3>${title}</h3><p class="quiet">${all}</p>`;
  const rest = items.slice(MOST);
  const more =
    rest.length === 0
      ? null
      : html`<details class="others"><summary>and ${rest.length} more</summary><ul>${rest}</ul></details>`;
  return html`<h3>${title}</h3><ul>${items.slice(0, MOST)}</ul>${more}`;
}

function readText({ calls, sessions, foreign, unexplained, shadowed }: Coverage): string {
  const read = `Read: ${counted(calls, "call")} of ${counted(sessions, "session")}.`;
  const skipped = foreign === 0 ? "" : ` Left out: ${counted(foreign, "line")} of something else.`;
  const rest = unexplained === 0 ? "" : ` Not traced to one rule of this pack: ${counted(unexplained, "refusal")}.`;
  const passed =
    shadowed === 0
      ? ""
      : ` Let through in shadow mode, though enforcing would have stopped them: ${counted(shadowed, "call")}.`;
  return `${read}${skipped}${rest}${passed}`;
}

/** What recorded sessions never exercised; nothing if none were read. */
export function useSection(view: PackView, coverage: Coverage | null): Section | null {
  const { coverage: own, model, rules, index } = view;
  if (coverage === null || own === null) return null;
  const onCalls = rules.all.filter(({ body }) => !isOfModel(body));
  const idle = onCalls.filter(({ id }) => (own.rules.get(id) ?? 0) === 0);
  const tools = model.tools.filter(({ name }) => (own.tools.get(name)?.allowed ?? 0) === 0);
  const untaken = own.transitions.filter(({ taken }) => taken === 0);
  const body = [
    html`<p>${readText(coverage)}</p>`,
    html`<h3>Tools that were never allowed</h3><p>${
      tools.length === 0
        ? html`<span class="quiet">Every tool was called.</span>`
        : nameList(
            tools.map(({ name }) => toolLink(view, name)),
            20,
          )
    }</p>`,
    unused(
      "Transitions that were never taken",
      untaken.map(({ from, to }) => html`<li>${phaseLink(view, from)} to ${phaseLink(view, to)}</li>`),
      "Every transition was taken.",
    ),
    unused(
      "Rules that never refused a call",
      idle.map((rule) => html`<li>${sentence(view, sentenceOf(rule))} ${placeLink(view.sources, rule.at)}</li>`),
      "Every rule refused a call.",
    ),
  ];
  const exercised = onCalls.length - idle.length;
  return section(`p${index}use`, "Use in recorded sessions", body, {
    note: `${exercised} of ${counted(onCalls.length, "rule")} exercised`,
  });
}
