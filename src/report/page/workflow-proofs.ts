import type {
  DeadlockResult,
  RoleClaimResult,
  WorkflowVerification,
} from "../../analysis/workflow/workflow-verification.js";
import { waitingText } from "../../analysis/workflow/workflow-words.js";
import { listed } from "../../base/wording.js";
import { html, type Markup, type Part } from "../markup.js";
import type { ReportContent } from "../report-content.js";
import { counted, named } from "../sentence-words.js";
import { placeLink, type Section, section } from "./parts.js";
import { boundsText, claimItem, leftOutList, NOT_RUN } from "./proofs.js";
import type { TraceBook } from "./trace-book.js";
import type { RoleLinks } from "./workflow-links.js";

/** The claims about roles, and whether they hold. */
export function roleClaimsSection(content: ReportContent, links: RoleLinks, traces: TraceBook): Section {
  const { artifact, workflow, sources } = content;
  const claims = workflow?.claims ?? [];
  const row = (claim: RoleClaimResult): Markup => {
    const button = traces.runButton(artifact, claim.trace, `Counterexample: ${claim.text}`);
    return claimItem(claim, links.sentence(claim.text), sources, button);
  };
  const none = html`<p class="quiet">Nothing is claimed about the roles. A file <code>claims.yaml</code> next to <code>workflow.yaml</code> can state what must hold of every run.</p>`;
  const list = html`<ul class="rules">${claims.map(row)}</ul>`;
  const body = workflow === null ? NOT_RUN : claims.length === 0 ? none : list;
  return section("workflow-claims", "Claims about roles", body, { note: String(claims.length) });
}

function deadlockRow(
  { sessions, isProved, at }: DeadlockResult,
  links: RoleLinks,
  sources: string | null,
  button: Part,
): Markup {
  const roles = [...new Set(sessions.map(({ role }) => role))];
  const end = isProved
    ? "None of them can finish before another one ends."
    : "No way was found for one of them to finish; that there is none is not proved.";
  const waits = sessions.map((session) => html`<li>${links.sentence(waitingText(session), session.role)}</li>`);
  return html`<li class="rule"><p>Sessions of ${links.sentence(listed(roles.map(named), "and"))} can wait for each other. ${end}</p><ul>${waits}</ul><p class="facts">${placeLink(sources, at)} ${button}</p></li>
`;
}

function extent(bounds: WorkflowVerification["bounds"]): Markup {
  const sessions = `, with up to ${counted(bounds.sessions, "session")} of a role`;
  return html`<p class="hint">Every run that is shown was replayed on the workflow. ${boundsText(bounds, sessions)}</p>${leftOutList(bounds.hit)}`;
}

/** Sessions that wait for each other, and the extent of the search for them. */
export function deadlocksSection(content: ReportContent, links: RoleLinks, traces: TraceBook): Section {
  const { artifact, workflow, sources } = content;
  const deadlocks = workflow?.deadlocks ?? [];
  const rows = deadlocks.map((deadlock) => {
    const names = deadlock.sessions.map(({ session }) => session);
    const button = traces.runButton(artifact, deadlock.trace, `Sessions that wait for each other: ${names.join(", ")}`);
    return deadlockRow(deadlock, links, sources, button);
  });
  const list =
    rows.length === 0
      ? html`<p class="quiet">No sessions were found that wait for each other.</p>`
      : html`<ul class="rules">${rows}</ul>`;
  const body = workflow === null ? NOT_RUN : [list, extent(workflow.bounds)];
  return section("workflow-deadlocks", "Deadlocks", body, { note: String(deadlocks.length) });
}
