import type { JudgedExpression } from "../../artifact/expression.js";
import { allParts } from "../../artifact/expression-parts.js";
import { invariant } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import type { Span } from "../../diagnostics/source.js";
import { type Draft, isDamaged } from "../../language/draft.js";
import { keySpan, spanOf, valueSpan } from "../../language/located.js";
import { scalarPlaces } from "../../language/scalar-text.js";
import type { SessionContract } from "../../language/schema/session.js";
import type { Checkpoint } from "../../language/schema/shared.js";
import type { ToolContract } from "../../language/schema/tool.js";
import { isExpressionCondition } from "../checkpoint-conditions.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { slotForms } from "../slot-forms.js";
import type { ExpressionText } from "./expression-text.js";
import { isLetName } from "./let-names.js";
import { Lets } from "./lets.js";
import { type ExpressionResult, readExpression } from "./read-expression.js";
import type { Surroundings } from "./scope.js";

/** Where an expression is judged. */
export type ExpressionPlace = "requires" | "ensures" | "checkpoint";

/** An expression of a pack. */
export interface ExpressionUse {
  readonly place: ExpressionPlace;
  /** The mapping that has it as `that`. */
  readonly entry: object;
  /** Null for one of session.yaml. */
  readonly owner: NamedTool | null;
  /** The tools whose calls it is judged for. */
  readonly tools: readonly NamedTool[];
  readonly source: ExpressionText;
  readonly result: ExpressionResult;
}

/** Every expression of a pack, and the names that its files give to expressions. */
export interface PackExpressions {
  readonly surroundings: Surroundings;
  /** Of session.yaml first, then of each tool. */
  readonly lets: readonly { readonly owner: NamedTool | null; readonly lets: Lets }[];
  readonly uses: readonly ExpressionUse[];
}

type Entry = { readonly that?: string };

