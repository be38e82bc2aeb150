import {
  type Box,
  canLayOut,
  type Drawing,
  type DrawnTransition,
  LINE_HEIGHT,
  layoutPack,
  type Point,
} from "../layout.js";
import { html, type Markup, type Part } from "../markup.js";
import { type PackModel, stayingTools, type TransitionModel } from "../model.js";
import { curve, number } from "../svg.js";
import { changesOf, concerns } from "./change-marks.js";
import { behind, canvas, type Lines, lineAt, machine, rect, text } from "./shapes.js";
import type { PackView } from "./view.js";

/** With more names a drawing is unreadable: phases then show the number of their tools, and unfold beside it. */
const MOST_NAMES = 80;

function toolText(view: PackView, tool: string, line: string, place: Point & Pick<Lines, "where">): Markup {
  const index = view.toolIndex.get(tool) ?? -1;
  const isChanged = changesOf(view, (change) => concerns(change, tool));
  const width = [...line].length * 7.3 + 8;
  return html`<a class="tool${isChanged.length > 0 ? " changed" : ""}" href="#p${view.index}t${index}" data-tool="${index}" aria-label="${`tool ${tool}${place.where}`}">${rect("hit", { ...place, width, height: LINE_HEIGHT })}${text(line, place, "call")}</a>`;
}

/** The lines after the first `skip`: tools first, then plain text. */
function toolTexts(view: PackView, lines: Lines, tools: readonly string[], skip: number): Part {
  return lines.lines.slice(skip).map((line, index) => {
    const tool = tools[index];
    const place = { ...lineAt(lines, index + skip), where: lines.where };
    return tool === undefined ? text(line, place, "count") : toolText(view, tool, line, place);
  });
}

function boxMarkup(view: PackView, box: Box): Markup {
  const { x, y, width, height, name: phase, lines, tools, isInitial, isTerminal } = box;
  const rim = isTerminal ? rect("rim", { x, y, width: width - 6, height: height - 6 }) : null;
  const start = isInitial
    ? html`<circle class="start" cx="${number(x - width / 2 - 11)}" cy="${number(y)}" r="5"/>`
    : null;
  const body = [rect(isTerminal ? "box end" : "box", box), rim, start, text(lines[0] ?? "", lineAt(box, 0), "title")];
  const index = phase === null ? undefined : view.phaseIndex.get(phase);
  const placed = { ...box, where: phase === null ? "" : `, in phase ${phase}` };
  const counts = tools.length === 0 ? toolTexts(view, placed, [], 1) : null;
  const isChanged = changesOf(view, ({ what, name }) => what === "phase" && name === phase);
  const head =
    index === undefined
      ? [body, counts]
      : html`<a href="#p${view.index}f${index}" data-phase="${index}" aria-label="${`phase ${phase}${isInitial ? ", sessions start here" : ""}${isTerminal ? ", sessions may end here" : ""}`}">${body}${counts}</a>`;
  return html`<g class="phase${isChanged.length > 0 ? " changed" : ""}" data-box="${index ?? ""}">${head}${tools.length === 0 ? null : toolTexts(view, placed, tools, 1)}</g>
`;
}

function transitionMarkup(view: PackView, { points, from, to, lines }: DrawnTransition): Markup {
  const isIdle = lines[0] === "(no tool)";
  const ends = html`data-from="${view.phaseIndex.get(from) ?? ""}" data-to="${view.phaseIndex.get(to) ?? ""}"`;
  const changes = changesOf(view, ({ what, name }) => what === "transition" && name === `${from} → ${to}`);
  const marks = [isIdle ? " idle" : "", changes.length > 0 ? " changed" : ""];
  return html`<path class="transition${marks}" ${ends} d="${curve(points)}" marker-end="url(#tip${view.index})"/>
`;
}

function labelMarkup(view: PackView, { from, to, lines, label, tools }: DrawnTransition): Markup {
  const placed = { ...label, lines, where: `, leads from ${from} to ${to}` };
  return html`<g class="label">${behind(placed)}${toolTexts(view, placed, tools, 0)}</g>
`;
}

function svg(view: PackView, drawing: Drawing): Markup {
  const { boxes, transitions } = drawing;
  const label = `Phases of ${view.model.name} and the tools that lead from one to the next`;
  return machine(drawing, { label, tip: `tip${view.index}` }, [
    transitions.map((transition) => transitionMarkup(view, transition)),
    transitions.map((transition) => labelMarkup(view, transition)),
    boxes.map((box) => boxMarkup(view, box)),
  ]);
}

function legend({ model, coverage, difference }: PackView): string {
  const words: string[] = [];
  if (model.phases.length === 0)
    words.push("The pack has no phases: only its other rules say when a tool may be called.");
  if (model.phases.some(({ isTerminal }) => isTerminal)) words.push("A double rim marks where a session may end.");
  if (model.transitions.some(({ tools }) => tools.length === 0)) words.push("No tool takes a dashed transition.");
  if (coverage !== null) words.push("Each transition shows how often recorded sessions took it.");
  if (difference !== null && difference.changes.length > 0)
    words.push("What changed since the older pack is outlined in dots.");
  return words.join(" ");
}

function takenNote({ coverage }: PackView, { from, to }: TransitionModel): string | null {
  if (coverage === null) return null;
  const taken = coverage.transitions.find((transition) => transition.from === from && transition.to === to)?.taken ?? 0;
  return taken === 0 ? "never" : `${taken} ×`;
}

function namesIn(model: PackModel): number {
  if (model.phases.length === 0) return model.tools.length;
  const staying = model.phases.reduce((sum, { name }) => sum + stayingTools(model, name).length, 0);
  return model.transitions.reduce((sum, transition) => sum + transition.tools.length, staying);
}

/** The phases of a pack, their transitions and, if there is room, the tools. */
export function drawing(view: PackView): Markup {
  if (!canLayOut(view.model)) return html`<p class="quiet">There are too many phases to draw them.</p>`;
  const isCompact = namesIn(view.model) > MOST_NAMES;
  const drawn = svg(view, layoutPack(view.model, { isCompact, noteOf: (transition) => takenNote(view, transition) }));
  const hint = isCompact
    ? "Phases show how many tools may be called in them. Choose one to see which."
    : "Choose a tool or a phase to see everything that governs it.";
  return canvas("Drawing of the phases", html`<span class="screen">${hint} </span>${legend(view)}`, drawn);
}
