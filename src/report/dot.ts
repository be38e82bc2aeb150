import { clean } from "../base/clean.js";
import { type PackModel, type ReportModel, stayingTools } from "./model.js";
import type { WorkflowModel } from "./workflow-model.js";

/** A quoted label of several lines, each a text of a pack. */
function quote(...lines: readonly string[]): string {
  return `"${lines.map((line) => clean(line).replace(/[\\"]/g, "\\$&")).join("\\n")}"`;
}

function packLines(pack: PackModel, prefix: string): readonly string[] {
  const ids = new Map(pack.phases.map(({ name }, index) => [name, `${prefix}${index}`]));
  const idOf = (phase: string) => ids.get(phase) ?? "";
  const lines = pack.phases.map(({ name, isTerminal }) => {
    const staying = stayingTools(pack, name).map((tool) => `· ${tool.name}`);
    return `${idOf(name)} [label=${quote(name, ...staying)}${isTerminal ? ", peripheries=2" : ""}];`;
  });
  for (const { name, isInitial } of pack.phases) {
    if (isInitial) lines.push(`${prefix}start [shape=point];`, `${prefix}start -> ${idOf(name)};`);
  }
  for (const { from, to, tools } of pack.transitions) {
    const style = tools.length === 0 ? "style=dashed" : `label=${quote(...tools)}`;
    lines.push(`${idOf(from)} -> ${idOf(to)} [${style}];`);
  }
  if (pack.phases.length > 0) return lines;
  const tools = pack.tools.filter(({ isBlocked }) => !isBlocked).map(({ name }) => `· ${name}`);
  return [`${prefix}0 [label=${quote("at any time", ...tools)}];`];
}

function workflowLines({ name, roles, handoffs }: WorkflowModel): readonly string[] {
  const ids = new Map(roles.map((role, index) => [role.name, `w${index}`]));
  const idOf = (role: string) => ids.get(role) ?? "";
  const starts = roles.flatMap(({ name: role, isRoot }) =>
    isRoot ? [`${idOf(role)}start [shape=point];`, `${idOf(role)}start -> ${idOf(role)};`] : [],
  );
  return [
    "subgraph cluster_workflow {",
    `  label=${quote(`workflow ${name}`)};`,
    ...roles.map(({ name: role, pack }) => `  ${idOf(role)} [label=${quote(role, pack)}];`),
    ...starts.map((line) => `  ${line}`),
    ...handoffs.map(({ from, to, artifacts }) => `  ${idOf(from)} -> ${idOf(to)} [label=${quote(...artifacts)}];`),
    "}",
  ];
}

/** A Graphviz digraph: roles with their handoffs; phases with the tools that keep them, and transitions with the tools that take them. */
export function renderDot({ packs, workflow }: ReportModel): string {
  const roles = workflow === null ? [] : workflowLines(workflow);
  const clusters = packs.flatMap((pack, index) => [
    `subgraph cluster_${index} {`,
    `  label=${quote(pack.name)};`,
    ...packLines(pack, `r${index}p`).map((line) => `  ${line}`),
    "}",
  ]);
  const head = ["rankdir=LR;", "node [shape=box, style=rounded];"];
  return ["digraph pack {", ...[...head, ...roles, ...clusters].map((line) => `  ${line}`), "}", ""].join("\n");
}
