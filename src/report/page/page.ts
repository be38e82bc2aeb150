import { html, type Markup, type Part, scriptJson } from "../markup.js";
import type { ReportContent } from "../report-content.js";
import { counted } from "../sentence-words.js";
import { approvalTable, policyTable } from "./access.js";
import { phaseCards, toolCards } from "./cards.js";
import { changesSection } from "./changes.js";
import { contents } from "./contents.js";
import { drawing } from "./drawing.js";
import { findingsSection } from "./findings.js";
import { dataFlow } from "./flow.js";
import { GENERATOR } from "./generator.js";
import { givenValues } from "./given-values.js";
import { matrix } from "./matrix.js";
import { type Section, section } from "./parts.js";
import { player } from "./player.js";
import { callsSection, claimsSection, emptyNote, rulesSection, stuckSection } from "./proofs.js";
import { refusalsSection } from "./refusals.js";
import { riskTable } from "./risk.js";
import { SCRIPT } from "./script.js";
import { STYLE } from "./style.js";
import { TraceBook } from "./trace-book.js";
import { useSection } from "./use.js";
import { verdictOf } from "./verdict.js";
import { type PackView, packViews } from "./view.js";
import { roleSection, rolesOf, workflowSection } from "./workflow.js";
import { RoleLinks } from "./workflow-links.js";
import { deadlocksSection, roleClaimsSection } from "./workflow-proofs.js";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/** With more tools, their list starts folded; the matrix links to each of them. */
const MANY_TOOLS = 30;

function phaseCount(count: number): string {
  return count === 0 ? "no phases" : counted(count, "phase");
}

function options(values: readonly (readonly [value: string, text: string])[]): Part {
  return values.map(([value, text]) => html`<option value="${value}">${text}</option>`);
}

function toolbar({ model, index }: PackView): Markup {
  const effects = [...new Set(model.tools.map(({ sideEffect }) => sideEffect))].map(
    (effect) => [effect, effect] as const,
  );
  const phases = model.phases.map(({ name }, number) => [String(number), name] as const);
  const phaseFilter =
    phases.length === 0
      ? null
      : html`<label>Phase <select data-filter="phase">${options([["", "all"], ...phases])}</select></label>`;
  return html`<form class="toolbar" role="search" aria-label="Search in ${model.name}">
<label class="grow"><span class="hidden">Find a tool, a value or a rule</span><input type="search" id="p${index}search" data-filter="text" placeholder="Find a tool, a value or a rule" autocomplete="off" spellcheck="false"></label>
<label>Side effect <select data-filter="effect">${options([["", "all"], ...effects])}</select></label>
${phaseFilter}<span class="matches quiet" role="status"></span><a href="#p${index}contents">Contents</a></form>
`;
}

/** The sections of one pack, in the order of a review. */
function sectionsOf(view: PackView, content: ReportContent): readonly Section[] {
  const { index, model } = view;
  const id = (part: string) => `p${index}${part}`;
  const flow = dataFlow(view);
  const approvals = approvalTable(view);
  const parts = [
    roleSection(content, view),
    section(id("phases"), "Phases", [drawing(view), player(id("player"), "Step through a session")], {
      note: phaseCount(model.phases.length),
    }),
    changesSection(view),
    section(id("matrix"), "Tools and phases", [matrix(view), emptyNote()], {
      note: counted(model.tools.length, "tool"),
    }),
    section(id("risk"), "Risk", riskTable(view)),
    rulesSection(view),
    claimsSection(view),
    stuckSection(view),
    section(id("policy"), "Who may call what", [policyTable(view), emptyNote()]),
    section(id("approvals"), "Approvals and labels", approvals.body, { note: String(approvals.count) }),
    section(id("flow"), "Data flow", [flow.body, emptyNote()], { note: String(flow.count) }),
    givenValues(view),
    useSection(view, content.coverage),
    refusalsSection(view, content.refusals),
    section(id("tools"), "Tools one by one", [toolCards(view), emptyNote()], {
      note: counted(model.tools.length, "tool"),
      isOpen: model.tools.length <= MANY_TOOLS,
    }),
    model.phases.length === 0 ? null : section(id("each-phase"), "Phases one by one", phaseCards(view)),
    callsSection(view),
  ];
  return parts.filter((part) => part !== null);
}

