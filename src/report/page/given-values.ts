import { type CompiledPack, type CompiledTool, expressionsOf } from "../../artifact/compiled.js";
import { constantsIn } from "../../artifact/expression-parts.js";
import type { Json } from "../../base/json.js";
import { html, type Markup } from "../markup.js";
import { filterData, type Section, section, table, toolList } from "./parts.js";
import type { PackView } from "./view.js";

function reads({ checks, ensures = [] }: CompiledTool, constant: string): boolean {
  const all = [...checks.flatMap(expressionsOf), ...ensures.map(({ that }) => that)];
  return all.some(({ tree }) => constantsIn(tree).has(constant));
}

function constantRow(view: PackView, name: string, value: Json): Markup {
  const tools = view.pack.tools.filter((tool) => reads(tool, name)).map((tool) => tool.name);
  return html`<tr ${filterData(view, tools)}><td><code>constants.${name}</code></td><td><code>${JSON.stringify(value)}</code></td><td>${tools.length === 0 ? "none" : toolList(view, tools)}</td></tr>
`;
}

function zoneText({ timezone }: CompiledPack): Markup | null {
  if (timezone === undefined) return null;
  return html`<p>Times without a zone of their own are read in the time zone <code>${timezone}</code>.</p>`;
}

/** The constants and the time zone that expressions are judged with; null if the pack names none. */
export function givenValues(view: PackView): Section | null {
  const { constants = {}, timezone } = view.pack;
  const rows = Object.entries(constants).map(([name, value]) => constantRow(view, name, value));
  if (rows.length === 0 && timezone === undefined) return null;
  const listed = rows.length === 0 ? null : table(["Constant", "Value", "Read by rules of"], rows, "Constants");
  return section(`p${view.index}constants`, "Constants and time zone", [zoneText(view.pack), listed]);
}
