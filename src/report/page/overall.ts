import type { CompiledWorkflow } from "../../artifact/compiled.js";
import { listed } from "../../base/wording.js";
import { html } from "../markup.js";
import type { ReportContent } from "../report-content.js";
import { counted, named } from "../sentence-words.js";
import { badge, codeText, placeLink, type Section, section } from "./parts.js";

/** What compiling the pack found. */
export function findingsSection({ findings, sources }: ReportContent): Section {
  const rows = findings.map(
    ({ severity, code, message, file, line, help }) =>
      html`<li class="rule"><p>${badge(severity === "error" ? "bad" : "warn", severity)} ${codeText(message)}</p>${help === null ? null : html`<p class="quiet">${codeText(help)}</p>`}<p class="facts"><code>${code}</code> ${placeLink(sources, { file, line })}</p></li>
`,
  );
  const body =
    rows.length === 0
      ? html`<p class="quiet">Compiling the pack found nothing to fix.</p>`
      : html`<ul class="rules">${rows}</ul>`;
  return section("findings", "Findings", body, { note: String(findings.length) });
}

const CLOSING = {
  request_cancel: "its children are asked to stop after the call they are in",
  terminate: "its children are stopped at once",
  abandon: "its children go on alone",
} as const;

const SHARING = {
  single_writer: "the first session that changes it owns it until it ends",
  exclusive_pending: "while one session has a call on it open, no other may start one",
  serial_only: "many sessions may act on it, one at a time",
} as const;

function limitSentences({ limits }: CompiledWorkflow): readonly string[] {
  const sentence = (limit: number | null, words: string) => (limit === null ? [] : [`At most ${limit} ${words}.`]);
  return [
    ...sentence(limits.max_sessions, "sessions in total"),
    ...sentence(limits.max_active_sessions, "sessions at a time"),
    ...sentence(limits.max_total_steps, "steps of all sessions together"),
    ...sentence(limits.max_total_cost, "USD of cost in total"),
    ...sentence(limits.max_open_handoffs, "handoffs open at a time"),
  ];
}

function workflowSentences(workflow: CompiledWorkflow): readonly string[] {
  const { roles, handoffs, shared_resources: shared } = workflow;
  return [
    `The sessions play the roles ${listed(
      roles.map(({ name }) => named(name)),
      "and",
    )}.`,
    ...handoffs.map(({ from, to, requires_artifacts: artifacts, parent_close_policy: closing }) => {
      const brings = artifacts.length === 0 ? "" : `, and must bring ${listed(artifacts.map(named), "and")}`;
      const end = closing === null ? "" : `; when the first ends, ${CLOSING[closing]}`;
      return `${named(from)} may hand work to ${named(to)}${brings}${end}.`;
    }),
    ...limitSentences(workflow),
    ...shared.map(({ alias, mode }) => `${named(alias)} is shared: ${SHARING[mode]}.`),
    `Unless stated otherwise, when a session ends, ${CLOSING[workflow.parent_close_policy]}.`,
    ...(workflow.workflow_kill === null ? [] : ["Only an operator may stop the whole workflow."]),
  ];
}

/** How the sessions of several packs work together; nothing without a workflow. */
export function workflowSection({ artifact: { workflow }, sources }: ReportContent): Section | null {
  if (workflow === null) return null;
  const items = workflowSentences(workflow).map((sentence) => html`<li>${codeText(sentence)}</li>`);
  const body = html`<ul>${items}</ul><p class="facts">${placeLink(sources, workflow.at)}</p>`;
  return section("workflow", `Workflow ${workflow.name}`, body, { note: counted(workflow.roles.length, "role") });
}
