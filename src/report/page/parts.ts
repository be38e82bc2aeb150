import type { Place } from "../../artifact/compiled-value.js";
import { html, type Markup, type Part } from "../markup.js";
import { placeText } from "../sentence-words.js";
import type { Tone } from "./status.js";
import type { PackView } from "./view.js";

/** A few words with a colour. */
export function badge(tone: Tone, text: string): Markup {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A link to the details of a tool; plain text if the pack does not have it. */
export function toolLink({ index, toolIndex }: PackView, name: string): Markup {
  const number = toolIndex.get(name);
  if (number === undefined) return html`<code>${name}</code>`;
  return html`<a class="name" href="#p${index}t${number}" data-tool="${number}"><code>${name}</code></a>`;
}

/** A link to the details of a phase. */
export function phaseLink({ index, phaseIndex }: PackView, name: string): Markup {
  const number = phaseIndex.get(name);
  if (number === undefined) return html`<code>${name}</code>`;
  return html`<a class="name" href="#p${index}f${number}" data-phase="${number}"><code>${name}</code></a>`;
}

/** A list of names; after the first few, the rest unfolds. */
export function nameList(names: readonly Markup[], most = 8): Part {
  if (names.length <= most + 2) return separated(names);
  return [
    separated(names.slice(0, most)),
    html` <details class="more"><summary>and ${names.length - most} more</summary> ${separated(names.slice(most))}</details>`,
  ];
}

function separated(names: readonly Markup[]): Part {
  return names.map((name, index) => [index === 0 ? "" : ", ", name]);
}

/** The tools of a rule. */
export function toolList(view: PackView, tools: readonly string[]): Part {
  if (tools.length > 2 && tools.length === view.model.tools.length) return `all ${tools.length} tools`;
  return nameList(tools.map((tool) => toolLink(view, tool)));
}

/** A path without its root `$`, which means nothing to most readers; a search still finds it. */
export function pathCode(path: string): Markup {
  return path.startsWith("$.")
    ? html`<code><span class="root">$.</span>${path.slice(2)}</code>`
    : html`<code>${path}</code>`;
}

function pathOrText(text: string): Part {
  // Paths are recognised by their first two characters; what follows a bracket may hold spaces.
  const parts = text.split(/(\$(?:\.[\w*-]+|\[[^\]]*\]|\.\.[\w*]+)+)/);
  return parts.map((part, index) => (index % 2 === 1 ? pathCode(part) : part));
}

/** A sentence shows the first few names of a longer list. */
const MOST_NAMES = 10;

/** The number of consecutive names from an index of a split sentence on, separated only by commas or a conjunction. */
function namesFrom(parts: readonly string[], start: number): number {
  let count = 1;
  for (let at = start; at + 3 < parts.length && /^(?:, | and | or )$/.test(parts[at + 1] ?? ""); at += 2) count += 1;
  return count;
}

function names(view: PackView, list: readonly string[], isBrief: boolean): Part {
  const shown = list.slice(0, isBrief ? MOST_NAMES : list.length).map((name) => nameInSentence(view, name));
  return isBrief ? [separated(shown), ` and ${list.length - MOST_NAMES} more`] : nameList(shown, MOST_NAMES);
}

/** A sentence with marked names and paths, and links for tools; if brief, the rest of a long list is only counted. */
export function sentence(view: PackView, text: string, { isBrief = false } = {}): Part {
  const parts = text.split("`");
  const made: Part[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? "";
    const isName = at % 2 === 1 && at < parts.length - 1;
    const count = isName ? namesFrom(parts, at) : 0;
    if (count > MOST_NAMES + 2) {
      const list = Array.from({ length: count }, (_, index) => parts[at + 2 * index] ?? "");
      made.push(names(view, list, isBrief));
      at += 2 * (count - 1);
    } else made.push(isName ? nameInSentence(view, part) : pathOrText(part));
  }
  return made;
}

function nameInSentence(view: PackView, name: string): Markup {
  if (view.toolIndex.has(name)) return toolLink(view, name);
  return view.phaseIndex.has(name) ? phaseLink(view, name) : html`<code>${name}</code>`;
}

/** Where something is written; a link if there are sources. */
export function placeLink(sources: string | null, at: Place | null): Part {
  if (at === null) return null;
  const text = placeText(at);
  if (sources === null) return html`<span class="place">${text}</span>`;
  const path = [...sources.split("/"), ...at.file.split("/")].map(encodeURIComponent).join("/");
  // Without the dot a first folder such as `a:b` would be a scheme.
  const href = path.startsWith("/") || path.startsWith(".") ? path : `./${path}`;
  return html`<a class="place" href="${href}#L${at.line}">${text}</a>`;
}

/** A section of the page, with what a link to it needs. */
export interface Section extends Markup {
  readonly id: string;
  readonly title: string;
}

/** A section of the page that folds. */
export function section(id: string, title: string, body: Part, { note = "", isOpen = true } = {}): Section {
  const count = note === "" ? null : html` <span class="note">${note}</span>`;
  const { markup } = html`<details class="section" id="${id}"${isOpen ? html` open` : null}>
<summary><h2>${title}</h2>${count}</summary>
<div class="body">${body}</div>
</details>
`;
  return { id, title, markup };
}

/** A table that scrolls on its own in a narrow window. */
export function table(headings: readonly string[], rows: readonly Part[], label: string): Markup {
  const head = headings.map((heading) => html`<th scope="col">${heading}</th>`);
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** What a filter reads besides the text of a row. */
export function filterData(view: PackView, tools: readonly string[]): Markup {
  const models = tools.flatMap((name) => view.model.tools[view.toolIndex.get(name) ?? -1] ?? []);
  const effects = [...new Set(models.map(({ sideEffect }) => sideEffect))].join(" ");
  const everywhere = models.some(({ phases }) => phases === null);
  const phases = new Set(models.flatMap(({ phases: own }) => own ?? []));
  const numbers = everywhere ? "*" : [...phases].map((name) => view.phaseIndex.get(name) ?? "").join(" ");
  return html`data-row data-effects="${effects}" data-phases="${numbers}"`;
}

/** Text with the names in backticks shown as code. */
export function codeText(text: string): Part {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
