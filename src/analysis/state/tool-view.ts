import type { CompiledCheck } from "../../artifact/compiled.js";
import { compareSum } from "../../base/exact-sum.js";
import type { Program, Tool } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { watchOf } from "../model/checks-of.js";
import { slotsRead } from "../model/cone-of-influence.js";
import { aggregateText, momentText, priorText, slotText, type Text, valueText } from "./session-text.js";

/** The recent calls of a tool that loop detection would refuse next. */
function repeatedText(name: string, threshold: number): Text {
  return ({ recent }) => {
    if (recent.length + 1 < threshold) return "";
    const own = recent.filter((call) => call.startsWith(`${name} `)).sort();
    return own.filter((call, at) => call !== own[at - 1] && own[at + threshold - 2] === call).join("\n");
  };
}

/** What a check reads from a session besides slots and references. */
function readBy(check: CompiledCheck, name: string, program: Program): Text {
  switch (check.kind) {
    case "label_gate":
      return ({ labels }) => `${labels.has(check.label)}`;
    case "phase":
      return ({ phase }) => `${phase}`;
    case "forbidden_by":
      return ({ callsOf }) => check.tools.map(({ tool }) => callsOf.has(tool)).join();
    case "precondition": {
      const watch = check.prior === null ? undefined : watchOf(program, check.prior);
      const prior = watch === undefined ? () => "" : priorText(watch);
      return (session) => `${prior(session)} ${Math.min(session.sureOwnSteps, check.step_count ?? 0)}`;
    }
    case "max_steps":
      return ({ ownSteps }) => `${ownSteps < check.max}`;
    case "max_tool_calls":
      return ({ toolCalls }) => `${toolCalls < check.max}`;
    case "max_calls_per_tool":
      return ({ callsOf }) => `${(callsOf.get(name) ?? 0) < check.max}`;
    case "max_calls_per_step":
      return ({ openSteps, stepCalls }) => `${openSteps === 0 || (stepCalls ?? 0) < check.max}`;
    case "max_cost":
      return ({ cost }) => `${compareSum(cost, check.max) < 0}`;
    case "loop_detection":
      return repeatedText(name, check.threshold);
    case "aggregate":
      return aggregateText(check.index);
    default:
      return () => "";
  }
}

/**
 * What the checks of a tool read from a session, as text: equal texts mean equal verdicts. Null while a call is unsettled or
 * a step is open, because checks read more then.
 */
export function toolView(program: Program, { name, stages, compiled }: Tool): (session: Session) => string | null {
  const slots = new Set(compiled === null ? [] : slotsRead(compiled, program.pack));
  const envelopes = new Set(stages.map(({ envelope }) => envelope));
  const texts: Text[] = [
    momentText,
    ...(compiled?.checks ?? []).map((check) => readBy(check, name, program)),
    ...[...slots].map(slotText),
    ...[...envelopes].map(
      (index): Text =>
        ({ references }) =>
          [...(references[index] ?? [])].map(([reference, writes]) => `${reference} ${valueText(writes)}`).join("\n"),
    ),
  ];
  return (session) => {
    if (session.unsettled.size > 0 || session.openSteps > 0) return null;
    let view = `${session.isKilled}`;
    for (const text of texts) view += `\u0000${text(session)}`;
    return view;
  };
}
