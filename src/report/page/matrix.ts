import { html, type Markup, type Part } from "../markup.js";
import type { PackModel, ToolModel } from "../model.js";
import { toolBadges } from "./cards.js";
import { filterData, phaseLink, toolLink } from "./parts.js";
import type { PackView } from "./view.js";

/** From this number of phases on, their names are vertical. */
const MANY_PHASES = 7;

type Cell = readonly [sign: string, kind: string, words: string];

function hasTransition({ transitions }: PackModel, from: string, to: string): boolean {
  return transitions.some((transition) => transition.from === from && transition.to === to);
}

/** Whether a tool may be called in a phase, and whether the call leaves it. */
function cellOf(model: PackModel, { phases, advancesTo, isBlocked }: ToolModel, phase: string): Cell {
  if (!(phases?.includes(phase) ?? true)) return ["·", "no", "not here"];
  if (isBlocked) return ["×", "shut", "always refused"];
  if (advancesTo === null || advancesTo === phase) return ["✓", "yes", "allowed"];
  if (!hasTransition(model, phase, advancesTo)) return ["·", "no", `not here: no transition leads to ${advancesTo}`];
  return ["→", "on", `allowed, leads to ${advancesTo}`];
}

function cell([sign, kind, words]: Cell): Markup {
  return html`<td class="cell ${kind}" title="${words}"><span aria-hidden="true">${sign}</span><span class="hidden">${words}</span></td>`;
}

function row(view: PackView, tool: ToolModel): Markup {
  const { model } = view;
  const cells =
    model.phases.length === 0
      ? cell(tool.isBlocked ? ["×", "shut", "always refused"] : ["✓", "yes", "allowed"])
      : model.phases.map(({ name }) => cell(cellOf(model, tool, name)));
  return html`<tr ${filterData(view, [tool.name])} data-name><th scope="row">${toolLink(view, tool.name)}</th><td class="badges">${toolBadges(view, tool)}</td>${cells}</tr>
`;
}

const LEGEND: readonly Cell[] = [
  ["✓", "yes", "allowed"],
  ["→", "on", "allowed, and leads to another phase"],
  ["·", "no", "not in this phase"],
  ["×", "shut", "always refused"],
];

/** Which tool may be called in which phase. */
export function matrix(view: PackView): Part {
  const { phases, tools } = view.model;
  const isUpright = phases.length >= MANY_PHASES;
  const heads =
    phases.length === 0
      ? html`<th scope="col">at any time</th>`
      : phases.map(
          ({ name }) => html`<th scope="col" class="${isUpright ? "upright" : ""}">${phaseLink(view, name)}</th>`,
        );
  const legend = LEGEND.map(
    ([sign, kind, words]) => html`<span class="key"><span class="cell ${kind}">${sign}</span> ${words}</span> `,
  );
  return html`<p class="hint legend">${legend}</p>
<div class="scroll tall" role="region" aria-label="Tools and phases" tabindex="0"><table class="matrix"><thead><tr><th scope="col">Tool</th><th scope="col">Side effect</th>${heads}</tr></thead><tbody>
${tools.map((tool) => row(view, tool))}</tbody></table></div>`;
}
