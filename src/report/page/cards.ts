import type { CompiledKey, CompiledTool } from "../../artifact/compiled.js";
import { slotsOfTool } from "../../artifact/slots-of-check.js";
import { html, type Markup, type Part } from "../markup.js";
import { type PhaseModel, stayingTools, type ToolModel } from "../model.js";
import { counted } from "../sentence-words.js";
import { changeBadge, changesOf, lostRules, toolChangeBadges } from "./change-marks.js";
import { badge, filterData, nameList, pathCode, phaseLink, placeLink, toolLink } from "./parts.js";
import { nearMiss } from "./refusing-rules.js";
import { grouped } from "./rule-groups.js";
import { ruleItem } from "./rule-row.js";
import { TOOL_STATUS } from "./status.js";
import { commonRules, type PackView } from "./view.js";

/** The colour for the risk of a side effect. */
export function effectBadge(effect: ToolModel["sideEffect"]): Markup {
  return badge(effect === "read" ? "plain" : effect === "write" ? "accent" : "warn", effect);
}

/** Badges of a tool: its side effect, whether it is blocked, how it changed. */
export function toolBadges(view: PackView, { name, sideEffect, isBlocked }: ToolModel): Part {
  const shut = isBlocked ? [" ", badge("bad", "always refused")] : null;
  return [effectBadge(sideEffect), shut, toolChangeBadges(view, name).map((change) => [" ", change])];
}

function definition(term: string, value: Part): Markup {
  return html`<dt>${term}</dt><dd>${value}</dd>`;
}

function whereItLeads(view: PackView, { advancesTo }: ToolModel): Part {
  if (view.model.phases.length === 0) return null;
  const where = advancesTo === null ? "nowhere: the phase stays as it is" : html`to ${phaseLink(view, advancesTo)}`;
  return definition("Leads", where);
}

function whereItIsCalled(view: PackView, { phases }: ToolModel): Part {
  if (view.model.phases.length === 0) return "at any time, as far as its rules allow";
  return phases === null ? "in every phase" : ["in ", nameList(phases.map((phase) => phaseLink(view, phase)))];
}

function remembered({ sources }: PackView, { binds }: CompiledTool): Part {
  const items = binds.map(
    ({ slot, source, path, key, collect, decode, at }) =>
      html`<li>${pathCode(path.text)} of its ${sourceWord(source)}${decode === undefined ? null : ", decoded,"} ${collect === undefined ? "as" : "among"} <code>${slot}</code>${keyed(key ?? [])} ${placeLink(sources, at)}</li>`,
  );
  return items.length === 0 ? null : definition("Remembers", html`<ul>${items}</ul>`);
}

function sourceWord(source: CompiledTool["binds"][number]["source"]): string {
  return source === "output" ? "result" : "arguments";
}

/** The keys that a value is remembered under. */
function keyed(keys: readonly CompiledKey[]): Part {
  if (keys.length === 0) return null;
  const parts = keys.map((key) =>
    "match" in key
      ? html`its own ${pathCode(`@${key.match.text.slice(1)}`)}`
      : html`${pathCode(key.path.text)} of its ${sourceWord(key.source)}`,
  );
  return [" for each ", nameList(parts)];
}

function forgotten({ sources }: PackView, { unbinds = [] }: CompiledTool): Part {
  const items = unbinds.map(
    ({ slot, key, at }) => html`<li><code>${slot}</code>${keyed(key)} ${placeLink(sources, at)}</li>`,
  );
  return items.length === 0 ? null : definition("Forgets", html`<ul>${items}</ul>`);
}

function compared(tool: CompiledTool): Part {
  const slots = slotsOfTool(tool);
  if (slots.size === 0) return null;
  return definition("Compares with", nameList([...slots].map((slot) => html`<code>${slot}</code>`)));
}

function forbidden(view: PackView, { forbids_after: tools }: CompiledTool): Part {
  return tools.length === 0
    ? null
    : definition("Rules out afterwards", nameList(tools.map((tool) => toolLink(view, tool))));
}

const EVIDENCE: Readonly<Record<CompiledTool["evidence_class"], string>> = {
  local_transaction: "its result shows what happened",
  ack_only: "it only acknowledges, so its answer proves little",
  unverifiable: "nothing shows whether it happened",
};

