import { type Box, canLayOut, type DrawnTransition, layoutWorkflow } from "../layout.js";
import { html, type Markup } from "../markup.js";
import { curve, number } from "../svg.js";
import type { RoleModel, WorkflowModel } from "../workflow-model.js";
import { behind, canvas, lineAt, machine, rect, text } from "./shapes.js";
import type { WorkflowChanges } from "./workflow-changes.js";
import type { RoleLinks } from "./workflow-links.js";

const TIP = "tip-workflow";

/** The number of a role on the page, by which steps of a run are marked. */
function numberOf(roles: readonly RoleModel[], name: string | null): number {
  return roles.findIndex((role) => role.name === name);
}

function boxMarkup({ roles }: WorkflowModel, links: RoleLinks, changes: WorkflowChanges, box: Box): Markup {
  const { x, y, width, name, lines, isInitial } = box;
  const start = isInitial
    ? html`<circle class="start" cx="${number(x - width / 2 - 11)}" cy="${number(y)}" r="5"/>`
    : null;
  const texts = lines.map((line, index) => text(line, lineAt(box, index), index === 0 ? "title" : "count"));
  const body = [rect("box", { ...box, x, y }), start, texts];
  const view = links.viewOf(name ?? "");
  const mark = changes.hasRole(name ?? "") ? " changed" : "";
  const label = `role ${name}${isInitial ? ", its sessions start on their own" : ""}`;
  const role = numberOf(roles, name);
  return view === undefined
    ? html`<g class="phase${mark}" data-box="${role}">${body}</g>
`
    : html`<g class="phase${mark}" data-box="${role}"><a href="#p${view.index}" data-go="${view.index}" aria-label="${label}">${body}</a></g>
`;
}

function lineMarkup({ roles }: WorkflowModel, changes: WorkflowChanges, line: DrawnTransition): Markup {
  const { from, to, points } = line;
  const ends = html`data-from="${numberOf(roles, from)}" data-to="${numberOf(roles, to)}"`;
  return html`<path class="transition${changes.hasHandoff(from, to) ? " changed" : ""}" ${ends} d="${curve(points)}" marker-end="url(#${TIP})"/>
`;
}

function labelMarkup({ label, lines }: DrawnTransition): Markup {
  const placed = { ...label, lines };
  return html`<g class="label">${behind(placed)}${lines.map((line, index) => text(line, lineAt(placed, index), "count"))}</g>
`;
}

/** The roles of a workflow, and the handoffs between them with what they must bring. */
export function workflowDrawing(workflow: WorkflowModel, links: RoleLinks, changes: WorkflowChanges): Markup {
  if (!canLayOut(workflow)) return html`<p class="quiet">There are too many roles to draw them.</p>`;
  const drawing = layoutWorkflow(workflow);
  const { boxes, transitions } = drawing;
  const label = `Roles of ${workflow.name} and the handoffs from one to the next`;
  const drawn = machine(drawing, { label, tip: TIP }, [
    transitions.map((line) => lineMarkup(workflow, changes, line)),
    transitions.map(labelMarkup),
    boxes.map((box) => boxMarkup(workflow, links, changes, box)),
  ]);
  const hint = html`<span class="screen">Choose a role to see its pack. </span>A dot marks the roles that start on their own. A line is a handoff, with the artifacts that it must bring.${changes.isEmpty ? "" : " What changed since the older pack is outlined in dots."}`;
  return canvas("Drawing of the roles", hint, drawn);
}
