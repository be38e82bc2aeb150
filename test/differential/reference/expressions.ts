import type { ASTNode } from "@marcbachmann/cel-js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { judge } from "../../reference/expression/evaluate.js";
import { parseExpression } from "../../reference/expression/language.js";
import type { Answer } from "../../reference/expression/scope.js";
import { readsOf, slotsReadBy, substitute } from "../../reference/expression/substitute.js";
import { additionsOf, sessionAdditions } from "./additions.js";
import { type Calls, type Event, labelsOf } from "./history.js";
import { contractOf, type Options, type Pack } from "./model.js";
import { readSlotIn } from "./slots.js";
import { slotWorldsOf, type World } from "./worlds.js";

/** A call and its session at the moment when an expression about it is judged. */
export interface Judged {
  readonly pack: Pack;
  readonly options: Options;
  readonly events: readonly Event[];
  readonly tool: string;
  readonly args: JsonObject;
  /** Only where the call has been answered. */
  readonly output?: Json;
}

type Texts = ReadonlyMap<string, string>;

/** Every name with the names in its own text replaced; the compiler has refused cycles. */
function resolved(names: Texts): Texts {
  const inside = (text: string): string => {
    const after = substitute(text, new Map([...names].map(([name, own]) => [name, `(${own})`])));
    return after === text ? text : inside(after);
  };
  return new Map([...names].map(([name, text]) => [name, `(${inside(text)})`]));
}

/** The names that rules of a tool may use, or without a tool those of the session: a tool's hides the session's. */
function namesFor(pack: Pack, tool: string | null): Texts {
  const contract = tool === null ? null : contractOf(pack, tool);
  const session = Object.entries(sessionAdditions(pack.session).let ?? {});
  const own = Object.entries(contract === null ? {} : (additionsOf(contract).let ?? {}));
  return resolved(new Map([...session, ...own]));
}

function treeOf(text: string): ASTNode {
  const parsed = parseExpression(text);
  if (parsed.kind === "outside") throw new Error(`not an expression: ${text}: ${parsed.why}`);
  return parsed.tree;
}

/** An expression with the names it may use; those of a tool, or null for those of the session. */
export interface Written {
  readonly that: string;
  readonly by: string | null;
}

/** The same text of the same pack has the same tree. */
const treesOfPacks = new WeakMap<Pack, Map<string, ASTNode>>();

function treeIn(pack: Pack, { that, by }: Written): ASTNode {
  const own = treesOfPacks.get(pack) ?? new Map<string, ASTNode>();
  treesOfPacks.set(pack, own);
  const name = JSON.stringify([by, that]);
  const tree = own.get(name) ?? treeOf(substitute(that, namesFor(pack, by)));
  own.set(name, tree);
  return tree;
}

/** The worlds that may make a difference to an expression. */
export function worldsFor(pack: Pack, calls: Calls, written: Written): readonly World[] {
  return slotWorldsOf(pack, calls, slotsReadBy(treeIn(pack, written)));
}

/** The answer of an expression in one world. */
export function judgeIn(judged: Judged, written: Written, world: World): Answer {
  const { pack, options, events, tool, args, output } = judged;
  const { constants = {}, timezone = null } = sessionAdditions(pack.session);
  const tree = treeIn(pack, written);
  return judge(tree, {
    args,
    principal: options.principal,
    labels: labelsOf(events),
    tool,
    now: options.clock.now(),
    ...(output === undefined ? {} : { output }),
    constants,
    timezone,
    slots: new Map(slotsReadBy(tree).map((name) => [name, readSlotIn(pack, world, name)])),
  });
}

/** Every expression of a pack that is judged. */
function* writtenIn(pack: Pack): Generator<Written> {
  for (const { that } of sessionAdditions(pack.session).requires ?? []) yield { that, by: null };
  for (const { when } of pack.session?.checkpoints ?? []) yield* conditions(when, null);
  for (const contract of pack.tools) {
    const { requires = [], ensures = [], tool } = additionsOf(contract);
    for (const { that } of [...requires, ...ensures]) yield { that, by: tool };
    if (contract.checkpoint !== undefined) yield* conditions(contract.checkpoint.when, tool);
  }
}

function* conditions(when: "always" | readonly object[], by: string | null): Generator<Written> {
  for (const condition of when === "always" ? [] : when) {
    const that = expressionOf(condition);
    if (that !== null) yield { that, by };
  }
}

/** The expression of a condition; null for a path with operators. */
export function expressionOf(condition: object): string | null {
  return "that" in condition && typeof condition.that === "string" ? condition.that : null;
}

export function hasExpressions(pack: Pack): boolean {
  return !writtenIn(pack).next().done;
}

/** Whether some expression looks at who calls. */
export function readsPrincipal(pack: Pack): boolean {
  return [...writtenIn(pack)].some((written) => readsOf(treeIn(pack, written), new Set(["principal"])).length > 0);
}
