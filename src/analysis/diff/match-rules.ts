import { isOfModel, type PackRule, type PackRules, type RuleBody } from "../../artifact/pack-rules.js";
import { subjectsOf } from "./rule-content.js";

/** A rule before and after; null where there is none. */
export interface RulePair {
  readonly before: PackRule | null;
  readonly after: PackRule | null;
  readonly tools: readonly string[];
}

const LEVELS = [0, 1, 2];

/** Matches the rules of one tool, those first that are most alike; what stands alone was removed or added. */
function matched(before: readonly PackRule[], after: readonly PackRule[]): readonly Omit<RulePair, "tools">[] {
  const pairs: Omit<RulePair, "tools">[] = [];
  const old = new Set(before);
  const current = new Set(after);
  for (const level of LEVELS) {
    for (const rule of old) {
      const text = subjectsOf(rule)[level];
      const match = [...current].find((other) => subjectsOf(other)[level] === text);
      if (match === undefined) continue;
      old.delete(rule);
      current.delete(match);
      if (level > 0) pairs.push({ before: rule, after: match });
    }
  }
  const removed = [...old].map((rule) => ({ before: rule, after: null }));
  return [...pairs, ...removed, ...[...current].map((rule) => ({ before: null, after: rule }))];
}

function isOfProvider(body: RuleBody): boolean {
  return isOfModel(body) && body.kind !== "response_format";
}

function ofTool(rules: PackRules, tool: string): readonly PackRule[] {
  return [...rules.ofTool(tool), ...rules.ofResponses(tool)];
}

function ofWholePack({ all }: PackRules): readonly PackRule[] {
  return all.filter(({ body }) => body.kind === "circuit_breaker" || isOfProvider(body));
}

/** The rules that differ, each pair once with the tools it differs for. */
export function changedRules(before: PackRules, after: PackRules, tools: readonly string[]): readonly RulePair[] {
  const byIds = new Map<string, { readonly pair: Omit<RulePair, "tools">; readonly tools: string[] }>();
  for (const tool of tools) {
    for (const pair of matched(ofTool(before, tool), ofTool(after, tool))) {
      const id = `${pair.before?.id}\n${pair.after?.id}`;
      const known = byIds.get(id) ?? { pair, tools: [] };
      known.tools.push(tool);
      byIds.set(id, known);
    }
  }
  const breakers = matched(ofWholePack(before), ofWholePack(after)).map((pair) => ({ ...pair, tools }));
  return [...[...byIds.values()].map(({ pair, tools: own }) => ({ ...pair, tools: own })), ...breakers];
}
