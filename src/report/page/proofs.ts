import { leftOut, type MetName } from "../../analysis/model/caps.js";
import type { Bounds, ClaimResult, StuckResult, Verification } from "../../analysis/verification.js";
import { html, type Markup, type Part } from "../markup.js";
import { counted } from "../sentence-words.js";
import {
  badge,
  codeText,
  filterData,
  phaseLink,
  placeLink,
  type Section,
  section,
  sentence,
  toolLink,
} from "./parts.js";
import { nearMiss } from "./refusing-rules.js";
import { grouped } from "./rule-groups.js";
import { ruleRow } from "./rule-row.js";
import { CLAIM_STATUS, RULE_STATUS, TOOL_STATUS } from "./status.js";
import type { PackView } from "./view.js";

/** Instead of results. */
export const NOT_RUN = html`<p class="quiet">Verification was not run, so no trace shows this.</p>`;

/** A group with more rules starts folded. */
const MANY_RULES = 12;

/** The extent of the exploration. */
export function boundsText({ depth, states, explored }: Bounds, more = ""): string {
  return `${counted(explored, "state")} visited, in sessions of up to ${counted(depth, "step")} and searches of up to ${counted(states, "state")}${more}. What was not found may still exist.`;
}

/** Everything that searches left out. */
export function leftOutList(met: readonly MetName[]): Part {
  if (met.length === 0) return null;
  const items = met.map((name) => html`<li>${leftOut(name)} <code>${name}</code></li>`);
  return html`<details class="others"><summary>Not tried: ${counted(met.length, "thing")}</summary><ul>${items}</ul></details>`;
}

function togetherText({ rules }: Verification): string {
  return rules.some(({ status }) => status === "never_alone")
    ? "Seen only together with others: every call that such a rule was seen to refuse, another rule refuses too, which is often intended. "
    : "";
}

function statusSummary({ results, rules }: PackView): string {
  const statuses = Object.entries(RULE_STATUS).flatMap(([status, [, words]]) => {
    const count = rules.all.filter(({ id }) => results.get(id)?.status === status).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return statuses.join(", ");
}

/** Every rule in words, with the shortest session that shows it fire. */
export function rulesSection(view: PackView): Section {
  const { verification, rules, index } = view;
  const intro =
    verification === null
      ? NOT_RUN
      : html`<p class="hint">A rule is shown to fire by a session, replayed on the guard, whose last step this rule and no other stops. ${togetherText(verification)}${boundsText(verification.bounds)}</p>${leftOutList(verification.bounds.hit)}`;
  const groups = grouped(rules.all).map(
    ({ title, rules: own }) =>
      html`<details class="group"${own.length <= MANY_RULES ? html` open` : null}><summary><h3>${title}</h3> <span class="note">${own.length}</span></summary><ul class="rules rows">${own.map((rule) => ruleRow(view, rule))}</ul></details>`,
  );
  const summary = statusSummary(view);
  const note = summary === "" ? counted(rules.all.length, "rule") : `${counted(rules.all.length, "rule")}: ${summary}`;
  return section(`p${index}rules`, "Rules", [intro, groups, emptyNote()], { note });
}

/** Shown while a search matches nothing in a list. */
export function emptyNote(): Markup {
  return html`<p class="empty quiet" hidden>Nothing here matches the search.</p>`;
}

/** What a claim of a pack and one about roles have in common. */
type AnyClaim = Omit<ClaimResult, "trace" | "rules">;

/** Why a claim holds, or the extent of the search for a counterexample. */
function claimGround({ status, because, states, met }: AnyClaim): Part {
  if (status === "proved") return html`<p class="quiet">Proved, because ${codeText(because ?? "")}.</p>`;
  if (status === "violated") return null;
  return [html`<p class="quiet">No counterexample in ${counted(states, "state")}.</p>`, leftOutList(met)];
}

/** A claim with its status; `words` are its text with links, `button` starts its counterexample. */
export function claimItem(claim: AnyClaim, words: Part, sources: string | null, button: Part): Markup {
  return html`<li class="rule"><div><p>${words}</p>${claimGround(claim)}</div>
<p class="facts">${badge(...CLAIM_STATUS[claim.status])} ${placeLink(sources, claim.at)} ${button}</p></li>
`;
}

function claimRow(view: PackView, claim: ClaimResult): Markup {
  const { text, trace } = claim;
  const button = view.traces.button(view, trace, `Counterexample: ${text}`);
  return claimItem(claim, sentence(view, text), view.sources, button);
}

/** The claims of the pack, and whether they hold. */
export function claimsSection(view: PackView): Section {
  const claims = view.verification?.claims ?? [];
  const none = html`<p class="quiet">The pack makes no claims. A file <code>claims.yaml</code> in it can state what must hold of every session.</p>`;
  const list = html`<ul class="rules">${claims.map((claim) => claimRow(view, claim))}</ul>`;
  const body = view.verification === null ? NOT_RUN : claims.length === 0 ? none : list;
  return section(`p${view.index}claims`, "Claims", body, { note: String(claims.length) });
}

const CAUSES: Readonly<Record<StuckResult["cause"], string>> = {
  limits: "its calls are used up",
  label: "a label blocks every path",
  rules: "its rules together block every path",
};

function stuckRow(view: PackView, { phase, cause, isProved, trace }: StuckResult): Markup {
  const where = phase === null ? null : html` in ${phaseLink(view, phase)}`;
  const doubt = isProved ? null : " No path to an end was found; that there is none is not proved.";
  const button = view.traces.button(view, trace, `A session that cannot end any more: ${CAUSES[cause]}`);
  return html`<li class="rule"><p>A session can get stuck${where}: ${CAUSES[cause]}.${doubt}</p><p class="facts">${button}</p></li>
`;
}

/** Sessions that cannot reach a terminal phase any more. */
export function stuckSection(view: PackView): Section {
  const stuck = view.verification?.stuck ?? [];
  const none = html`<p class="quiet">No session was found that cannot reach an end.</p>`;
  const list = html`<ul class="rules">${stuck.map((result) => stuckRow(view, result))}</ul>`;
  const body = view.verification === null ? NOT_RUN : stuck.length === 0 ? none : list;
  return section(`p${view.index}stuck`, "Sessions that get stuck", body, { note: String(stuck.length) });
}

/** The shortest session that ends in an allowed call of each tool. */
export function callsSection(view: PackView): Section {
  const results = view.verification?.tools ?? [];
  const rows = results.map(
    ({ tool, status, because, trace, miss }): Part =>
      html`<li class="rule" ${filterData(view, [tool])}><p class="facts">${toolLink(view, tool)} ${badge(...TOOL_STATUS[status])} ${because === null ? null : html`because ${codeText(because)} `}${view.traces.button(view, trace, `the shortest session that calls ${tool}`)}${nearMiss(view, miss, `the session that came closest to a call of ${tool}`)}</p></li>
`,
  );
  const body = view.verification === null ? NOT_RUN : [html`<ul class="rules rows">${rows}</ul>`, emptyNote()];
  return section(`p${view.index}calls`, "Shortest session for each tool", body, { isOpen: false });
}
