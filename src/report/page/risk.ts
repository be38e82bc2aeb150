import type { PackRule, RuleKind } from "../../artifact/pack-rules.js";
import { html, type Markup, type Part } from "../markup.js";
import type { ToolModel } from "../model.js";
import { isAboutCallers } from "./access.js";
import { effectBadge } from "./cards.js";
import { nameList, table, toolLink } from "./parts.js";
import type { PackView } from "./view.js";

const EFFECTS: readonly ToolModel["sideEffect"][] = ["read", "write", "destructive", "admin", "financial"];

/** The side effects for which missing restrictions are highlighted. */
const ALARMING: readonly ToolModel["sideEffect"][] = ["destructive", "admin", "financial"];

function isOf(...kinds: readonly RuleKind[]) {
  return ({ body }: PackRule): boolean => kinds.includes(body.kind);
}

const COLUMNS: readonly (readonly [title: string, isMeant: (rule: PackRule) => boolean])[] = [
  ["Always refused", isOf("gate")],
  ["Wait for approval", isOf("checkpoint")],
  ["Limited in number or amount", isOf("max_calls_per_tool", "aggregate", "envelope")],
  ["Only for some callers", isAboutCallers],
  ["Need earlier calls or steps", isOf("precondition")],
];

function cell(view: PackView, tools: readonly ToolModel[], isAlarming = false): Markup {
  if (tools.length === 0) return html`<td class="number quiet">0</td>`;
  const names = nameList(
    tools.map(({ name }) => toolLink(view, name)),
    20,
  );
  return html`<td class="number${isAlarming ? " alarming" : ""}"><details class="more"><summary>${tools.length}</summary> <span class="names">${names}</span></details></td>`;
}

/** The number of tools for each side effect, and how many of them are restricted. */
export function riskTable(view: PackView): Part {
  const rows = EFFECTS.flatMap((effect) => {
    const tools = view.model.tools.filter(({ sideEffect }) => sideEffect === effect);
    if (tools.length === 0) return [];
    const held = COLUMNS.map(([, isMeant]) => tools.filter(({ name }) => view.rules.ofTool(name).some(isMeant)));
    const free = tools.filter((tool) => held.every((list) => !list.includes(tool)));
    const counts = [held.map((list) => cell(view, list)), cell(view, free, ALARMING.includes(effect))];
    return [
      html`<tr><th scope="row">${effectBadge(effect)}</th>${cell(view, tools)}${counts}</tr>
`,
    ];
  });
  const titles = COLUMNS.map(([title]) => title);
  return table(["Side effect", "Tools", ...titles, "None of these"], rows, "Risk by side effect");
}
