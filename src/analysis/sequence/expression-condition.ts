import type { Expression, JudgedExpression } from "../../artifact/expression.js";
import { preparedOf } from "../../guard/expression/of-pack.js";
import { isList, type Value } from "../../guard/expression/value.js";
import { PresentSlots } from "../../guard/expression/worlds/present-slots.js";
import type { Program } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { jsonOf } from "../expression/borders.js";
import { type Bound, Reading } from "../expression/reading.js";
import type { Scene } from "../expression/scene.js";
import { added, all, any, constantOf, type Formula, type Linear, not, scaled, subtracted } from "../linear/formula.js";
import { divided, exactly, negative, ONE } from "../linear/fraction.js";
import { timeIn } from "../state/clock.js";
import type { MarkedCall } from "./calls.js";
import { atMost, below, type Conditions, same } from "./conditions.js";

type Binary = Extract<Expression, { readonly kind: "binary" }>;

/** An expression as a condition on the numbers of calls. What is not linear is taken to be as it is with the numbers of before. */
class ExpressionCondition {
  private readonly reading: Reading;
  private readonly readingBefore: Reading;
  private readonly scene: Scene;
  private readonly sceneBefore: Scene;

  constructor(
    program: Program,
    that: JudgedExpression,
    call: MarkedCall,
    private readonly conditions: Conditions,
  ) {
    const { context } = preparedOf(that, program.pack).scope;
    const readingOf = (session: Session) => {
      const slots = new PresentSlots(session);
      return new Reading({ context, tool: call.tool.name, editable: new Set(), slotsOf: () => slots });
    };
    this.reading = readingOf(call.markedBefore);
    this.readingBefore = readingOf(call.before);
    const around = {
      principal: program.principal,
      labels: [...call.before.labels],
      now: timeIn(call.before),
      slots: {},
    };
    this.scene = { args: call.marked, output: call.markedOutput, ...around };
    this.sceneBefore = { args: call.args, output: call.output, ...around };
  }

  condition(bound: Bound): Formula {
    const { node, locals } = this.reading.resolve(bound, this.scene);
    const part = (of: Expression) => this.condition({ node: of, locals });
    switch (node.kind) {
      case "and":
        return all([part(node.left), part(node.right)]);
      case "or":
        return any([part(node.left), part(node.right)]);
      case "not":
        return not(part(node.of));
      case "choice":
        return any([all([part(node.test), part(node.yes)]), all([not(part(node.test)), part(node.no)])]);
      case "binary":
        return this.compared(node, { node, locals });
      case "macro": {
        const { test } = node;
        const items = this.reading.items({ node: node.over, locals }, this.scene);
        if (test === null || items === null || (node.macro !== "all" && node.macro !== "exists")) break;
        const of = items.map((item) =>
          this.condition({ node: test, locals: { name: node.name, item, outer: locals } }),
        );
        return node.macro === "all" ? all(of) : any(of);
      }
    }
    return this.readingBefore.value({ node, locals }, this.sceneBefore) === true;
  }

  private compared({ op, left, right }: Binary, own: Bound): Formula {
    const [a, b] = [left, right].map((node) => this.sum({ node, locals: own.locals }));
    if (a !== undefined && a !== null && b !== undefined && b !== null) {
      if (op === "<") return below(a, b);
      if (op === "<=") return atMost(a, b);
      if (op === ">") return below(b, a);
      if (op === ">=") return atMost(b, a);
      if (op === "==") return same(a, b);
      if (op === "!=") return not(same(a, b));
    }
    if (op === "==" || op === "!=" || op === "in") {
      const [x, y] = [left, right].map((node) => this.json({ node, locals: own.locals }));
      const { conditions } = this;
      if (x !== undefined && y !== undefined && op === "in" && isList(y))
        return any(y.map((item) => conditions.equal(x, item)));
      if (x !== undefined && y !== undefined && op !== "in")
        return op === "==" ? conditions.equal(x, y) : not(conditions.equal(x, y));
    }
    return this.readingBefore.value(own, this.sceneBefore) === true;
  }

  private json(bound: Bound) {
    const value = this.reading.value(bound, this.scene);
    return jsonOf(value as Value);
  }

  /** A number as a sum of the numbers of calls; null if it is no number, or no such sum. */
  private sum(bound: Bound): Linear | null {
    const { node, locals } = this.reading.resolve(bound, this.scene);
    const part = (of: Expression) => this.sum({ node: of, locals });
    switch (node.kind) {
      case "minus": {
        const of = part(node.of);
        return of === null ? null : scaled(of, negative(ONE));
      }
      case "binary": {
        const [a, b] = [part(node.left), part(node.right)];
        return a === null || b === null ? null : combined(node.op, a, b);
      }
      case "call": {
        const [receiver] = node.operands;
        if (node.fn !== "sum" || receiver === undefined) break;
        const items = this.reading.items({ node: receiver, locals }, this.scene);
        let sum: Linear | null = items === null ? null : constantOf(exactly(0));
        for (const item of items ?? []) {
          const of = this.sum({ node: item, locals });
          sum = of === null || sum === null ? null : added(sum, of);
        }
        return sum;
      }
    }
    const own = { node, locals };
    const value = this.reading.value(own, this.scene);
    if (typeof value !== "number") return null;
    const isMark = this.conditions.numbers.variableOf(value) !== null;
    const isSure = isMark || this.readingBefore.value(own, this.sceneBefore) === value;
    return isSure ? this.conditions.numbers.sumOf(value) : null;
  }
}

/** Two sums as one; null where that is no sum. */
function combined(op: Binary["op"], a: Linear, b: Linear): Linear | null {
  if (op === "+") return added(a, b);
  if (op === "-") return subtracted(a, b);
  if (op === "*" && b.terms.size === 0) return scaled(a, b.constant);
  if (op === "*" && a.terms.size === 0) return scaled(b, a.constant);
  return op === "/" && b.terms.size === 0 && b.constant.top !== 0n ? scaled(a, divided(ONE, b.constant)) : null;
}

/** What an expression asks of the numbers of a call, and of those before it. */
export function expressionCondition(
  program: Program,
  that: JudgedExpression,
  call: MarkedCall,
  conditions: Conditions,
): Formula {
  return new ExpressionCondition(program, that, call, conditions).condition({ node: that.tree, locals: null });
}
