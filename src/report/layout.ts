import { Graph, layout } from "@dagrejs/dagre";
import { type PackModel, stayingTools, type TransitionModel } from "./model.js";

/** A place in a drawing, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A box and the lines of text in it, the first being its title. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
  readonly isInitial: boolean;
  readonly isTerminal: boolean;
}

/** A way between two boxes with the tools that take it. */
export interface Way {
  readonly points: readonly Point[];
  readonly lines: readonly string[];
  /** Where the lines stand. */
  readonly label: Point;
}

/** One pack, laid out; places are those of middles. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly ways: readonly Way[];
}

/** Of the fixed-width font the drawing asks for. */
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

interface Titled {
  readonly lines: readonly string[];
  readonly isInitial: boolean;
  readonly isTerminal: boolean;
}

/** The boxes of a pack: its phases, or the one time that there is without any. */
function titledBoxes(pack: PackModel): ReadonlyMap<string, Titled> {
  if (pack.phases.length === 0) {
    const tools = pack.tools.filter(({ isBlocked }) => !isBlocked).map(({ name }) => cut(name));
    return new Map([["", { lines: ["at any time", ...tools], isInitial: true, isTerminal: false }]]);
  }
  return new Map(
    pack.phases.map(({ name, isInitial, isTerminal }) => {
      const tools = stayingTools(pack, name).map((tool) => cut(tool.name));
      return [name, { lines: [cut(name), ...tools], isInitial, isTerminal }];
    }),
  );
}

function wayLines({ tools }: TransitionModel): readonly string[] {
  return tools.length === 0 ? ["(no tool)"] : tools.map(cut);
}

/** Lays a pack out from left to right, in the order in which its phases follow each other. */
export function layoutPack(pack: PackModel): Drawing {
  const graph = new Graph({ directed: true });
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: 48, edgesep: 18, marginx: 24, marginy: 24 });
  const titled = [...titledBoxes(pack)];
  // Plain numbers: names of users may be those of every object's properties.
  const ids = new Map(titled.map(([name], index) => [name, `n${index}`]));
  for (const [name, { lines }] of titled) graph.setNode(ids.get(name) ?? "", sizeOf(lines, PADDING));
  const ways = pack.transitions.filter(({ from, to }) => from !== to);
  for (const way of ways) {
    const size = sizeOf(wayLines(way), 4);
    graph.setEdge(ids.get(way.from) ?? "", ids.get(way.to) ?? "", { ...size, labelpos: "c" });
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxes: titled.map(([name, box]) => ({ ...placed(graph.node(ids.get(name) ?? "")), ...box })),
    ways: ways.map((way) => {
      const edge = graph.edge(ids.get(way.from) ?? "", ids.get(way.to) ?? "");
      const points = (edge.points ?? []).map(({ x, y }: Point) => ({ x, y }));
      return { points, lines: wayLines(way), label: { x: edge.x ?? 0, y: edge.y ?? 0 } };
    }),
  };
}

function placed({ x = 0, y = 0, width, height }: { x?: number; y?: number; width: number; height: number }) {
  return { x, y, width, height };
}
