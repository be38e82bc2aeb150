import type { ModelWitness, RuleResult } from "../../analysis/verification.js";
import { isOfModel, type PackRule } from "../../artifact/pack-rules.js";
import { html, type Markup, type Part } from "../markup.js";
import { counted } from "../sentence-words.js";
import { sentenceOf } from "../sentences.js";
import { changeBadge, changesOf, wordsBefore } from "./change-marks.js";
import { badge, filterData, placeLink, sentence, toolList } from "./parts.js";
import { nearMiss, refusingRules, rulesWith } from "./refusing-rules.js";
import { RULE_STATUS } from "./status.js";
import type { PackView } from "./view.js";

function statusBadge({ suppressed }: PackView, result: RuleResult | undefined): Part {
  if (result === undefined) return null;
  const [tone, words] = RULE_STATUS[result.status];
  return suppressed.rules.includes(result.rule) ? badge("plain", `${words}, suppressed`) : badge(tone, words);
}

function coverageBadge({ coverage }: PackView, { id, body }: PackRule): Part {
  // Recorded events are about calls, not about requests and responses.
  if (coverage === null || isOfModel(body)) return null;
  const count = coverage.rules.get(id) ?? 0;
  if (count === 0) return badge("plain", "never exercised");
  if (body.kind === "circuit_breaker") return badge("plain", `ended ${counted(count, "session")}`);
  return badge("plain", `${body.kind === "checkpoint" ? "asked" : "refused"} ${counted(count, "time")}`);
}

function otherRules(view: PackView, { others }: RuleResult): Part {
  const known = rulesWith(view, others);
  return known.length === 0
    ? null
    : refusingRules(view, known, `Refused by ${counted(known.length, "other rule")} as well`);
}

/** The facts about a rule besides its sentence. */
function ruleFacts(view: PackView, rule: PackRule): Part {
  const changes = changesOf(view, ({ newRule }) => newRule === rule.id).map(({ kind }) => changeBadge(kind));
  return [
    statusBadge(view, view.results.get(rule.id)),
    ...changes.map((change) => [" ", change]),
    " ",
    coverageBadge(view, rule),
    " ",
    placeLink(view.sources, rule.at),
  ];
}

/** The bodies that show a rule on requests or responses. */
function shownBodies({ provider, request, response, said }: ModelWitness): Markup {
  const answer = response === null ? null : html`<br>Response: <code>${JSON.stringify(response)}</code>`;
  return html`<details class="others"><summary>Shown by a ${response === null ? "request" : "response"}</summary><p>To ${provider}: <code>${JSON.stringify(request)}</code>${answer}<br>The guard says <code>${said}</code>.</p></details>`;
}

function witness(view: PackView, rule: PackRule): Part {
  const result = view.results.get(rule.id);
  if (result?.shown !== undefined) return shownBodies(result.shown);
  if (result === undefined) return null;
  return (
    view.traces.button(view, result.trace, sentenceOf(rule)) ??
    nearMiss(view, result.miss, `closest to a refusal: ${sentenceOf(rule)}`)
  );
}

/** A rule in the list of all rules, with its tools and its witness. */
export function ruleRow(view: PackView, rule: PackRule): Markup {
  const result = view.results.get(rule.id);
  const others = result === undefined ? null : otherRules(view, result);
  return html`<li class="rule" ${filterData(view, rule.tools)}><div><p>${sentence(view, sentenceOf(rule))}</p>${wordsBefore(view, rule.id)}<p class="for">For ${toolList(view, rule.tools)}</p>${others}</div>
<p class="facts">${ruleFacts(view, rule)} ${witness(view, rule)}</p></li>
`;
}

/** A rule in the list of one tool. */
export function ruleItem(view: PackView, rule: PackRule): Markup {
  return html`<li><p>${sentence(view, sentenceOf(rule), { isBrief: true })}</p>${wordsBefore(view, rule.id)}<p class="facts">${ruleFacts(view, rule)} ${witness(view, rule)}</p></li>
`;
}