/** What ends a text without quotes before the end of its line. */
function cutAfter({ source: { text }, start, end }: Span): ExpressionText["cutBy"] {
  if (/^["'|>]/.test(text.slice(start, end))) return undefined;
  const [, sign] = /^[ \t]*([,#])/.exec(text.slice(end, end + 80)) ?? [];
  return sign === "," ? "comma" : sign === "#" ? "comment" : undefined;
}

/** Whether a tag that was reported stands before a value. */
function isTagged(context: RuleContext, { source, start }: Span): boolean {
  return context
    .problems("custom_tag")
    .some(
      ({ span }) => span.source === source && span.end <= start && /^\s*$/.test(source.text.slice(span.end, start)),
    );
}

/** A text of the pack as an expression. */
function textIn<T extends object>(container: T, key: keyof T & (string | number), text: string): ExpressionText {
  const span = valueSpan(container, key);
  const cutBy = cutAfter(span);
  const source = { text: text.trimEnd(), spanAt: scalarPlaces(span, text) };
  return cutBy === undefined ? source : { ...source, cutBy };
}

/** The constants of session.yaml; null where a broken file may have more. */
function constantsOf(session: Draft<SessionContract> | null): ReadonlyMap<string, Json> | null {
  if (session === null) return new Map();
  if (isDamaged<object>(session)) return null;
  const constants: unknown = Reflect.get(session, "constants");
  return new Map(typeof constants === "object" && constants !== null ? Object.entries(constants) : []);
}

function surroundingsOf(context: RuleContext): Surroundings {
  const { session } = context;
  return {
    slots: slotForms(context),
    constants: constantsOf(session),
    hasTimezone: session === null ? false : isDamaged<object>(session) ? null : Reflect.has(session, "timezone"),
  };
}

function letsOf(
  contract: Draft<Pick<ToolContract, "let">> | null,
  surroundings: Surroundings,
  outer: Lets | null,
): Lets {
  const named = contract?.let ?? {};
  const entries = Object.entries(named).flatMap(([name, text]) =>
    isLetName(name) && typeof text === "string"
      ? [{ name, nameSpan: keySpan(named, name), text: textIn(named, name, text) }]
      : [],
  );
  return new Lets(entries, surroundings, outer, contract !== null && isDamaged(contract, "let"));
}

function conditionsOf(checkpoint: Draft<Checkpoint> | undefined): readonly Entry[] {
  const when = checkpoint?.when;
  if (when === undefined || when === "always") return [];
  return when.filter((entry) => isExpressionCondition(entry));
}

/** Aliases share an entry within a file only, where its expression means the same. */
const judged = new WeakMap<object, JudgedExpression>();

/** The expression of an entry in a pack without errors, as the artifact has it. */
export function judgedIn(entry: object): JudgedExpression {
  const expression = judged.get(entry);
  invariant(expression !== undefined, "expressions of a pack without errors were read");
  return expression;
}

function collect(context: RuleContext): PackExpressions {
  const surroundings = surroundingsOf(context);
  const { session } = context;
  const sessionLets = letsOf(session, surroundings, null);
  const toolLets = new Map(context.tools.map((tool) => [tool, letsOf(tool.contract, surroundings, sessionLets)]));
  // Read in the order they are written, so that what is found does not depend on which rule uses them.
  for (const lets of [sessionLets, ...toolLets.values()]) for (const each of lets.own.values()) each.read();
  const uses: ExpressionUse[] = [];
  const sessionFile = session === null ? null : spanOf(session).source;
  const add = (
    place: ExpressionPlace,
    owner: NamedTool | null,
    tools: readonly NamedTool[],
    entries: readonly Entry[] = [],
  ) => {
    const own = owner === null ? undefined : toolLets.get(owner);
    for (const entry of entries) {
      // `!` of an expression without quotes is a tag of YAML, which is reported as such.
      if (entry.that === undefined || isTagged(context, valueSpan(entry, "that"))) continue;
      const source = textIn(entry, "that", entry.that);
      // What stands in session.yaml names what session.yaml names, also where tools take it from there.
      const lets = spanOf(entry).source === sessionFile ? sessionLets : (own ?? sessionLets);
      const result = readExpression(source, { lets, hasOutput: place === "ensures" });
      uses.push({ place, entry, owner, tools, source, result });
      if (result.ok) judged.set(entry, { text: result.expression.text, tree: result.expression.tree });
    }
  };
  const namedTools = (names: readonly string[] | undefined) =>
    names === undefined ? context.tools : context.tools.filter(({ name }) => names.includes(name));
  for (const entry of session?.requires ?? []) add("requires", null, namedTools(entry.tools), [entry]);
  for (const checkpoint of session?.checkpoints ?? []) {
    const tools = checkpoint.tool === "*" ? context.tools : namedTools([checkpoint.tool ?? ""]);
    const only = checkpoint.when_side_effect;
    const concerned = tools.filter(({ contract }) => only === undefined || contract.side_effect === only);
    add("checkpoint", null, concerned, conditionsOf(checkpoint));
  }
  for (const tool of context.tools) {
    add("requires", tool, [tool], tool.contract.requires);
    add("ensures", tool, [tool], tool.contract.ensures);
    add("checkpoint", tool, [tool], conditionsOf(tool.contract.checkpoint));
  }
  return {
    surroundings,
    lets: [{ owner: null, lets: sessionLets }, ...[...toolLets].map(([owner, lets]) => ({ owner, lets }))],
    uses,
  };
}

/** The constants that the expressions of a pack without errors read. */
export function constantsIn(context: RuleContext): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { result } of packExpressions(context).uses) {
    if (!result.ok) continue;
    for (const part of allParts(result.expression.tree)) if (part.kind === "constant") names.add(part.name);
  }
  return names;
}

const known = new WeakMap<RuleContext, PackExpressions>();

/** The expressions of a pack, read once. */
export function packExpressions(context: RuleContext): PackExpressions {
  const found = known.get(context) ?? collect(context);
  known.set(context, found);
  return found;
}
