import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { callNeeds } from "./call-needs.js";

/** The calls that every path contains; undefined where there is no path, or where that is not known. */
export interface Landmarks {
  /** Tools that were certainly called once this one was, itself included. */
  readonly ofTool: (tool: NamedTool) => readonly NamedTool[] | undefined;
  /** Tools that were certainly called once the session is in the phase. */
  readonly ofPhase: (phase: string) => readonly NamedTool[] | undefined;
  /** Whether it is certain that no call of the tool is ever allowed. */
  readonly isNeverCalled: (tool: NamedTool) => boolean;
}

function compute(context: RuleContext): Landmarks {
  const { tools } = context;
  const bits = new Map(tools.map((tool, index) => [tool, 1n << BigInt(index)]));
  const measured = callNeeds(context).measure<bigint>({
    start: 0n,
    either: (a, b) => a & b,
    both: (a, b) => a | b,
    call: (tool, before) => before | (bits.get(tool) ?? 0n),
    nextStep: (value) => value,
    isSame: (a, b) => a === b,
  });
  const lists = new Map<bigint, readonly NamedTool[]>();
  const listOf = (mask: bigint | undefined) => {
    if (mask === undefined) return undefined;
    const list = lists.get(mask) ?? tools.filter((tool) => (mask & (bits.get(tool) ?? 0n)) !== 0n);
    lists.set(mask, list);
    return list;
  };
  return {
    ofTool: (tool) => listOf(measured?.tools.get(tool)),
    ofPhase: (phase) => listOf(measured?.phases.get(phase)),
    isNeverCalled: (tool) => measured !== null && !measured.tools.has(tool),
  };
}

const known = new WeakMap<RuleContext, Landmarks>();

/** The landmarks of a pack, computed once for all rules. */
export function landmarksOf(context: RuleContext): Landmarks {
  const landmarks = known.get(context) ?? compute(context);
  known.set(context, landmarks);
  return landmarks;
}
