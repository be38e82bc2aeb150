import type { CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import { isOfModel, type PackRule } from "../../../artifact/pack-rules.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import type { Change, Direction } from "../../difference.js";
import { DIRECTIONS, directionOf, type FoundChange, type ReadablePack } from "../search/found-change.js";
import { changedConstants, constantsText } from "./constants-read.js";
import { newIn, type RulePair, rulePairs } from "./match-rules.js";
import { contentOf, isSameContent } from "./rule-content.js";
import { ofRule } from "./rule-strength.js";
import { PACK_SETTINGS, type Setting, shown, toolSettings } from "./settings.js";
import { shownValues } from "./shown-values.js";
import { type Reading, type Strength, strengthBy } from "./strength.js";
import { structureChanges } from "./structure-changes.js";
import { unmatchedChanges } from "./unmatched-changes.js";

type Wording = (rule: PackRule) => string;

/** What rules are worded with. */
interface Worded {
  readonly packs: Pick<Reading, "before" | "after">;
  readonly wording: Wording;
}

const KINDS = { same: "changed", looser: "loosened", tighter: "tightened", unclear: "changed" } as const;

/** The phase that calls under a rule advance to. */
function nextOf(rule: PackRule | null): string | null {
  return rule?.body.kind === "phase" ? rule.body.advances_to : null;
}

/** Whether two rules judge the same by their words and the constants in them. */
function isSameMeaning(before: PackRule, after: PackRule, packs: Worded["packs"]): boolean {
  return isSameContent(before.body, after.body) && changedConstants(before.body, packs).length === 0;
}

function kindOf({ before, after }: RulePair, strength: Strength | null): Change["kind"] {
  if (before === null || after === null || strength === null) return before === null ? "added" : "removed";
  return isSameContent(before.body, after.body) ? "changed" : KINDS[strength];
}

/** A pair of rules, with the tools for which it has the same meaning. */
interface ComparedRule {
  readonly pair: RulePair;
  readonly direction: Direction;
  readonly strength: Strength | null;
  readonly tools: string[];
}

/** A rule in words, with the values of the constants that give the same words another meaning. */
function textIn(rule: PackRule, pack: CompiledPack, { packs, wording }: Worded): string {
  const names = changedConstants(rule.body, packs);
  return names.length === 0 ? wording(rule) : `${wording(rule)} (${constantsText(names, pack)})`;
}

function ruleChange({ pair, direction, strength, tools }: ComparedRule, worded: Worded): FoundChange {
  const { before, after } = pair;
  const { packs, wording } = worded;
  const one = after ?? before;
  const texts = {
    before: before === null ? null : textIn(before, packs.before, worded),
    after: after === null ? null : textIn(after, packs.after, worded),
  };
  const shows = before === null || after === null ? null : shownValues(before.body, after.body);
  const change: Change = {
    kind: kindOf(pair, strength),
    what: "rule",
    name: one === null ? "" : wording(one),
    tools,
    ...texts,
    oldRule: before?.id ?? null,
    newRule: after?.id ?? null,
    direction,
    at: one?.at ?? null,
    ...(shows === null ? {} : { shows }),
  };
  const isOfCalls = one === null || !isOfModel(one.body);
  const isSame = before !== null && after !== null && isSameMeaning(before, after, packs);
  return { change, judges: isOfCalls && !isSame, hasEffect: nextOf(before) !== nextOf(after) };
}

function compared(pair: RulePair, rules: readonly PackRule[], reading: Reading): Omit<ComparedRule, "tools"> {
  const { before, after } = pair;
  const strength = before === null || after === null ? null : ofRule(before.body, after.body, reading);
  return { pair, strength, direction: directionOf(pair, rules, reading) };
}

function ofTool({ rules }: ReadablePack, tool: string): readonly PackRule[] {
  return [...rules.ofTool(tool), ...rules.ofResponses(tool)];
}

/** The rules that belong to no tool: circuit breakers, and rules on requests to models. */
function ofWholePack({ rules }: ReadablePack): readonly PackRule[] {
  return rules.all.filter(
    ({ body }) => body.kind === "circuit_breaker" || (isOfModel(body) && body.kind !== "response_format"),
  );
}

function readingOf(before: ReadablePack, after: ReadablePack, tool: string | null): Reading {
  const { isAwaited, shared } = before;
  return { before: before.pack, after: after.pack, tool, isAwaited, shared };
}

/** The changed rules, each pair once with the tools for which it has the same meaning. */
function ruleChanges(before: ReadablePack, after: ReadablePack, tools: readonly string[]): readonly ComparedRule[] {
  const packs = { before: before.pack, after: after.pack };
  const found = new Map<string, ComparedRule>();
  const add = (one: Omit<ComparedRule, "tools">, names: readonly string[]) => {
    const key = `${one.pair.before?.id}\n${one.pair.after?.id}\n${one.direction}`;
    const known = found.get(key) ?? { ...one, tools: [] };
    known.tools.push(...names);
    found.set(key, known);
  };
  for (const tool of tools) {
    const pairs = rulePairs(ofTool(before, tool), ofTool(after, tool), packs);
    for (const pair of pairs) add(compared(pair, newIn(pairs), readingOf(before, after, tool)), [tool]);
  }
  const pairs = rulePairs(ofWholePack(before), ofWholePack(after), packs);
  for (const pair of pairs) add(compared(pair, newIn(pairs), readingOf(before, after, null)), tools);
  return [...found.values()];
}

/** The settings whose text or strength differs. */
function settingChanges<T>(
  settings: readonly Setting<T>[],
  { before, after, reading }: { readonly before: T; readonly after: T; readonly reading: Reading },
  { tools, at }: { readonly tools: readonly string[]; readonly at: (of: T) => Change["at"] },
): readonly FoundChange[] {
  return settings.flatMap((setting): FoundChange[] => {
    const texts = { before: shown(setting.value(before)), after: shown(setting.value(after)) };
    const strength = strengthBy(setting.isAsStrong, before, after, reading);
    if (texts.before === texts.after && strength === "same") return [];
    const change: Change = {
      kind: "changed",
      what: "setting",
      name: setting.name,
      tools,
      ...texts,
      oldRule: null,
      newRule: null,
      direction: DIRECTIONS[strength],
      at: setting.at?.(after) ?? setting.at?.(before) ?? at(after),
    };
    return [{ change, judges: false, hasEffect: setting.hasEffect === true }];
  });
}

function hasPhaseRule({ rules }: ReadablePack, tool: string): boolean {
  return rules.ofTool(tool).some(({ body }) => body.kind === "phase");
}

/** If both packs have a phase rule for the tool, that rule shows the phase it advances to. */
function changesOfTool(before: ReadablePack, after: ReadablePack, name: string): readonly FoundChange[] {
  const [old, current] = [before.tool(name), after.tool(name)];
  if (old === undefined || current === undefined) return [];
  const hasPhaseRules = hasPhaseRule(before, name) && hasPhaseRule(after, name);
  const reading = readingOf(before, after, name);
  const about = { tools: [name], at: ({ at }: CompiledTool) => at };
  return settingChanges(toolSettings(hasPhaseRules), { before: old, after: current, reading }, about);
}

/** All differences between two packs. */
export function packChanges(before: ReadablePack, after: ReadablePack, wording: Wording): readonly FoundChange[] {
  const [old, current]: readonly [CompiledPack, CompiledPack] = [before.pack, after.pack];
  const common = old.tools.map(({ name }) => name).filter((name) => after.tool(name) !== undefined);
  const rules = ruleChanges(before, after, common);
  const reading = readingOf(before, after, null);
  const ofTools = common.flatMap((name) => changesOfTool(before, after, name));
  const ofPack = settingChanges(
    PACK_SETTINGS,
    { before: old, after: current, reading },
    { tools: current.tools.map(({ name }) => name), at: () => null },
  );
  const known = new Set(rules.map(({ pair, direction }) => contentKey(pair, direction)));
  return [
    ...structureChanges(before, after),
    ...rules.map((one) => ruleChange(one, { packs: reading, wording })),
    ...ofTools,
    ...ofPack,
    ...unmatchedChanges(reading, (pair, direction) => !known.has(contentKey(pair, direction)), wording),
  ];
}

/** Equal for pairs with the same content and meaning, wherever they are written. */
function contentKey({ before, after }: RulePair, direction: Direction): string {
  return canonicalJson([...[before, after].map((rule) => contentOf(rule?.body ?? null)), direction]);
}
