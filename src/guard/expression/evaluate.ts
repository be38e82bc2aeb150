import type { Expression, JudgedExpression } from "../../artifact/expression.js";
import { partsIn } from "../../artifact/expression-parts.js";
import { spend } from "../../base/cost.js";
import type { JsonObject } from "../../base/json.js";
import { isWhole } from "../../base/json-path.js";
import { cut, show } from "../../base/wording.js";
import { decidingParts } from "./deciding-parts.js";
import { Fault } from "./fault.js";
import { type Evaluate, Frame, type Input, MOST_STEPS } from "./frame.js";
import { notBoolean } from "./parts/logic.js";
import { outOfSteps } from "./parts/macro.js";
import type { Scope, SlotShape } from "./parts/scope.js";
import { preparePart } from "./prepare.js";
import { type Reads, readsOf } from "./reads.js";
import { shownFault } from "./shown.js";
import { type Zone, zoneOf } from "./time/zone.js";

/** What the expressions of one pack share. */
export interface ExpressionContext {
  readonly constants: JsonObject;
  /** An IANA name; null if the session has none. */
  readonly timezone: string | null;
  /** Slots that are not plain. */
  readonly slots: ReadonlyMap<string, SlotShape>;
  /** Slots that hold all arguments of a call. */
  readonly whole?: ReadonlySet<string>;
}

/** An expression that is ready to be judged. */
export interface Prepared {
  readonly text: string;
  readonly tree: Expression;
  readonly reads: Reads;
  readonly scope: Scope;
  readonly run: Evaluate;
  readonly steps: number;
  /** A refusal names the members of objects instead of showing them: one of them may be all arguments of a call. */
  readonly hidesObjects: boolean;
}

/** What a judgement gives; `found` is for people. */
export type Answer =
  | { readonly kind: "true" }
  | { readonly kind: "false"; readonly found: string }
  | { readonly kind: "unjudgeable"; readonly why: Fault; readonly found: string }
  | { readonly kind: "awaited"; readonly found: string };

/** Truth, or why there is none. */
export type Judged = boolean | Fault;

/** The most parts that the compiler accepts; more would be a stack of closures that is too deep. */
const MOST_PARTS = 500;

/** An artifact may come from anywhere, so the size is counted again; without recursion, because nothing else bounds its depth. */
function checkSize(text: string, tree: Expression): void {
  const left = [tree];
  for (let count = 1; ; count++) {
    const part = left.pop();
    if (part === undefined) return;
    if (count > MOST_PARTS) throw new TypeError(`the artifact has an expression that is too large: ${show(text)}`);
    left.push(...partsIn(part));
  }
}

/** Times in another zone than the pack asks for would be judged wrongly. */
function knownZone(timezone: string): Zone {
  const zone = zoneOf(timezone);
  if (zone !== null) return zone;
  throw new TypeError(`the time zone of the pack is not known here: ${show(timezone)}`);
}

/** Prepares an expression, once for all calls; refuses one that cannot be judged here. */
export function prepareExpression({ text, tree }: JudgedExpression, context: ExpressionContext): Prepared {
  const { constants, timezone, slots, whole } = context;
  checkSize(text, tree);
  const zone = timezone === null ? null : knownZone(timezone);
  const scope: Scope = { context: { constants, zone, slots }, locals: [] };
  const { run, steps } = preparePart(tree, scope);
  const reads = readsOf(tree);
  const readsAll = reads.args.some(isWhole);
  const hidesObjects = readsAll || [...reads.slots].some((slot) => whole?.has(slot) === true);
  return { text, tree, reads, scope, run, steps, hidesObjects };
}

/** An expression as refusals name it. */
export function onOneLine({ text }: JudgedExpression): string {
  return cut(text.trim().replace(/\s+/g, " "));
}

/** The work of one step, in the units of the budget. */
const STEP_COST = 8;

/** Judges an expression in one world. */
export function judgeFrame({ tree, run, steps }: Prepared, frame: Frame): Judged {
  frame.steps = steps;
  const outcome = run(frame);
  spend(STEP_COST * frame.steps);
  if (frame.steps > MOST_STEPS) return outOfSteps(tree);
  return typeof outcome === "boolean" ? outcome : notBoolean(outcome, tree);
}

/** What decided a judgement that is not true, in the world of its frame. */
function explainFrame(prepared: Prepared, frame: Frame, judged: Judged): string {
  return judged instanceof Fault ? shownFault(judged) : decidingParts(prepared, frame);
}

const TRUE: Answer = Object.freeze({ kind: "true" });

/** The answer of a judgement in the world of its frame. */
export function answerOf(prepared: Prepared, frame: Frame, judged: Judged): Answer {
  if (judged === true) return TRUE;
  const found = explainFrame(prepared, frame, judged);
  if (judged === false) return { kind: "false", found };
  return judged.kind === "awaited" ? { kind: "awaited", found } : { kind: "unjudgeable", why: judged, found };
}

/** Judges an expression in one world. */
export function evaluate(prepared: Prepared, input: Input): Answer {
  const frame = new Frame(input, input.slots);
  return answerOf(prepared, frame, judgeFrame(prepared, frame));
}
