import type { Expression } from "../../artifact/expression.js";
import { unreachable } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import { SIGNATURES } from "./functions.js";
import { inferCall, inferMacro } from "./infer-calls.js";
import { inferBinary, inferMember } from "./infer-operators.js";
import { hasNoValue, isAlways, NEVER, type Outcome, truth, UNKNOWN, valued } from "./outcome.js";
import { ANYTHING, eitherOf, listOf, mapOf, ofKinds, type Shape, shapeOfValue } from "./shape.js";
import type { Facts, Inference, Judge, Surprise } from "./surprise.js";
import type { ValueKind } from "./value-kind.js";

/** Judges an expression for all calls at once. What it says is certain; what it does not say may be. */
class Inferrer implements Judge {
  readonly surprises: Surprise[] = [];
  private readonly locals = new Map<string, Shape>();

  constructor(private readonly facts: Facts) {}

  infer(part: Expression): Outcome {
    switch (part.kind) {
      case "literal":
        return known(part.value);
      case "number":
        return { ...valued(ofKinds("number"), false), digits: part.text };
      case "variable":
        return this.variable(part.name);
      case "slot":
        return this.slot(part.name);
      case "constant": {
        const value = this.facts.constants?.get(part.name);
        return value === undefined ? UNKNOWN : known(value);
      }
      case "local":
        return valued(this.locals.get(part.name) ?? ANYTHING, false);
      case "member":
        return inferMember(this, part, { of: this.infer(part.of), name: part.name });
      case "index":
        return this.index(part);
      case "has":
        return this.has(part);
      case "has_slot":
        return this.isUnset(part) ? truth(false, true, false) : truth(true, true, true);
      case "not": {
        const { mayBeTrue, mayBeFalse, mayFail } = this.boolean(part.of, part);
        return truth(mayBeFalse, mayBeTrue, mayFail);
      }
      case "minus":
        return this.minus(part.of);
      case "and":
      case "or":
        return this.logic(part);
      case "binary":
        return inferBinary(this, part);
      case "choice":
        return this.choice(part);
      case "list":
        return this.list(part.items);
      case "map":
        for (const { key } of part.entries) this.infer(key);
        return valued(mapOf(eitherOf(part.entries.map(({ value }) => this.infer(value).shape))), true);
      case "macro":
        return inferMacro(this, part);
      case "call":
        return inferCall(this, part);
      case "matches":
        this.operand(part.of, ["string"], SIGNATURES.matches.usage);
        return truth(true, true, true);
      default:
        return unreachable(part);
    }
  }

  boolean(part: Expression, within: Expression): Outcome {
    const outcome = this.infer(part);
    const { kinds } = outcome.shape;
    if (kinds.size === 0) return NEVER;
    if (!kinds.has("boolean")) {
      this.surprises.push({ kind: "no_boolean", part, within, kinds });
      return NEVER;
    }
    return kinds.size === 1 ? outcome : { ...outcome, mayFail: true };
  }

  operand(part: Expression, wanted: readonly ValueKind[], usage: string): Outcome {
    const outcome = this.infer(part);
    const found = outcome.shape.kinds;
    if (found.size === 0) return NEVER;
    const fitting = wanted.filter((kind) => found.has(kind));
    if (fitting.length > 0)
      return { ...outcome, mayFail: outcome.mayFail || [...found].some((kind) => !wanted.includes(kind)) };
    this.surprises.push({ kind: "wrong_operand", part, found, wanted, usage });
    return NEVER;
  }

  private variable(name: (Expression & { readonly kind: "variable" })["name"]): Outcome {
    switch (name) {
      case "args":
        return valued(this.facts.args, false);
      case "principal":
        return valued(ofKinds("map"), true);
      case "labels":
        return valued(listOf(ofKinds("string")), false);
      case "tool":
        return this.facts.tool === null ? valued(ofKinds("string"), false) : known(this.facts.tool);
      case "now":
        return valued(ofKinds("timestamp"), false);
      case "output":
        return UNKNOWN;
      default:
        return unreachable(name);
    }
  }

  isUnset(part: Expression): boolean {
    return (part.kind === "slot" || part.kind === "has_slot") && this.facts.unset?.has(part.name) === true;
  }

  private slot(name: string): Outcome {
    const shape = this.facts.slots?.get(name);
    const isPlain = shape === undefined || shape.kind === "plain";
    if (isPlain && this.facts.unset?.has(name) === true) return NEVER;
    if (shape?.kind === "keyed") return valued(ofKinds("map"), true);
    return shape?.kind === "union" ? valued(listOf(ANYTHING), true) : UNKNOWN;
  }

  private index(part: Expression & { readonly kind: "index" }): Outcome {
    const index = this.infer(part.index);
    const of = this.infer(part.of);
    if (hasNoValue(index) || hasNoValue(of) || this.isUnset(part.of)) return NEVER;
    if (typeof index.known === "string" && !of.shape.kinds.has("list"))
      return inferMember(this, part, { of, name: index.known });
    const { kinds } = of.shape;
    if (!kinds.has("list") && !kinds.has("map")) {
      this.surprises.push({
        kind: "wrong_operand",
        part: part.of,
        found: kinds,
        wanted: ["list", "map"],
        usage: "x[index]",
      });
      return NEVER;
    }
    const found = [...(kinds.has("map") ? [of.shape.entries()] : []), ...(kinds.has("list") ? [of.shape.items()] : [])];
    return valued(eitherOf(found), true);
  }

