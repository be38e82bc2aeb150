import { canonicalJson } from "../../../base/canonical-json.js";
import type { Span } from "../../../diagnostics/source.js";
import { assertWhole, type Draft } from "../../../language/draft.js";
import { keySpan, valueSpan } from "../../../language/located.js";
import type { Principal } from "../../../language/schema/shared.js";
import { canonicalPath } from "../../exclusions.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

type Decision = "allow" | "deny";

interface Entry {
  readonly decision: Decision;
  /** Equal for equal conditions; `ANY_PRINCIPAL` without any. */
  readonly principal: string;
  /** Null for all tools, also those without a contract. */
  readonly tools: readonly string[] | null;
  readonly span: Span;
  /** The tool whose own policy has the entry. */
  readonly owner?: string;
}

interface Params {
  readonly decision: Decision;
  readonly by: Entry;
}

const ANY_PRINCIPAL = "";

/** The conditions of a principal in canonical form: neither their order nor that of their operators matters. */
function principalKey(principal: Draft<Principal> | undefined): string {
  if (principal === undefined) return ANY_PRINCIPAL;
  const conditions = [assertWhole<Principal>(principal)].flat();
  const texts = conditions.map((condition) => canonicalJson({ ...condition, path: canonicalPath(condition.path) }));
  return [...new Set(texts)].sort().join("\n");
}

function entriesOf(context: RuleContext): readonly Entry[] {
  const entries: Entry[] = [];
  for (const rule of context.session?.policy?.rules ?? []) {
    const decision: Decision = rule.allow === undefined ? "deny" : "allow";
    const { principal, tools = null } = rule[decision] ?? {};
    entries.push({ decision, principal: principalKey(principal), tools, span: keySpan(rule, decision) });
  }
  for (const { name, contract } of context.tools) {
    for (const decision of ["allow", "deny"] as const) {
      const list: readonly { readonly principal?: Draft<Principal> }[] = contract.policy?.[decision] ?? [];
      list.forEach(({ principal }, index) => {
        const span = valueSpan(list, index);
        entries.push({ decision, principal: principalKey(principal), tools: [name], span, owner: name });
      });
    }
  }
  return entries;
}

/** Which entries decide what for which tools. */
class Coverage {
  private readonly everywhere = new Map<string, Entry>();
  private readonly byTool = new Map<string, Entry>();

  add(entry: Entry): void {
    const key = `${entry.decision} ${entry.principal}`;
    if (entry.tools === null) remember(this.everywhere, key, entry);
    for (const tool of entry.tools ?? []) remember(this.byTool, `${tool} ${key}`, entry);
  }

  /** The entry that decides so for a tool, or for all where the tool is null. */
  find(tool: string | null, decision: Decision, principal: string): Entry | undefined {
    const key = `${decision} ${principal}`;
    return this.everywhere.get(key) ?? (tool === null ? undefined : this.byTool.get(`${tool} ${key}`));
  }
}

function remember(map: Map<string, Entry>, key: string, entry: Entry): void {
  if (!map.has(key)) map.set(key, entry);
}

/** An entry that others override can be changed without any effect. */
export const shadowedPolicyRule = defineRule<Params>({
  code: "shadowed_policy_rule",
  stage: "graph",
  severity: "warning",
  what: "A policy entry decides nothing, because other entries already decide for all its tools.",
  why: "Tightening or removing it later changes nothing, although it looks as if it did.",
  fix: "Drop the entry, or correct its tools or its principal.",
  message({ decision, by }) {
    if (by.decision !== decision) return `the ${decision} entry never matters: its tools are denied to every principal`;
    const whom = by.principal === ANY_PRINCIPAL ? "every principal" : "the same principal";
    return `the ${decision} entry never matters: another one ${decision === "deny" ? "denies" : "allows"} its tools ${
      decision === "deny" ? "to" : "for"
    } ${whom}`;
  },
  help: () => "drop it, or correct its tools or its principal",
  related: ({ by }) => [{ span: by.span, message: `this ${by.decision} entry decides` }],
  check(context, report) {
    const entries = entriesOf(context);
    // Entries for every principal, and those for all tools, take precedence over others of their kind wherever they are.
    const strong = new Coverage();
    for (const entry of entries) if (entry.principal === ANY_PRINCIPAL || entry.tools === null) strong.add(entry);
    const earlier = new Coverage();
    for (const entry of entries) {
      const by = shadowOf(entry, strong, earlier);
      if (by !== undefined) report(entry.span, { decision: entry.decision, by }, entry.owner);
      earlier.add(entry);
    }
  },
});

/** An entry that overrides this one; undefined where this one may matter for one of its tools. */
function shadowOf({ decision, principal, tools }: Entry, strong: Coverage, earlier: Coverage): Entry | undefined {
  const shadowFor = (tool: string | null) =>
    earlier.find(tool, decision, principal) ??
    (tool === null ? undefined : strong.find(null, decision, principal)) ??
    (principal === ANY_PRINCIPAL ? undefined : strong.find(tool, decision, ANY_PRINCIPAL)) ??
    (decision === "allow" ? strong.find(tool, "deny", ANY_PRINCIPAL) : undefined);
  const shadows = (tools ?? [null]).map(shadowFor);
  return shadows.includes(undefined) ? undefined : shadows[0];
}
