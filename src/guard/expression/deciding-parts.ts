import type { Expression } from "../../artifact/expression.js";
import { Fault } from "./fault.js";
import { type Frame, MOST_STEPS, type Part } from "./frame.js";
import { itemsOf } from "./parts/macro.js";
import type { Scope } from "./parts/scope.js";
import { readWhole } from "./parts/slot-part.js";
import { preparePart } from "./prepare.js";
import { shownFault, shownPart } from "./shown.js";
import type { Outcome, Value } from "./value.js";

type MacroNode = Extract<Expression, { readonly kind: "macro" }>;

/** At most so many parts are shown. */
const MOST_PARTS = 5;

/** Collects the parts that made an expression what it is in one world; the steps that it may take are bounded as for a judgement. */
class DecidingParts {
  readonly shown = new Set<string>();

  constructor(
    private readonly frame: Frame,
    private readonly hidesObjects: boolean,
  ) {}

  /** The parts that decided a truth value. */
  decide(node: Expression, scope: Scope): void {
    if (this.shown.size >= MOST_PARTS) return;
    switch (node.kind) {
      case "and":
      case "or":
        this.decideSides(node, scope);
        return;
      case "not":
        this.decide(node.of, scope);
        return;
      case "choice":
        this.decide(node.test, scope);
        this.decide(this.outcome(node.test, scope) === true ? node.yes : node.no, scope);
        return;
      case "macro":
        this.decideItem(node, scope);
        return;
      default:
        this.leaves(node, scope);
    }
  }

  /** One side that decides is enough; otherwise both did. */
  private decideSides(node: Extract<Expression, { readonly kind: "and" | "or" }>, scope: Scope): void {
    const decisive = node.kind === "or";
    const deciding = [node.left, node.right].find((side) => this.outcome(side, scope) === decisive);
    if (deciding !== undefined) this.decide(deciding, scope);
    else for (const side of [node.left, node.right]) this.decide(side, scope);
  }

  /** The first item that decided, or the whole list. */
  private decideItem(node: MacroNode, scope: Scope): void {
    const { macro, over, test, name } = node;
    const decisive = macro === "exists";
    const items = macro === "all" || macro === "exists" ? this.items(over, scope) : null;
    const inner: Scope = { context: scope.context, locals: [...scope.locals, name] };
    if (
      items === null ||
      test === null ||
      !this.reaches(items, preparePart(test, inner), { at: scope.locals.length, decisive })
    )
      this.leaves(over, scope);
    else this.decide(test, inner);
  }

  /** Leaves the variable of a macro at the first item that decides it; false if none does. */
  private reaches(
    items: readonly Value[],
    { run, steps }: Part,
    { at, decisive }: { readonly at: number; readonly decisive: boolean },
  ): boolean {
    for (const item of items) {
      this.frame.steps += 1 + steps;
      if (this.frame.steps > MOST_STEPS) return false;
      this.frame.ownLocals()[at] = item;
      if (run(this.frame) === decisive) return true;
    }
    return false;
  }

  private items(over: Expression, scope: Scope) {
    const items = itemsOf(this.outcome(over, scope), this.frame, over);
    return items instanceof Fault ? null : items;
  }

  /** The values that a part was computed from. */
  private leaves(node: Expression, scope: Scope): void {
    if (this.shown.size >= MOST_PARTS) return;
    switch (node.kind) {
      case "literal":
      case "number":
        return;
      case "binary":
      case "and":
      case "or":
        this.leaves(node.left, scope);
        this.leaves(node.right, scope);
        return;
      case "not":
      case "minus":
      case "matches":
        this.leaves(node.of, scope);
        return;
      case "has":
        this.show({ kind: "member", of: node.of, name: node.name }, scope);
        return;
      case "choice":
        this.decide(node, scope);
        return;
      case "list":
        for (const item of node.items) this.leaves(item, scope);
        return;
      case "map":
        for (const { value } of node.entries) this.leaves(value, scope);
        return;
      case "macro":
        this.leaves(node.over, scope);
        return;
      case "call":
        // The size of a list says what the list itself would not fit into a few words.
        if (node.fn === "size") this.show(node, scope);
        else for (const operand of node.operands) this.leaves(operand, scope);
        return;
      default:
        this.show(node, scope);
    }
  }

  private show(node: Expression, scope: Scope): void {
    const outcome = readWhole(this.outcome(node, scope), this.frame, node);
    this.shown.add(outcome instanceof Fault ? shownFault(outcome) : shownPart(node, outcome, this.hidesObjects));
  }

  private outcome(node: Expression, scope: Scope): Outcome {
    const { run, steps } = preparePart(node, scope);
    this.frame.steps += steps;
    return run(this.frame);
  }
}

/** An expression whose judgement is explained. */
export interface Explained {
  readonly tree: Expression;
  readonly scope: Scope;
  /** Names of members stand for objects. */
  readonly hidesObjects: boolean;
}

/** The parts that decided, each with its value. */
export function decidingParts({ tree, scope, hidesObjects }: Explained, frame: Frame): string {
  const parts = new DecidingParts(frame, hidesObjects);
  // A judgement of its own: otherwise one that used all steps could not be explained.
  frame.steps = 0;
  parts.decide(tree, scope);
  return [...parts.shown].slice(0, MOST_PARTS).join("; ");
}
