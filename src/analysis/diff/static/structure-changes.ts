import type { CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { Change, Direction } from "../../difference.js";
import type { FoundChange, ReadablePack } from "../search/found-change.js";

type What = "tool" | "phase" | "transition";

/** The names that identify an item: its own for a tool or phase, both phases for a transition. */
type Named = readonly string[];

/** Items that only one of two lists has. Names are free text, so several items may have the same displayed text. */
function listChanges(
  what: What,
  lists: readonly [before: readonly Named[], after: readonly Named[]],
  about: (named: Named, kind: "added" | "removed") => Pick<Change, "tools" | "direction" | "at">,
): readonly Change[] {
  const [before, after] = lists;
  const change = (kind: "added" | "removed", named: Named): Change => {
    const name = named.join(" → ");
    const texts = kind === "added" ? { before: null, after: name } : { before: name, after: null };
    return { kind, what, name, ...texts, oldRule: null, newRule: null, ...about(named, kind) };
  };
  const missing = (from: readonly Named[], others: readonly Named[]) => {
    const known = new Set(others.map((named) => JSON.stringify(named)));
    return from.filter((named) => !known.has(JSON.stringify(named)));
  };
  return [
    ...missing(before, after).map((named) => change("removed", named)),
    ...missing(after, before).map((named) => change("added", named)),
  ];
}

/** A tool without a contract is refused, so a new contract that refuses every call is as strong. */
export function isShut({ checks }: CompiledTool): boolean {
  return checks.some((check) => check.kind === "gate" || (check.kind === "policy" && check.default_deny !== null));
}

function directionOfTool(tool: CompiledTool | undefined, kind: "added" | "removed"): Direction {
  return kind === "removed" || (tool !== undefined && isShut(tool)) ? "stronger" : "weaker";
}

function transitionsOf({ phases }: CompiledPack): readonly Named[] {
  return (phases?.transitions ?? []).map(({ from, to }) => [from, to]);
}

function directionOfTransition([from, to]: Named, kind: "added" | "removed", old: CompiledPack): Direction {
  // Staying in a phase needs no transition.
  if (from === to) return "same";
  if (kind === "removed") return "stronger";
  // Without phases every transition was possible.
  return old.phases === null ? "same" : "weaker";
}

/** The tools whose calls take a transition. */
function toolsTaking({ tools }: CompiledPack, transition: Named): readonly string[] {
  return tools.filter(({ advances_to: next }) => next !== null && transition.at(-1) === next).map(({ name }) => name);
}

/** Tools, phases and transitions that were added or removed. */
export function structureChanges(before: ReadablePack, after: ReadablePack): readonly FoundChange[] {
  const [old, current] = [before.pack, after.pack];
  const namesOf = ({ tools }: CompiledPack) => tools.map(({ name }) => [name]);
  const tools = listChanges("tool", [namesOf(old), namesOf(current)], ([name = ""], kind) => {
    const tool = kind === "added" ? after.tool(name) : before.tool(name);
    return { tools: [name], direction: directionOfTool(tool, kind), at: tool?.at ?? null };
  });
  // A phase permits nothing on its own: its transitions and the tools in it are compared.
  const phasesOf = ({ phases: all }: CompiledPack) => (all?.names ?? []).map((name) => [name]);
  const phases = listChanges("phase", [phasesOf(old), phasesOf(current)], () => {
    return { tools: [], direction: "same", at: null };
  });
  const transitions = listChanges("transition", [transitionsOf(old), transitionsOf(current)], (transition, kind) => {
    const concerned = new Set([...toolsTaking(old, transition), ...toolsTaking(current, transition)]);
    return { tools: [...concerned], direction: directionOfTransition(transition, kind, old), at: null };
  });
  return [
    ...[...tools, ...phases].map((change) => ({ change, judges: false, hasEffect: false })),
    ...transitions.map((change) => ({ change, judges: true, hasEffect: false })),
  ];
}
