import type { Span } from "../diagnostics/source.js";
import { type Draft, isDamaged } from "../language/draft.js";
import { placesIn } from "../language/located.js";
import type { Checkpoint, Principal } from "../language/schema/shared.js";
import type { ToolContract } from "../language/schema/tool.js";
import type { Family, Version } from "../operators/operator.js";
import { isWordIn, WORDS, wordsOf } from "../operators/words.js";
import { isExpressionCondition } from "./checkpoint-conditions.js";
import type { RuleContext } from "./rule-context.js";

/** By family: every entry of a pack is asked for its operators. */
const NAMES = new Map<Family, readonly string[]>();

/** The operators that an entry of a family may have. `ref` compares with the session, so it is not one of them. */
export function operatorNames(family: Family): readonly string[] {
  const known = NAMES.get(family);
  if (known !== undefined) return known;
  const names = family === "value" ? [...wordsOf(family), "ref"] : wordsOf(family);
  NAMES.set(family, names);
  return names;
}

/** Whether a key is an operator that the version of a pack lacks; a pack whose version is not known is taken to have them all. */
export function isLater(key: string, version: Version | null): boolean {
  return version !== null && WORDS.some((word) => word === key && !isWordIn(version, word));
}

/** An entry that tests a value. */
export interface OperatorEntry {
  readonly span: Span;
  /** Its keys with their places. */
  readonly keys: ReadonlyMap<string, Span>;
  /** Whether a broken part may have been an operator. */
  readonly damaged: boolean;
  readonly family: Family;
  readonly where: string;
}

function* entries(family: Family, where: string, list: readonly object[] | undefined): Generator<OperatorEntry> {
  for (const entry of list ?? []) {
    const { self: span, keys: places } = placesIn(entry);
    const keys = new Map(Object.keys(entry).map((key) => [key, places.get(key) ?? span]));
    yield { span, keys, damaged: isDamaged(entry), family, where };
  }
}

function conditionsOf(principal: Draft<Principal> | undefined): readonly object[] {
  if (principal === undefined) return [];
  return Array.isArray(principal) ? principal : [principal];
}

/** The conditions that test a path; an expression has no operators. */
function conditionList(when: Draft<Checkpoint["when"]> | undefined): readonly object[] | undefined {
  return when === "always" ? undefined : when?.filter((entry) => !isExpressionCondition(entry));
}

function* fromTool(contract: Draft<ToolContract>): Generator<OperatorEntry> {
  yield* entries("full", "input_invariants", contract.assertions?.input_invariants);
  yield* entries("full", "output_invariants", contract.assertions?.output_invariants);
  yield* entries("full", "execution_constraints", contract.execution_constraints?.arguments);
  yield* entries("value", "argument_value_invariants", contract.argument_value_invariants);
  for (const { with_output } of contract.preconditions ?? []) yield* entries("full", "with_output", with_output);
  yield* entries("condition", "checkpoint", conditionList(contract.checkpoint?.when));
  for (const { principal } of [...(contract.policy?.allow ?? []), ...(contract.policy?.deny ?? [])]) {
    yield* entries("full", "principal", conditionsOf(principal));
  }
}

/** Every entry of a pack that must have an operator. */
export function* operatorEntries(context: RuleContext): Generator<OperatorEntry> {
  for (const { contract } of context.tools) yield* fromTool(contract);
  for (const { allow, deny } of context.session?.policy?.rules ?? []) {
    yield* entries("full", "principal", conditionsOf(allow?.principal));
    yield* entries("full", "principal", conditionsOf(deny?.principal));
  }
  for (const { when } of context.session?.aggregates ?? []) yield* entries("override", "when", when);
  for (const { when } of context.session?.checkpoints ?? [])
    yield* entries("condition", "checkpoints", conditionList(when));
  for (const { requires_approval: approval } of context.claims?.claims ?? [])
    yield* entries("condition", "requires_approval", approval?.when);
}
