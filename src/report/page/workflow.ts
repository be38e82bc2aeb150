import { html, type Markup, type Part } from "../markup.js";
import type { ReportContent } from "../report-content.js";
import { counted } from "../sentence-words.js";
import { type HandoffModel, type SharedModel, type WorkflowModel, workflowModel } from "../workflow-model.js";
import { CLOSING, endSentences, limitWords, roleSentences, SHARING, startSentences } from "../workflow-sentences.js";
import { badge, codeText, nameList, pathCode, placeLink, type Section, section, sentence, table } from "./parts.js";
import { player } from "./player.js";
import type { PackView } from "./view.js";
import { WorkflowChanges } from "./workflow-changes.js";
import { workflowDrawing } from "./workflow-drawing.js";
import type { RoleLinks } from "./workflow-links.js";

function list(sentences: readonly string[]): Markup {
  return html`<ul>${sentences.map((text) => html`<li>${codeText(text)}</li>`)}</ul>`;
}

function codes(names: readonly string[]): Part {
  if (names.length === 0) return html`<span class="quiet">nothing</span>`;
  return nameList(names.map((name) => html`<code>${name}</code>`));
}

function handoffRow(links: RoleLinks, sources: string | null, handoff: HandoffModel): Markup {
  const { from, to, artifacts, closing, isDefault, at } = handoff;
  const policy = html`<code>${closing}</code>${isDefault ? html` <span class="quiet">(the default)</span>` : null}: ${CLOSING[closing]}`;
  return html`<tr><td>${links.role(from)}</td><td>${links.role(to)}</td><td>${codes(artifacts)}</td><td>${policy}</td><td>${placeLink(sources, at)}</td></tr>
`;
}

function handoffTable({ handoffs }: WorkflowModel, links: RoleLinks, sources: string | null): Part {
  if (handoffs.length === 0) {
    return html`<p>No role can hand work to another: the workflow declares no handoff.</p>`;
  }
  const rows = handoffs.map((handoff) => handoffRow(links, sources, handoff));
  const intro = html`<p class="hint">Every handoff that is not listed is refused, and so is one without all it must bring.</p>`;
  return [intro, table(["From", "To", "Must bring", "When the parent ends", "Written in"], rows, "Handoffs")];
}

function limitTable(workflow: WorkflowModel): Markup {
  const rows = limitWords(workflow).map(
    ({ title, most, refused }) =>
      html`<tr><th scope="row">${title}</th><td class="number">${most ?? badge("warn", "no limit")}</td><td>${most === null ? html`<span class="quiet">nothing is refused for this</span>` : refused}</td></tr>
`,
  );
  return table(["What is counted", "At most", "At the limit"], rows, "Limits of the workflow");
}

function touchRows(links: RoleLinks, { roles, strangers }: SharedModel): Part {
  const rows = roles.map(
    ({ role, path, reads, changes }) =>
      html`<tr><td>${links.role(role)}</td><td>${pathCode(path)}</td><td>${links.tools(role, reads)}</td><td>${links.tools(role, changes)}</td></tr>
`,
  );
  const others = strangers.map(
    (role) =>
      html`<tr><td>${links.role(role)}</td><td colspan="3" class="quiet">does not declare it: no call of this role counts as touching it</td></tr>
`,
  );
  return [rows, others];
}

function resourcePart(links: RoleLinks, sources: string | null, shared: SharedModel): Markup {
  const { alias, mode, at } = shared;
  const rows = table(["Role", "Named by", "Read by", "Changed by"], [touchRows(links, shared)], `Who touches ${alias}`);
  return html`<h4 class="shared"><code>${alias}</code> ${badge("accent", mode)}</h4><p class="sharing">${SHARING[mode]} ${placeLink(sources, at)}</p>${rows}`;
}

function resourceParts({ resources }: WorkflowModel, links: RoleLinks, sources: string | null): Part {
  if (resources.length === 0) {
    return html`<p>No resource is shared: what two sessions do with the same thing is not coordinated.</p>`;
  }
  const intro = html`<p class="hint">A call touches a resource if the argument that names it is given; each value is a resource of its own. Tools that are always refused, or whose definition has no such argument, are left out.</p>`;
  return [intro, resources.map((resource) => resourcePart(links, sources, resource))];
}

/** How the sessions of several packs work together; nothing without a workflow. */
export function workflowSection(content: ReportContent, links: RoleLinks): Section | null {
  const workflow = workflowModel(content.artifact);
  if (workflow === null) return null;
  const { sources } = content;
  const changes = new WorkflowChanges(content);
  const body = [
    workflowDrawing(workflow, links, changes),
    player("workflowplayer", "Step through a run of the workflow"),
    changes.list(),
    html`<h3>How sessions start</h3>${list(startSentences(workflow))}`,
    html`<h3>Handoffs</h3>`,
    handoffTable(workflow, links, sources),
    html`<h3>Limits of all sessions together</h3>`,
    limitTable(workflow),
    html`<h3>Shared resources</h3>`,
    resourceParts(workflow, links, sources),
    html`<h3>How sessions end</h3>${list(endSentences(workflow))}<p class="facts">${placeLink(sources, workflow.at)}</p>`,
  ];
  return section("workflow", `Workflow ${workflow.name}`, body, {
    note: `${counted(workflow.roles.length, "role")}, ${counted(workflow.handoffs.length, "handoff")}`,
  });
}

/** The names of the roles that a pack is for. */
export function rolesOf({ artifact }: ReportContent, { pack }: PackView): readonly string[] {
  const { workflow, packs } = artifact;
  return (workflow?.roles ?? []).filter(({ pack: index }) => packs[index] === pack).map(({ name }) => name);
}

/** What a session of a pack may do in the workflow, for each role that the pack is for; nothing without one. */
export function roleSection(content: ReportContent, view: PackView): Section | null {
  const workflow = workflowModel(content.artifact);
  const roles = rolesOf(content, view);
  if (workflow === null || roles.length === 0) return null;
  const parts = roles.map((role) => {
    const items = roleSentences(workflow, role).map((text) => html`<li>${sentence(view, text)}</li>`);
    return html`${roles.length === 1 ? null : html`<h3><code>${role}</code></h3>`}<ul>${items}</ul>`;
  });
  const title = roles.length === 1 ? `Role ${roles[0]}` : "Roles";
  return section(`p${view.index}role`, title, [
    parts,
    html`<p class="quiet">More in <a href="#workflow" data-section="workflow">the workflow</a>.</p>`,
  ]);
}
