import { type PackModel, type ReportModel, stayingTools } from "./model.js";

function quote(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}

function packLines(pack: PackModel, prefix: string): readonly string[] {
  const ids = new Map(pack.phases.map(({ name }, index) => [name, `${prefix}${index}`]));
  const idOf = (phase: string) => ids.get(phase) ?? "";
  const lines = pack.phases.map(({ name, isTerminal }) => {
    const label = [name, ...stayingTools(pack, name).map((tool) => `· ${tool.name}`)].join("\n");
    return `${idOf(name)} [label=${quote(label)}${isTerminal ? ", peripheries=2" : ""}];`;
  });
  for (const { name, isInitial } of pack.phases) {
    if (isInitial) lines.push(`${prefix}start [shape=point];`, `${prefix}start -> ${idOf(name)};`);
  }
  for (const { from, to, tools } of pack.transitions) {
    const style = tools.length === 0 ? "style=dashed" : `label=${quote(tools.join("\n"))}`;
    lines.push(`${idOf(from)} -> ${idOf(to)} [${style}];`);
  }
  if (pack.phases.length > 0) return lines;
  const tools = pack.tools.filter(({ isBlocked }) => !isBlocked).map(({ name }) => `· ${name}`);
  return [`${prefix}0 [label=${quote(["at any time", ...tools].join("\n"))}];`];
}

/** A Graphviz digraph: phases with the tools that stay in them, and ways labelled with the tools that take them. */
export function renderDot({ packs }: ReportModel): string {
  const clusters = packs.flatMap((pack, index) => [
    `subgraph cluster_${index} {`,
    `  label=${quote(pack.name)};`,
    ...packLines(pack, `r${index}p`).map((line) => `  ${line}`),
    "}",
  ]);
  const head = ["rankdir=LR;", "node [shape=box, style=rounded];"];
  return ["digraph pack {", ...[...head, ...clusters].map((line) => `  ${line}`), "}", ""].join("\n");
}