function packBody(view: PackView, content: ReportContent, around: readonly Section[]): Markup {
  const { index } = view;
  const parts = sectionsOf(view, content);
  return html`<div class="pack" id="p${index}" data-pack="${index}">
<h2 class="pack-name${content.artifact.packs.length > 1 ? "" : " hidden"}">${packTitle(view, content)}</h2>
${contents(`p${index}contents`, [...parts, ...around])}${toolbar(view)}${parts}</div>
`;
}

/** The name of a pack, with the roles that it is for. */
function packTitle(view: PackView, content: ReportContent): string {
  const roles = rolesOf(content, view);
  return roles.length === 0 ? view.model.name : `${view.model.name} (${roles.join(", ")})`;
}

function packSwitch(views: readonly PackView[], content: ReportContent): Markup | null {
  if (views.length < 2) return null;
  const buttons = views.map(
    (view) =>
      html`<button type="button" data-switch="${view.index}" aria-pressed="${view.index === 0 ? "true" : "false"}">${packTitle(view, content)}</button>`,
  );
  return html`<div class="switch" role="group" aria-label="Packs">${buttons}</div>`;
}

function header(views: readonly PackView[], content: ReportContent, title: string): Markup {
  const { tone, text } = verdictOf(views, content);
  const tools = views.reduce((sum, { model }) => sum + model.tools.length, 0);
  const phases = views.reduce((sum, { model }) => sum + model.phases.length, 0);
  const counts = [
    ...(views.length > 1 ? [counted(views.length, "pack")] : []),
    counted(tools, "tool"),
    phaseCount(phases),
  ].join(", ");
  return html`<header><div class="top"><div><p class="kind">Contract report</p><h1>${title}</h1></div>
<button type="button" class="theme" data-theme-switch aria-pressed="false">Dark colours</button></div>
<p class="verdict ${tone}">${text}</p>
<p class="quiet">${counts}. Artifact <code class="hash">${content.artifact.hash}</code></p>
<p class="quiet">A call is allowed only if every rule for its tool allows it; a rule that cannot be judged refuses the call.</p></header>
`;
}

/** The sections of a workflow; none without one. */
function workflowSections(content: ReportContent, views: readonly PackView[], traces: TraceBook): readonly Section[] {
  const links = new RoleLinks(content.artifact, views);
  const workflow = workflowSection(content, links);
  if (workflow === null) return [];
  return [workflow, roleClaimsSection(content, links, traces), deadlocksSection(content, links, traces)];
}

/** One page for reviewers of a pack; it needs no network and no other file. */
export function renderPage(content: ReportContent): string {
  const traces = new TraceBook();
  const views = packViews(content, traces);
  const title = content.artifact.workflow?.name ?? views[0]?.model.name ?? "pack";
  const findings = findingsSection(content);
  const workflow = workflowSections(content, views, traces);
  const packs = views.map((view) => packBody(view, content, [findings, ...workflow]));
  const isClean = content.findings.length === 0;
  const data = scriptJson(traces.data);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">${{ markup: GENERATOR }}<meta http-equiv="Content-Security-Policy" content="${{ markup: POLICY }}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${title}: contract report</title><style>${{ markup: STYLE }}</style></head><body>
<a class="skip" href="#main">Skip to the report</a>
${header(views, content, title)}
<main id="main">${isClean ? null : findings}${workflow}${packSwitch(views, content)}${packs}${isClean ? findings : null}</main>
<aside id="panel" aria-label="Details" hidden><div class="panel-head"><h2 tabindex="-1"></h2><button type="button" data-panel="close">Close</button></div><div class="panel-body"></div></aside>
<script type="application/json" id="data">${data}</script><script>${{ markup: SCRIPT }}</script></body></html>
`.markup;
}