  private has(part: Expression & { readonly kind: "has" }): Outcome {
    const of = this.infer(part.of);
    const { kinds } = of.shape;
    if (kinds.size === 0) return NEVER;
    if (!kinds.has("map")) {
      this.surprises.push({
        kind: "wrong_operand",
        part: part.of,
        found: kinds,
        wanted: ["map"],
        usage: "has(x.name)",
      });
      return NEVER;
    }
    const { presence, shape } = of.shape.member(part.name);
    const mayFail = of.mayFail || kinds.size > 1;
    if (presence === "never") return truth(false, true, mayFail);
    return truth(true, presence === "maybe" || shape.kinds.has("null"), mayFail);
  }

  /** A side that decides wins, so what the other side would do does not matter then. */
  private logic(part: Expression & { readonly kind: "and" | "or" }): Outcome {
    const deciding = part.kind === "or";
    const [left, right] = [part.left, part.right].map((side) => {
      const before = this.surprises.length;
      const outcome = this.boolean(side, part);
      return { outcome, surprises: this.surprises.splice(before) };
    });
    if (left === undefined || right === undefined) return UNKNOWN;
    const leftDecides = isAlways(deciding, left.outcome);
    const rightDecides = isAlways(deciding, right.outcome);
    if (!rightDecides) this.surprises.push(...left.surprises);
    if (!leftDecides) this.surprises.push(...right.surprises);
    return combined(deciding, left.outcome, right.outcome);
  }

  private choice(part: Expression & { readonly kind: "choice" }): Outcome {
    const test = this.boolean(part.test, part);
    const branches = [test.mayBeTrue ? [part.yes] : [], test.mayBeFalse ? [part.no] : []].flat();
    const outcomes = branches.map((branch) => this.infer(branch));
    const shape = eitherOf(outcomes.map((outcome) => outcome.shape));
    return {
      shape: outcomes.length === 0 ? ofKinds() : shape,
      mayFail: test.mayFail || outcomes.some(({ mayFail }) => mayFail),
      mayBeTrue: outcomes.some(({ mayBeTrue }) => mayBeTrue),
      mayBeFalse: outcomes.some(({ mayBeFalse }) => mayBeFalse),
    };
  }

  private list(items: readonly Expression[]): Outcome {
    const outcomes = items.map((item) => this.infer(item));
    if (outcomes.some(hasNoValue)) return NEVER;
    const shape = listOf(eitherOf(outcomes.map((outcome) => outcome.shape)));
    const mayFail = outcomes.some((outcome) => outcome.mayFail);
    return { ...valued(shape, mayFail), items: outcomes };
  }

  private minus(part: Expression): Outcome {
    const { shape, mayFail, digits } = this.operand(part, ["number", "duration"], "-x");
    const kinds = (["number", "duration"] as const).filter((kind) => shape.kinds.has(kind));
    const value = valued(ofKinds(...kinds), mayFail);
    return digits === undefined ? value : { ...value, digits: digits.startsWith("-") ? digits.slice(1) : `-${digits}` };
  }

  within<T>(name: string, items: Shape, judge: () => T): T {
    const outer = this.locals.get(name);
    this.locals.set(name, items);
    const judged = judge();
    if (outer === undefined) this.locals.delete(name);
    else this.locals.set(name, outer);
    return judged;
  }
}

function known(value: Json): Outcome {
  const shape = shapeOfValue(value);
  if (typeof value === "boolean") return { shape, mayFail: false, mayBeTrue: value, mayBeFalse: !value, known: value };
  if (typeof value === "number") return { ...valued(shape, false), digits: String(value) };
  const items = Array.isArray(value) ? { items: value.map(known) } : {};
  return { ...valued(shape, false), known: value, ...items };
}

/** `&&` or `||` of two outcomes. */
function combined(deciding: boolean, left: Outcome, right: Outcome): Outcome {
  const decides = ({ mayBeTrue, mayBeFalse }: Outcome) => (deciding ? mayBeTrue : mayBeFalse);
  const leaves = ({ mayBeTrue, mayBeFalse }: Outcome) => (deciding ? mayBeFalse : mayBeTrue);
  const mayDecide = decides(left) || decides(right);
  const mayLeave = leaves(left) && leaves(right);
  const mayFail =
    (left.mayFail && (leaves(right) || right.mayFail)) || (right.mayFail && (leaves(left) || left.mayFail));
  return deciding ? truth(mayDecide, mayLeave, mayFail) : truth(mayLeave, mayDecide, mayFail);
}

/** Judges an expression for all calls at once, with what is certain about its parts. */
export function inferExpression(tree: Expression, facts: Facts): Inference {
  const inferrer = new Inferrer(facts);
  const outcome = inferrer.boolean(tree, tree);
  return { outcome, surprises: inferrer.surprises };
}
