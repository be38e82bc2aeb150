import { Graph, layout } from "@dagrejs/dagre";
import { type PackModel, stayingTools, type TransitionModel } from "./model.js";
import type { WorkflowModel } from "./workflow-model.js";

/** A point in a drawing, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A box and the lines of text in it, the first being its title. */
export interface Box extends Point {
  /** The phase or the role; null for the only box of a pack without phases. */
  readonly name: string | null;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
  /** The tools of the lines after the title; none if the lines only count them. */
  readonly tools: readonly string[];
  readonly isInitial: boolean;
  readonly isTerminal: boolean;
}

/** A transition between two boxes, with the tools that take it; or a handoff, with what it brings. */
export interface DrawnTransition {
  readonly from: string;
  readonly to: string;
  readonly points: readonly Point[];
  readonly lines: readonly string[];
  /** The tools of the first lines; none if the lines only count them. */
  readonly tools: readonly string[];
  /** The position of the lines. */
  readonly label: Point;
}

/** The layout of one pack or workflow; points are centres. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly transitions: readonly DrawnTransition[];
}

/** Character width of the drawing's fixed-width font. */
const CHARACTER_WIDTH = 7.3;
export const LINE_HEIGHT = 17;
const PADDING = 12;
const LONGEST_LINE = 40;

function cut(line: string): string {
  const characters = [...line];
  return characters.length > LONGEST_LINE ? `${characters.slice(0, LONGEST_LINE - 1).join("")}…` : line;
}

/** Characters of East Asian scripts are about twice as wide. */
function columns(line: string): number {
  return [...line].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1), 0);
}

function sizeOf(lines: readonly string[], padding: number): { readonly width: number; readonly height: number } {
  const widest = Math.max(1, ...lines.map(columns));
  return { width: widest * CHARACTER_WIDTH + 2 * padding, height: lines.length * LINE_HEIGHT + 2 * padding };
}

/** How much of a pack is drawn. */
export interface LayoutOptions {
  /** Counts tools instead of naming them. */
  readonly isCompact?: boolean;
  /** An additional line on a transition. */
  readonly noteOf?: (transition: TransitionModel) => string | null;
}

type Titled = Omit<Box, "x" | "y" | "width" | "height">;

function toolLines(tools: readonly string[], { isCompact = false }: LayoutOptions): Pick<Box, "lines" | "tools"> {
  if (!isCompact) return { lines: tools.map(cut), tools };
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return { lines: tools.length === 0 ? [] : [count], tools: [] };
}

/** The boxes of a pack: its phases, or a single one without phases. */
function titledBoxes(pack: PackModel, options: LayoutOptions): readonly Titled[] {
  if (pack.phases.length === 0) {
    const names = pack.tools.filter(({ isBlocked }) => !isBlocked).map(({ name }) => name);
    const { lines, tools } = toolLines(names, options);
    return [{ name: null, lines: ["at any time", ...lines], tools, isInitial: true, isTerminal: false }];
  }
  return pack.phases.map(({ name, isInitial, isTerminal }) => {
    const names = stayingTools(pack, name).map((tool) => tool.name);
    const { lines, tools } = toolLines(names, options);
    return { name, lines: [cut(name), ...lines], tools, isInitial, isTerminal };
  });
}

function transitionLines(
  transition: TransitionModel,
  options: LayoutOptions,
): Pick<DrawnTransition, "lines" | "tools"> {
  const { lines, tools } = toolLines(transition.tools, options);
  const note = options.noteOf?.(transition) ?? null;
  const all = [...(transition.tools.length === 0 ? ["(no tool)"] : lines), ...(note === null ? [] : [note])];
  return { lines: all, tools };
}

/** The most parts that are laid out: the time grows faster than their number. */
export const MOST_PARTS = 1000;

/** Whether a pack, or a workflow, is small enough to be laid out. */
export function canLayOut(model: PackModel | WorkflowModel): boolean {
  const parts = "roles" in model ? [model.roles, model.handoffs] : [model.phases, model.transitions];
  return parts.reduce((sum, { length }) => sum + length, 0) <= MOST_PARTS;
}

/** Lays a pack out from left to right, in the order in which its phases follow each other. */
export function layoutPack(pack: PackModel, options: LayoutOptions = {}): Drawing {
  const transitions = pack.transitions
    .filter(({ from, to }) => from !== to)
    .map((transition) => ({ from: transition.from, to: transition.to, ...transitionLines(transition, options) }));
  return laidOut(titledBoxes(pack, options), transitions);
}

/** Lays the roles of a workflow out from left to right, in the order in which they hand work to each other. */
export function layoutWorkflow({ roles, handoffs }: WorkflowModel): Drawing {
  const boxes = roles.map(({ name, pack, tools, isRoot }) => {
    const own = handoffs.some(({ from, to }) => from === name && to === name) ? ["hands work to itself"] : [];
    const count = tools === 1 ? "1 tool" : `${tools} tools`;
    return { name, lines: [name, pack, count, ...own].map(cut), tools: [], isInitial: isRoot, isTerminal: false };
  });
  const lines = handoffs
    .filter(({ from, to }) => from !== to)
    .map(({ from, to, artifacts }) => ({
      from,
      to,
      lines: artifacts.length === 0 ? ["(nothing to bring)"] : artifacts.map(cut),
      tools: [],
    }));
  return laidOut(boxes, lines);
}

type Line = Omit<DrawnTransition, "points" | "label">;

function laidOut(titled: readonly Titled[], lines: readonly Line[]): Drawing {
  const graph = new Graph({ directed: true });
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: 48, edgesep: 18, marginx: 24, marginy: 24 });
  // Numbers as keys: users' names may be those of built-in object properties.
  const ids = new Map(titled.map(({ name }, index) => [name ?? "", `n${index}`]));
  const idOf = (name: string | null) => ids.get(name ?? "") ?? "";
  for (const { name, lines: own } of titled) graph.setNode(idOf(name), sizeOf(own, PADDING));
  for (const { from, to, lines: own } of lines) {
    graph.setEdge(idOf(from), idOf(to), { ...sizeOf(own, 4), labelpos: "c" });
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxes: titled.map((box) => ({ ...placed(graph.node(idOf(box.name))), ...box })),
    transitions: lines.map((line) => {
      const edge = graph.edge(idOf(line.from), idOf(line.to));
      const points = (edge.points ?? []).map(({ x, y }: Point) => ({ x, y }));
      return { ...line, points, label: { x: edge.x ?? 0, y: edge.y ?? 0 } };
    }),
  };
}

function placed({ x = 0, y = 0, width, height }: { x?: number; y?: number; width: number; height: number }) {
  return { x, y, width, height };
}
