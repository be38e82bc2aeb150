import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { isOfModel, type PackRule } from "../../artifact/pack-rules.js";
import type { Change } from "../difference.js";
import type { PackUnderTest } from "../pack-under-test.js";
import { changedRules, type RulePair } from "./match-rules.js";
import { ofRule } from "./rule-strength.js";
import { packSettings, type Setting, toolSettings, UNMATCHED } from "./settings.js";

/** A change, with what it may do to verdicts. */
export interface FoundChange {
  readonly change: Change;
  /** Whether calls of the tools it concerns can be judged otherwise because of it. */
  readonly judges: boolean;
  /** Whether calls of these tools do something else to a session than they did. */
  readonly hasEffect: boolean;
}

type Wording = (rule: PackRule) => string;

const KINDS = { same: "changed", looser: "loosened", tighter: "tightened", unclear: "changed" } as const;

function plain(kind: "added" | "removed", what: "tool" | "phase" | "transition", name: string): Change {
  const [before, after] = kind === "added" ? [null, name] : [name, null];
  return { kind, what, name, tools: what === "tool" ? [name] : [], before, after, oldRule: null, newRule: null };
}

/** Names that only one of two lists has. */
function listChanges(
  what: "tool" | "phase" | "transition",
  before: readonly string[],
  after: readonly string[],
): readonly Change[] {
  const removed = before.filter((name) => !after.includes(name)).map((name) => plain("removed", what, name));
  const added = after.filter((name) => !before.includes(name)).map((name) => plain("added", what, name));
  return [...removed, ...added];
}

function namesOf({ tools }: CompiledPack): readonly string[] {
  return tools.map(({ name }) => name);
}

function ways({ phases }: CompiledPack): readonly string[] {
  return (phases?.transitions ?? []).map(({ from, to }) => `${from} → ${to}`);
}

/** The tools whose calls take a way that only one of the packs has. */
function travellers({ tools }: CompiledPack, way: string): readonly string[] {
  return tools.filter(({ advances_to: next }) => next !== null && way.endsWith(` → ${next}`)).map(({ name }) => name);
}

/** The phase that calls under a rule lead to. */
function nextOf(rule: PackRule | null): string | null {
  return rule?.body.kind === "phase" ? rule.body.advances_to : null;
}

function ruleChange({ before, after, tools }: RulePair, wording: Wording): FoundChange {
  const strength = before === null || after === null ? "unclear" : ofRule(before.body, after.body);
  const one = after ?? before;
  const kind = before === null ? "added" : after === null ? "removed" : KINDS[strength];
  const texts = { before: before === null ? null : wording(before), after: after === null ? null : wording(after) };
  const ids = { oldRule: before?.id ?? null, newRule: after?.id ?? null };
  const name = one === null ? "" : wording(one);
  const hasEffect = nextOf(before) !== nextOf(after);
  const judges = strength !== "same" && (one === null || !isOfModel(one.body));
  return { change: { kind, what: "rule", name, tools, ...texts, ...ids }, judges, hasEffect };
}

function settingChange(before: Setting | undefined, after: Setting | undefined): FoundChange {
  const { name, tools, hasEffect } = after ?? before ?? { name: "", tools: [], hasEffect: false };
  const kind = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const texts = { before: before?.text ?? null, after: after?.text ?? null };
  const change: Change = { kind, what: "setting", name, tools, ...texts, oldRule: null, newRule: null };
  return { change, judges: false, hasEffect };
}

/** The settings that differ, by their names. */
export function settingChanges(before: readonly Setting[], after: readonly Setting[]): readonly FoundChange[] {
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const [one, other] = [before, after].map((list) => list.find((setting) => setting.name === name));
    return one?.text === other?.text ? [] : [settingChange(one, other)];
  });
}

function hasPhaseRule({ checks }: CompiledTool): boolean {
  return checks.some(({ kind }) => kind === "phase");
}

/** Where both have a rule about phases, it tells the phase that the tool leads to. */
function changesOfTool(before: CompiledTool | undefined, after: CompiledTool | undefined): readonly FoundChange[] {
  if (before === undefined || after === undefined) return [];
  const isTold = hasPhaseRule(before) && hasPhaseRule(after);
  return settingChanges(toolSettings(before, isTold), toolSettings(after, isTold));
}

/** Everything that two packs lay down differently. */
export function packChanges(before: PackUnderTest, after: PackUnderTest, wording: Wording): readonly FoundChange[] {
  const [old, current] = [before.pack, after.pack];
  const common = namesOf(old).filter((name) => after.tool(name) !== undefined);
  const structure = [
    ...listChanges("tool", namesOf(old), namesOf(current)),
    ...listChanges("phase", old.phases?.names ?? [], current.phases?.names ?? []),
  ];
  const transitions = listChanges("transition", ways(old), ways(current)).map((change): FoundChange => {
    const tools = new Set([...travellers(old, change.name), ...travellers(current, change.name)]);
    return { change: { ...change, tools: [...tools] }, judges: true, hasEffect: false };
  });
  const rules = changedRules(before.rules, after.rules, common).map((pair) => ruleChange(pair, wording));
  // What holds for tools without a contract mostly follows from the rules, which tell it better.
  const ofPack = settingChanges(packSettings(old), packSettings(current)).filter(
    ({ change }) => rules.length === 0 || change.name !== UNMATCHED,
  );
  return [
    ...structure.map((change) => ({ change, judges: false, hasEffect: false })),
    ...transitions,
    ...rules,
    ...common.flatMap((name) => changesOfTool(before.tool(name), after.tool(name))),
    ...ofPack,
  ];
}
