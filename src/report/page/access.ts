import { readsPrincipal, readsVariable } from "../../artifact/expression-parts.js";
import type { PackRule, RuleKind } from "../../artifact/pack-rules.js";
import { html, type Markup, type Part } from "../markup.js";
import { sentenceOf } from "../sentences.js";
import { filterData, nameList, pathCode, placeLink, sentence, table, toolLink, toolList } from "./parts.js";
import type { PackView } from "./view.js";

const POLICY: readonly RuleKind[] = ["policy_deny", "policy_allow", "default_deny"];

/** Whether a rule refuses calls for who is calling: a policy, or an expression that reads the principal. */
export function isAboutCallers({ body }: PackRule): boolean {
  return POLICY.includes(body.kind) || (body.kind === "requires" && readsPrincipal(body.that.tree));
}

/** Whether a rule refuses calls for the labels of the session. */
function isAboutLabels({ body }: PackRule): boolean {
  return body.kind === "label_gate" || (body.kind === "requires" && readsVariable(body.that.tree, "labels"));
}

function sentences(view: PackView, rules: readonly PackRule[]): Part {
  const items = rules.map(
    (rule) => html`<li>${sentence(view, sentenceOf(rule))} ${placeLink(view.sources, rule.at)}</li>`,
  );
  return items.length === 0 ? "Every caller may." : html`<ul>${items}</ul>`;
}

/** Who may call what; tools under the same policy share a row. */
export function policyTable(view: PackView): Part {
  const byPolicy = new Map<string, { readonly rules: readonly PackRule[]; readonly tools: string[] }>();
  for (const { name } of view.model.tools) {
    const rules = view.rules.ofTool(name).filter(isAboutCallers);
    const key = rules.map(({ id }) => id).join("\n");
    const known = byPolicy.get(key) ?? { rules, tools: [] };
    known.tools.push(name);
    byPolicy.set(key, known);
  }
  const rows = [...byPolicy.values()].map(
    ({ rules, tools }) =>
      html`<tr ${filterData(view, tools)}><td>${nameList(tools.map((tool) => toolLink(view, tool)))}</td><td>${sentences(view, rules)}</td></tr>
`,
  );
  return table(["Tools", "Who may call them"], rows, "Who may call what");
}

function shownToApprover({ body }: PackRule): Part {
  if (body.kind !== "checkpoint" || body.context.length === 0) return null;
  const items = body.context.map(({ label, path }) => html`<li>${label} (${pathCode(path.text)})</li>`);
  return html`<p class="quiet">The approver is shown:</p><ul>${items}</ul>`;
}

function gateRow(view: PackView, rule: PackRule): Markup {
  return html`<tr ${filterData(view, rule.tools)}><td>${rule.body.kind === "checkpoint" ? "Approval" : "Label"}</td><td>${toolList(view, rule.tools)}</td><td>${sentence(view, sentenceOf(rule))} ${placeLink(view.sources, rule.at)}${shownToApprover(rule)}</td></tr>
`;
}

/** Checkpoints that need an approval, and rules about the labels of the session. */
export function approvalTable(view: PackView): { readonly count: number; readonly body: Part } {
  const rules = view.rules.all.filter((rule) => rule.body.kind === "checkpoint" || isAboutLabels(rule));
  const body =
    rules.length === 0
      ? html`<p class="quiet">No call needs an approval, and no label blocks a tool.</p>`
      : table(
          ["What", "Tools", "Rule"],
          rules.map((rule) => gateRow(view, rule)),
          "Approvals and labels",
        );
  return { count: rules.length, body };
}
