import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { toolReferences } from "../../references.js";
import { claimedTools } from "../../role-claims.js";
import { defineRule, type Report } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly tool: string;
  readonly where: string;
  readonly known: Iterable<string>;
  readonly defined: boolean;
}

/** A warning about a defined tool without a contract can be suppressed by its name, and a test may show that it is refused. */
const MAY_BE_UNCONTRACTED: ReadonlySet<string> = new Set(["suppress", "call"]);

/** A claim may say that a role lacks a tool that another one has; no role having it is a mistake. */
function judgeClaims(context: RuleContext, report: Report<Params>): void {
  const packs = context.roles.map(({ target }) => target);
  if (context.workflow === null || packs.some((target) => typeof target === "string")) return;
  const known = new Set(packs.flatMap((target) => (typeof target === "string" ? [] : [...target.toolsByName.keys()])));
  for (const { name: tool, span } of claimedTools(context)) {
    if (!known.has(tool)) report(span, { tool, where: "never", known, defined: false });
  }
}

/** A rule about a tool without a contract would never apply. */
export const unknownTool = defineRule<Params>({
  code: "unknown_tool",
  stage: "resolve",
  severity: "error",
  what: "A rule names a tool that has no contract in the pack.",
  why: "Calls are matched to rules by contract, so the rule would never apply to any call.",
  fix: "Correct the name, or add the contract `{tool}.yaml`.",
  message: ({ tool, where }) => `${quoted(where)} names ${quoted(tool)}, which has no contract`,
  help({ tool, known, defined }) {
    return didYouMean(tool, defined ? [] : known, `add ${quoted(`${tool}.yaml`)}`);
  },
  check(context, report) {
    const misnamed = new Set(context.problems("wrong_extension").map(({ name }) => name.replace(/\.[^.]*$/, "")));
    for (const { tool, span, where } of toolReferences(context)) {
      const defined = context.definition(tool) !== undefined;
      if (context.toolsByName.has(tool) || misnamed.has(tool) || (defined && MAY_BE_UNCONTRACTED.has(where))) continue;
      report(span, { tool, where, known: context.toolsByName.keys(), defined });
    }
    judgeClaims(context, report);
  },
});
