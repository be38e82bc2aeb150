import type { RuleKind } from "../../artifact/pack-rules.js";
import { html, type Markup, type Part } from "../markup.js";
import type { ToolModel } from "../model.js";
import { effectBadge } from "./cards.js";
import { nameList, table, toolLink } from "./parts.js";
import type { PackView } from "./view.js";

const EFFECTS: readonly ToolModel["sideEffect"][] = ["read", "write", "destructive", "admin", "financial"];

const COLUMNS: readonly (readonly [title: string, kinds: readonly RuleKind[]])[] = [
  ["Always refused", ["gate"]],
  ["Wait for approval", ["checkpoint"]],
  ["Limited in number or amount", ["max_calls_per_tool", "aggregate", "envelope"]],
  ["Only for some callers", ["policy_deny", "policy_allow", "default_deny"]],
  ["Need earlier calls or steps", ["precondition"]],
];

function cell(view: PackView, tools: readonly ToolModel[]): Markup {
  if (tools.length === 0) return html`<td class="number quiet">0</td>`;
  const names = nameList(
    tools.map(({ name }) => toolLink(view, name)),
    20,
  );
  return html`<td class="number"><details class="more"><summary>${tools.length}</summary> ${names}</details></td>`;
}

/** How many tools of each side effect there are, and how many of them something holds back. */
export function riskTable(view: PackView): Part {
  const rows = EFFECTS.flatMap((effect) => {
    const tools = view.model.tools.filter(({ sideEffect }) => sideEffect === effect);
    if (tools.length === 0) return [];
    const counts = COLUMNS.map(([, kinds]) =>
      cell(
        view,
        tools.filter(({ name }) => view.rules.ofTool(name).some(({ body }) => kinds.includes(body.kind))),
      ),
    );
    return [
      html`<tr><th scope="row">${effectBadge(effect)}</th>${cell(view, tools)}${counts}</tr>
`,
    ];
  });
  const titles = COLUMNS.map(([title]) => title);
  return table(["Side effect", "Tools", ...titles], rows, "Risk by side effect");
}
