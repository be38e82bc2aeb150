import {
  type Box,
  type Drawing,
  type DrawnTransition,
  LINE_HEIGHT,
  layoutPack,
  layoutWorkflow,
  type Point,
} from "./layout.js";
import { escapeText } from "./markup.js";
import type { ReportModel } from "./model.js";

/** Colours as plain rules, because few viewers other than browsers support custom properties. */
function colours(ink: string, line: string, box: string, end: string, paper: string): string {
  return `
    .pack text { fill: ${ink}; }
    .pack .paper, .pack .behind { fill: ${paper}; }
    .pack .box { fill: ${box}; stroke: ${line}; }
    .pack .end { fill: ${end}; stroke: ${line}; }
    .pack .rim, .pack .transition { fill: none; stroke: ${line}; }
    .pack .tip, .pack .start { fill: ${line}; }`;
}

const STYLE = `
    .pack text { font: 12px ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
    .pack .title { font-weight: 700; }
    .pack .heading { font-size: 14px; font-weight: 700; }
    .pack .transition { stroke-width: 1.4; }${colours("#1f2933", "#7b8794", "#f5f7fa", "#e3f0e8", "#ffffff")}
    @media (prefers-color-scheme: dark) {${colours("#e4e7eb", "#9aa5b1", "#2b3440", "#24402f", "#161b22")}
    }
  `;

const HEADING = 28;

/** A coordinate, rounded to a tenth of a pixel. */
export function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function textLines(lines: readonly string[], { x, y }: Point, { first = "" } = {}): readonly string[] {
  const top = y - ((lines.length - 1) * LINE_HEIGHT) / 2 + 4;
  return lines.map((line, index) => {
    const name = index === 0 && first !== "" ? ` class="${first}"` : "";
    return `<text x="${number(x)}" y="${number(top + index * LINE_HEIGHT)}" text-anchor="middle"${name}>${escapeText(line)}</text>`;
  });
}

function rect({ x, y, width, height }: Pick<Box, "x" | "y" | "width" | "height">, name: string): string {
  const place = `x="${number(x - width / 2)}" y="${number(y - height / 2)}"`;
  return `<rect class="${name}" ${place} width="${number(width)}" height="${number(height)}" rx="6"/>`;
}

function boxLines(box: Box): readonly string[] {
  const { x, y, width, height, lines, isInitial, isTerminal } = box;
  const rim = isTerminal ? [rect({ x, y, width: width - 6, height: height - 6 }, "rim")] : [];
  const start = isInitial ? [`<circle class="start" cx="${number(x - width / 2 - 10)}" cy="${number(y)}" r="5"/>`] : [];
  return [rect(box, isTerminal ? "end" : "box"), ...rim, ...start, ...textLines(lines, box, { first: "title" })];
}

/** A curve through the points that leaves and meets the boxes where the layout says. */
export function curve([start, ...rest]: readonly Point[]): string {
  if (start === undefined) return "";
  const steps = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) return `L ${number(point.x)} ${number(point.y)}`;
    const middle = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q ${number(point.x)} ${number(point.y)} ${number(middle.x)} ${number(middle.y)}`;
  });
  return `M ${number(start.x)} ${number(start.y)} ${steps.join(" ")}`;
}

function transitionLines({ points }: DrawnTransition): readonly string[] {
  return [`<path class="transition" d="${curve(points)}" marker-end="url(#tip)"/>`];
}

function labelLines({ lines, label }: DrawnTransition): readonly string[] {
  const width = Math.max(...lines.map((line) => [...line].length)) * 7.3 + 6;
  // The line is hidden behind the text, or neither could be read.
  const behind = rect({ ...label, width, height: lines.length * LINE_HEIGHT }, "behind");
  return [behind, ...textLines(lines, label)];
}

function drawingLines({ boxes, transitions }: Drawing): readonly string[] {
  return [...transitions.flatMap(transitionLines), ...transitions.flatMap(labelLines), ...boxes.flatMap(boxLines)];
}

/** A drawing of the roles of a workflow and of the phases of each pack, light or dark by the reader's system setting. */
export function renderSvg({ packs, workflow }: ReportModel): string {
  const drawings = [
    ...(workflow === null ? [] : [{ title: `workflow ${workflow.name}`, drawing: layoutWorkflow(workflow) }]),
    ...packs.map((pack) => ({ title: pack.name, drawing: layoutPack(pack) })),
  ];
  const width = Math.max(200, ...drawings.map(({ drawing }) => drawing.width));
  let top = 0;
  const groups = drawings.flatMap(({ title, drawing }) => {
    const heading = `<text class="heading" x="24" y="${number(top + HEADING - 6)}">${escapeText(title)}</text>`;
    const group = [
      heading,
      `<g transform="translate(0 ${number(top + HEADING)})">`,
      ...drawingLines(drawing).map((line) => `  ${line}`),
      "</g>",
    ];
    top += HEADING + drawing.height;
    return group;
  });
  const size = `width="${number(width)}" height="${number(top)}" viewBox="0 0 ${number(width)} ${number(top)}"`;
  const names = packs.map(({ name }) => name).join(", ");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="pack" role="img" aria-label="${escapeText(`${workflow === null ? "" : `roles of ${workflow.name}, `}phases of ${names}`)}" ${size}>`,
    `  <style>${STYLE}</style>`,
    '  <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">',
    '    <path class="tip" d="M 0 0 L 8 4 L 0 8 z"/></marker></defs>',
    '  <rect class="paper" width="100%" height="100%"/>',
    ...groups.map((line) => `  ${line}`),
    "</svg>",
    "",
  ].join("\n");
}
