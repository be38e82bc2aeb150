import { type PackModel, type ReportModel, stayingTools } from "./model.js";
import type { WorkflowModel } from "./workflow-model.js";

/** Text that cannot be syntax: every special character is written as a character code. */
function text(value: string): string {
  return value.replace(/[^A-Za-z0-9_.,/() -]/gu, (character) => `#${character.codePointAt(0)};`);
}

function list(names: readonly string[]): string {
  return names.map(text).join(", ");
}

function packLines(pack: PackModel, prefix: string): readonly string[] {
  const ids = new Map(pack.phases.map(({ name }, index) => [name, `${prefix}${index}`]));
  const idOf = (phase: string) => ids.get(phase) ?? "";
  const lines = pack.phases.map(({ name }) => `state "${text(name)}" as ${idOf(name)}`);
  for (const { name, isInitial } of pack.phases) if (isInitial) lines.push(`[*] --> ${idOf(name)}`);
  for (const { from, to, tools } of pack.transitions) {
    lines.push(`${idOf(from)} --> ${idOf(to)} : ${tools.length === 0 ? "(no tool)" : list(tools)}`);
  }
  for (const { name, isTerminal } of pack.phases) if (isTerminal) lines.push(`${idOf(name)} --> [*]`);
  for (const { name } of pack.phases) {
    const staying = stayingTools(pack, name).map((tool) => tool.name);
    if (staying.length > 0) lines.push(`note right of ${idOf(name)} : ${list(staying)}`);
  }
  if (pack.phases.length > 0) return lines;
  // Without phases everything may happen at any time.
  const tools = pack.tools.filter(({ isBlocked }) => !isBlocked).map(({ name }) => name);
  return [`state "at any time" as ${prefix}0`, `note right of ${prefix}0 : ${list(tools)}`];
}

function workflowLines({ roles, handoffs }: WorkflowModel): readonly string[] {
  const ids = new Map(roles.map(({ name }, index) => [name, `w${index}`]));
  const idOf = (role: string) => ids.get(role) ?? "";
  const starts = roles.filter(({ isRoot }) => isRoot).map(({ name }) => `[*] --> ${idOf(name)}`);
  const lines = handoffs.map(({ from, to, artifacts }) => {
    const line = `${idOf(from)} --> ${idOf(to)}`;
    return artifacts.length === 0 ? line : `${line} : ${list(artifacts)}`;
  });
  return [...roles.map(({ name }) => `state "${text(name)}" as ${idOf(name)}`), ...starts, ...lines];
}

/** A state diagram: roles and handoffs of a workflow; phases, the tools that advance from one to the next, and beside each phase the tools that keep it. */
export function renderMermaid({ packs, workflow }: ReportModel): string {
  const [only, ...others] = packs;
  const lines =
    only !== undefined && others.length === 0 && workflow === null
      ? packLines(only, "p")
      : packs.flatMap((pack, index) => [
          `state "${text(pack.name)}" as r${index} {`,
          ...packLines(pack, `r${index}p`).map((line) => `  ${line}`),
          "}",
        ]);
  const roles =
    workflow === null
      ? []
      : [`state "workflow ${text(workflow.name)}" as w {`, ...workflowLines(workflow).map((line) => `  ${line}`), "}"];
  return ["stateDiagram-v2", ...[...roles, ...lines].map((line) => `  ${line}`), ""].join("\n");
}
