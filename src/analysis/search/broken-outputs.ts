import type { PackRule } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import { judgeOutput, presentReferences } from "../../guard/decide/judge-output.js";
import type { Program } from "../../guard/program/program.js";
import type { ToolEffects } from "../../guard/program/tool-effects.js";
import type { Call } from "../../guard/session/call.js";
import type { Session } from "../../guard/session/session.js";
import { timeIn } from "../state/clock.js";

/** The tool with this rule as the only one on its outputs. */
function judgingAlone(tool: ToolEffects, { body }: PackRule): ToolEffects | null {
  const { compiled } = tool;
  const others = tool.stages.filter(({ stage }) => stage.role !== "constrained" || stage.source !== "output");
  if (compiled === null) return null;
  const { ensures: _, ...rest } = compiled;
  const bare = { ...rest, output_invariants: [] };
  if (body.kind === "output_invariant")
    return { ...tool, compiled: { ...bare, output_invariants: [body.invariant] }, stages: others };
  if (body.kind === "ensures") return { ...tool, compiled: { ...bare, ensures: [body.requirement] }, stages: others };
  if (body.kind !== "output_stage") return null;
  const text = canonicalJson([body.stage.tool, body.stage.path.text, body.stage.at.line]);
  const own = tool.stages.filter(
    ({ stage }) =>
      !others.some((other) => other.stage === stage) &&
      canonicalJson([stage.tool, stage.path.text, stage.at.line]) === text,
  );
  return { ...tool, compiled: bare, stages: [...others, ...own] };
}

/**
 * All rules that the output of an unsettled call breaks, each judged by the guard as the only one, because the guard
 * reports only the first.
 */
export function brokenRules(
  program: Program,
  session: Session,
  { call, output, rules }: { readonly call: Call; readonly output: Json; readonly rules: readonly PackRule[] },
): readonly PackRule[] {
  const references = presentReferences(session, call.id);
  const answered = { args: call.args, labels: session.labels, now: () => timeIn(session) };
  return rules.filter((rule) => {
    const tool = judgingAlone(call.tool, rule);
    return tool !== null && judgeOutput({ program, tool, references, call: answered }, output) !== null;
  });
}
