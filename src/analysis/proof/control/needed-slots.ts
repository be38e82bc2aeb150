import type { CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { Expression } from "../../../artifact/expression.js";
import { slotsIn } from "../../../artifact/expression-parts.js";
import { unreachable } from "../../../base/invariant.js";
import { checksOf } from "../../model/checks-of.js";

/**
 * What a part may turn out to be while a slot has nothing in it: true, false or any other value (both), the empty slot itself, or nothing
 * that can be judged.
 */
type Outcome = { readonly yes: boolean; readonly no: boolean } | "empty" | "nothing";

const ANY: Outcome = { yes: true, no: true };
const NO: Outcome = { yes: false, no: true };

function may(outcome: Outcome, answer: "yes" | "no"): boolean {
  return typeof outcome === "object" && outcome[answer];
}

function either(yes: boolean, no: boolean): Outcome {
  return yes || no ? { yes, no } : "nothing";
}

/** Any value, unless one of the parts cannot be judged: most parts need all of theirs. */
function ofAll(parts: readonly Outcome[]): Outcome {
  return parts.includes("nothing") ? "nothing" : ANY;
}

/** Judges parts of expressions while one slot was never bound. */
class WithoutSlot {
  constructor(
    private readonly slot: string,
    private readonly isPlain: boolean,
  ) {}

  outcome(part: Expression): Outcome {
    switch (part.kind) {
      case "literal":
        return typeof part.value === "boolean" ? { yes: part.value, no: !part.value } : ANY;
      case "number":
      case "variable":
      case "constant":
      case "local":
        return ANY;
      case "slot":
        if (part.name !== this.slot) return ANY;
        return this.isPlain ? "nothing" : "empty";
      case "has_slot":
        return part.name === this.slot ? NO : ANY;
      case "member":
        return this.inside(part.of);
      case "index":
        return ofAll([this.inside(part.of), this.outcome(part.index)]);
      case "has":
        return typeof this.outcome(part.of) === "object" ? ANY : NO;
      case "not": {
        const of = this.outcome(part.of);
        return either(may(of, "no"), may(of, "yes"));
      }
      case "and":
      case "or":
        return this.joined(part);
      case "binary":
        return this.compared(part);
      case "choice":
        return this.chosen(part);
      case "minus":
      case "matches":
        return ofAll([this.outcome(part.of)]);
      case "list":
        return ofAll(part.items.map((item) => this.outcome(item)));
      case "map":
        return ofAll(part.entries.flatMap(({ key, value }) => [this.outcome(key), this.outcome(value)]));
      case "call":
        return ofAll(part.operands.map((operand) => this.outcome(operand)));
      case "macro":
        return this.repeated(part);
      default:
        return unreachable(part);
    }
  }

  /** A member of the slot is never there. */
  private inside(of: Expression): Outcome {
    return typeof this.outcome(of) === "object" ? ANY : "nothing";
  }

  private joined({ kind, left, right }: Extract<Expression, { readonly kind: "and" | "or" }>): Outcome {
    const [one, other] = [this.outcome(left), this.outcome(right)];
    const both = (answer: "yes" | "no") => may(one, answer) && may(other, answer);
    const some = (answer: "yes" | "no") => may(one, answer) || may(other, answer);
    return kind === "and" ? either(both("yes"), some("no")) : either(some("yes"), both("no"));
  }

  private compared({ op, left, right }: Extract<Expression, { readonly kind: "binary" }>): Outcome {
    const [one, other] = [this.outcome(left), this.outcome(right)];
    return op === "in" && other === "empty" && one !== "nothing" ? NO : ofAll([one, other]);
  }

  private chosen({ test, yes, no }: Extract<Expression, { readonly kind: "choice" }>): Outcome {
    const decides = this.outcome(test);
    const ends = [...(may(decides, "yes") ? [yes] : []), ...(may(decides, "no") ? [no] : [])].map((end) =>
      this.outcome(end),
    );
    if (ends.includes("empty")) return ANY;
    return either(
      ends.some((end) => may(end, "yes")),
      ends.some((end) => may(end, "no")),
    );
  }

  private repeated({ macro, over, test }: Extract<Expression, { readonly kind: "macro" }>): Outcome {
    const items = this.outcome(over);
    if (items === "nothing") return "nothing";
    const isFor = macro === "all";
    if (macro === "filter" || macro === "map") return items;
    if (items === "empty") return { yes: isFor, no: !isFor };
    const of = test === null ? ANY : this.outcome(test);
    // Of no items all are, and none is.
    return isFor ? { yes: true, no: may(of, "no") } : { yes: may(of, "yes"), no: true };
  }
}

/** The slots without which one of a tool's expressions never holds. */
export function neededSlots({ checks }: CompiledTool, { slots = [] }: CompiledPack): readonly string[] {
  return checksOf(checks, "requires").flatMap(({ that: { tree } }) =>
    [...slotsIn(tree)].filter((name) => {
      const isPlain = !slots.some((slot) => slot.name === name && slot.kind !== "plain");
      return !may(new WithoutSlot(name, isPlain).outcome(tree), "yes");
    }),
  );
}
