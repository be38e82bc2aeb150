import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import type { Change, Direction } from "../difference.js";
import type { FoundChange, ReadablePack } from "./found-change.js";

type What = "tool" | "phase" | "transition";

/** Names that only one of two lists has. */
function listChanges(
  what: What,
  lists: readonly [before: readonly string[], after: readonly string[]],
  about: (name: string, kind: "added" | "removed") => Pick<Change, "tools" | "direction" | "at">,
): readonly Change[] {
  const [before, after] = lists;
  const change = (kind: "added" | "removed", name: string): Change => {
    const texts = kind === "added" ? { before: null, after: name } : { before: name, after: null };
    return { kind, what, name, ...texts, oldRule: null, newRule: null, ...about(name, kind) };
  };
  return [
    ...before.filter((name) => !after.includes(name)).map((name) => change("removed", name)),
    ...after.filter((name) => !before.includes(name)).map((name) => change("added", name)),
  ];
}

/** A tool without a contract is refused, so one with a contract that refuses every call is no less so. */
export function isShut({ checks }: CompiledTool): boolean {
  return checks.some((check) => check.kind === "gate" || (check.kind === "policy" && check.default_deny !== null));
}

function directionOfTool(tool: CompiledTool | undefined, kind: "added" | "removed"): Direction {
  return kind === "removed" || (tool !== undefined && isShut(tool)) ? "stronger" : "weaker";
}

function ways({ phases }: CompiledPack): readonly string[] {
  return (phases?.transitions ?? []).map(({ from, to }) => `${from} → ${to}`);
}

/** The tools whose calls take a way that only one of the packs has. */
function travellers({ tools }: CompiledPack, way: string): readonly string[] {
  return tools.filter(({ advances_to: next }) => next !== null && way.endsWith(` → ${next}`)).map(({ name }) => name);
}

/** Tools, phases and transitions that came or went. */
export function structureChanges(before: ReadablePack, after: ReadablePack): readonly FoundChange[] {
  const [old, current] = [before.pack, after.pack];
  const namesOf = ({ tools }: CompiledPack) => tools.map(({ name }) => name);
  const tools = listChanges("tool", [namesOf(old), namesOf(current)], (name, kind) => {
    const tool = kind === "added" ? after.tool(name) : before.tool(name);
    return { tools: [name], direction: directionOfTool(tool, kind), at: tool?.at ?? null };
  });
  // A phase opens nothing by itself: what leads to it, and what may be called in it, is compared.
  const phases = listChanges("phase", [old.phases?.names ?? [], current.phases?.names ?? []], () => {
    return { tools: [], direction: "same", at: null };
  });
  const transitions = listChanges("transition", [ways(old), ways(current)], (way, kind) => {
    const concerned = new Set([...travellers(old, way), ...travellers(current, way)]);
    // Without phases every way was open.
    const added = old.phases === null ? "same" : "weaker";
    return { tools: [...concerned], direction: kind === "added" ? added : "stronger", at: null };
  });
  return [
    ...[...tools, ...phases].map((change) => ({ change, judges: false, hasEffect: false })),
    ...transitions.map((change) => ({ change, judges: true, hasEffect: false })),
  ];
}