function reachable(view: PackView, name: string): Part {
  const result = view.verification?.tools.find(({ tool }) => tool === name);
  if (result === undefined) return null;
  return definition("Shortest session that calls it", [
    badge(...TOOL_STATUS[result.status]),
    " ",
    view.traces.button(view, result.trace, `the shortest session that calls ${name}`),
    nearMiss(view, result.miss, `the session that came closest to a call of ${name}`),
  ]);
}

function used(view: PackView, name: string): Part {
  if (view.coverage === null) return null;
  const { allowed = 0, refused = 0 } = view.coverage.tools.get(name) ?? {};
  return definition("In recorded sessions", `allowed ${counted(allowed, "time")}, refused ${counted(refused, "time")}`);
}

function toolCard(view: PackView, model: ToolModel, tool: CompiledTool): Markup {
  const common = new Set(commonRules(view));
  const own = [...view.rules.ofTool(tool.name), ...view.rules.ofResponses(tool.name)];
  const rules = own.filter((rule) => !common.has(rule));
  const groups = grouped(rules).map(
    ({ title, rules: listed }) =>
      html`<h4>${title}</h4><ul class="rules">${listed.map((rule) => ruleItem(view, rule))}</ul>`,
  );
  const { index, toolIndex, sources } = view;
  return html`<details class="card" id="p${index}t${toolIndex.get(tool.name) ?? ""}" ${filterData(view, [tool.name])}>
<summary><h3><code>${tool.name}</code></h3> ${toolBadges(view, model)} <span class="note">${counted(rules.length, "rule")} of its own</span></summary>
<div class="card-body"><dl>
${definition("Written in", placeLink(sources, tool.at))}
${definition("May be called", whereItIsCalled(view, model))}
${whereItLeads(view, model)}
${definition("Evidence", EVIDENCE[tool.evidence_class])}
${remembered(view, tool)}${forgotten(view, tool)}${compared(tool)}${forbidden(view, tool)}${reachable(view, tool.name)}${used(view, tool.name)}
</dl>${groups}${lostRules(view, tool.name)}</div></details>
`;
}

/** Every tool with everything that governs it; rules for all tools are shown once. */
export function toolCards(view: PackView): Part {
  const common = commonRules(view);
  const shared =
    common.length === 0
      ? null
      : html`<details class="card" id="p${view.index}common"><summary><h3>Every tool</h3> <span class="note">${counted(common.length, "rule")} that all tools share</span></summary>
<div class="card-body"><ul class="rules">${common.map((rule) => ruleItem(view, rule))}</ul></div></details>
`;
  return [
    shared,
    view.pack.tools.map((tool, index) => {
      const model = view.model.tools[index];
      return model === undefined ? null : toolCard(view, model, tool);
    }),
  ];
}

function transitionsFrom(view: PackView, phase: string): Part {
  return view.model.transitions
    .filter(({ from, to }) => from === phase && to !== phase)
    .map(({ to, tools }) => {
      const by =
        tools.length === 0
          ? "no tool leads there"
          : nameList(
              tools.map((tool) => toolLink(view, tool)),
              20,
            );
      return html`<dt>To ${phaseLink(view, to)}</dt><dd>${by}</dd>`;
    });
}

function phaseCard(view: PackView, { name, isInitial, isTerminal }: PhaseModel): Markup {
  const staying = stayingTools(view.model, name).map((tool) => toolLink(view, tool.name));
  const marks = [
    isInitial ? [" ", badge("accent", "sessions start here")] : null,
    isTerminal ? [" ", badge("good", "sessions may end here")] : null,
  ];
  const changes = changesOf(view, (change) => change.what === "phase" && change.name === name).map(({ kind }) =>
    changeBadge(kind),
  );
  return html`<details class="card" id="p${view.index}f${view.phaseIndex.get(name) ?? ""}"><summary><h3><code>${name}</code></h3>${marks} ${changes}</summary>
<div class="card-body"><dl>${definition("Tools that stay in it", staying.length === 0 ? "none" : nameList(staying, 40))}${transitionsFrom(view, name)}</dl></div></details>
`;
}

/** Every phase with the tools that may be called in it and its transitions. */
export function phaseCards(view: PackView): Part {
  return view.model.phases.map((phase) => phaseCard(view, phase));
}
