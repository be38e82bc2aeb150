import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  /** The tools of the cycle, each requiring the next and the last one the first. */
  readonly cycle: readonly string[];
}

/** What each tool requires, with the place of the first entry that requires it. */
type Requirements = ReadonlyMap<string, ReadonlyMap<string, Span>>;

/** Of a longer cycle the first tools are shown. */
const MOST_NAMES = 8;

function requirementsOf(tools: readonly NamedTool[]): Requirements {
  return new Map(
    tools.map(({ name, contract }) => {
      const required = new Map<string, Span>();
      for (const precondition of contract.preconditions ?? []) {
        const prior = precondition.requires_prior_tool;
        if (prior === undefined || required.has(prior)) continue;
        required.set(prior, valueSpan(precondition, "requires_prior_tool"));
      }
      return [name, required];
    }),
  );
}

/** The tools in the order in which a search along requirements leaves them. */
function leavingOrder(requirements: Requirements): readonly string[] {
  const order: string[] = [];
  const visited = new Set<string>();
  for (const start of requirements.keys()) {
    // No recursion, because chains of requirements can be long.
    const stack: { readonly tool: string; readonly next: Iterator<string> }[] = [];
    const enter = (tool: string): void => {
      if (visited.has(tool)) return;
      visited.add(tool);
      stack.push({ tool, next: (requirements.get(tool) ?? new Map()).keys() });
    };
    enter(start);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const step = frame.next.next();
      if (step.done !== true) enter(step.value);
      else order.push(stack.pop()?.tool ?? frame.tool);
    }
  }
  return order;
}

/** For every tool the name of its group: tools that all require each other, directly or not (Kosaraju's algorithm). */
function groupsOf(requirements: Requirements): ReadonlyMap<string, string> {
  const requiredBy = new Map<string, string[]>();
  for (const [tool, required] of requirements) {
    for (const prior of required.keys()) {
      const known = requiredBy.get(prior);
      if (known === undefined) requiredBy.set(prior, [tool]);
      else known.push(tool);
    }
  }
  const groups = new Map<string, string>();
  for (const root of [...leavingOrder(requirements)].reverse()) {
    if (groups.has(root)) continue;
    const members = new Set([root]);
    for (const member of members) {
      groups.set(member, root);
      for (const next of requiredBy.get(member) ?? []) if (!groups.has(next)) members.add(next);
    }
  }
  return groups;
}

/** The shortest cycle through a tool within its group; empty where there is none. */
function cycleThrough(first: string, requirements: Requirements, groups: ReadonlyMap<string, string>): string[] {
  const reachedFrom = new Map<string, string | null>([[first, null]]);
  for (const tool of reachedFrom.keys()) {
    for (const prior of requirements.get(tool)?.keys() ?? []) {
      // A tool that requires itself is a cycle too.
      if (prior === first && tool !== first) {
        const cycle: string[] = [];
        for (let at: string | null = tool; at !== null; at = reachedFrom.get(at) ?? null) cycle.push(at);
        return cycle.reverse();
      }
      if (groups.get(prior) === groups.get(first) && !reachedFrom.has(prior)) reachedFrom.set(prior, tool);
    }
  }
  return [];
}

function* cyclesIn({ tools }: RuleContext): Generator<{ readonly cycle: readonly string[]; readonly span: Span }> {
  const requirements = requirementsOf(tools);
  const groups = groupsOf(requirements);
  const reported = new Set<string | undefined>();
  for (const [tool, required] of requirements) {
    const own = required.get(tool);
    if (own !== undefined) yield { cycle: [tool], span: own };
    const group = groups.get(tool);
    if (reported.has(group)) continue;
    reported.add(group);
    const cycle = cycleThrough(tool, requirements, groups);
    const span = required.get(cycle[1] ?? "");
    if (span !== undefined) yield { cycle, span };
  }
}

/** If tools wait for each other, none can come first. */
export const preconditionCycle = defineRule<Params>({
  code: "precondition_cycle",
  stage: "graph",
  severity: "warning",
  what: "Tools require each other's prior call.",
  why: "Each waits for another, so none of them can ever be called.",
  fix: "Remove the `requires_prior_tool` of the tool that comes first.",
  message({ cycle }) {
    const [first = ""] = cycle;
    if (cycle.length === 1) return `${quoted(first)} requires a prior call of itself, so it can never be called`;
    const names = cycle.slice(0, MOST_NAMES).map(quoted);
    const rest = cycle.length > MOST_NAMES ? [`${cycle.length - MOST_NAMES} more`] : [];
    return `these tools wait for each other, so none can ever be called: ${[...names, ...rest, quoted(first)].join(" → ")}`;
  },
  help: ({ cycle }) =>
    cycle.length === 1
      ? "name the tool that must come before it, or remove the precondition"
      : "remove the `requires_prior_tool` of the one that comes first",
  check(context, report) {
    for (const { cycle, span } of cyclesIn(context)) report(span, { cycle }, cycle[0]);
  },
});
