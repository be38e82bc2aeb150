import type { PackRule } from "../artifact/pack-rules.js";
import { canonicalJson } from "../base/canonical-json.js";
import type { Json } from "../base/json.js";
import type { Program, Tool } from "../guard/program.js";
import type { Session } from "../guard/session.js";
import { settlementOf } from "../guard/settlement.js";

/** The tool as if the rule were the only one on its outputs. */
function judgingAlone(tool: Tool, { body }: PackRule): Tool | null {
  const { compiled } = tool;
  const others = tool.stages.filter(({ stage }) => stage.role !== "constrained" || stage.source !== "output");
  if (compiled === null) return null;
  if (body.kind === "output_invariant")
    return { ...tool, compiled: { ...compiled, output_invariants: [body.invariant] }, stages: others };
  if (body.kind !== "output_stage") return null;
  const text = canonicalJson([body.stage.tool, body.stage.path.text, body.stage.at.line]);
  const own = tool.stages.filter(
    ({ stage }) =>
      !others.some((other) => other.stage === stage) &&
      canonicalJson([stage.tool, stage.path.text, stage.at.line]) === text,
  );
  return { ...tool, compiled: { ...compiled, output_invariants: [] }, stages: [...others, ...own] };
}

/**
 * All rules that the output of an open call breaks, each judged by the guard as if it were the only one: the guard itself
 * tells the first.
 */
export function brokenRules(
  program: Program,
  busy: Session,
  { output, rules }: { readonly output: Json; readonly rules: readonly PackRule[] },
): readonly PackRule[] {
  const call = busy.unsettled.at(-1);
  if (call === undefined) return [];
  return rules.filter((rule) => {
    const tool = judgingAlone(call.tool, rule);
    if (tool === null) return false;
    const session = { ...busy, unsettled: [...busy.unsettled.slice(0, -1), { ...call, tool }] };
    const settlement = settlementOf({ program, session, judges: true }, call.id, { kind: "result", output });
    return settlement.accepted && settlement.violation !== null;
  });
}
