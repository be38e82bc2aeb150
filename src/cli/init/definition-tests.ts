import type { SearchBounds } from "../../analysis/search/search.js";
import type { Trace } from "../../analysis/trace/trace.js";
import type { RuleResult } from "../../analysis/verification.js";
import type { Artifact } from "../../artifact/compiled.js";
import type { Scenario } from "../../artifact/scenario.js";

/** A first pack has no rules between calls, so that its searches are short. */
const BOUNDS: SearchBounds = { depth: 3, states: 50 };

/** The tool that a session ends with. */
function lastTool({ steps }: Trace): string | null {
  const last = steps.at(-1);
  return last?.kind === "call" ? last.tool : null;
}

/** The first session for each tool that shows a rule refuse a call of it. */
function refusedByTool(rules: readonly RuleResult[]): ReadonlyMap<string, Trace> {
  const refused = new Map<string, Trace>();
  for (const { status, trace } of rules) {
    const tool = status === "fires" && trace !== null ? lastTool(trace) : null;
    if (trace !== null && tool !== null && !refused.has(tool)) refused.set(tool, trace);
  }
  return refused;
}

/** A test for each tool: a call that its definition allows, and one that it refuses, where exploring the pack shows them. */
export async function definitionTests(artifact: Artifact): Promise<ReadonlyMap<string, Scenario>> {
  const [{ verify }, { scenarioOfTrace }] = await Promise.all([
    import("../../analysis/verify.js"),
    import("../../analysis/mutation/scenario-of-trace.js"),
  ]);
  const tests = new Map<string, Scenario>();
  for (const { tools, rules } of await verify(artifact, [], BOUNDS)) {
    const refused = refusedByTool(rules);
    for (const { tool, trace } of tools) {
      const sessions = [trace, refused.get(tool) ?? null].filter((each): each is Trace => each !== null);
      const [first, ...others] = sessions.map((each) => scenarioOfTrace(each, `${tool}, as it is defined`));
      if (first === undefined) continue;
      tests.set(tool, { ...first, steps: [...first.steps, ...others.flatMap(({ steps }) => steps)] });
    }
  }
  return tests;
}
