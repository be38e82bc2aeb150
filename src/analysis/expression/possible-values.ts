import type { Expression } from "../../artifact/expression.js";
import { Fault } from "../../guard/expression/fault.js";
import type { Frame, Part } from "../../guard/expression/frame.js";
import type { Context } from "../../guard/expression/parts/scope.js";
import { readWhole } from "../../guard/expression/parts/slot-part.js";
import { preparePart } from "../../guard/expression/prepare.js";
import { isList, isPlainObject, type Value, ValueMap } from "../../guard/expression/value.js";
import { exchanged, type Opened, openedOf } from "./opened-part.js";

/** The values that a part may have, whatever the arguments are; null for any. A part that can have none has an empty list. */
export type Possible = readonly Value[] | null;

type Locals = ReadonlyMap<string, Possible>;
type Macro = Extract<Expression, { readonly kind: "macro" }>;

const EITHER: Possible = [true, false];
const NO_LOCALS: Locals = new Map();
/** Beyond so many mixes of operands any value is taken to be possible, which leaves nothing out. */
const MOST_MIXES = 64;

/** Every way to take one value of each list; null if there are too many. */
function mixes(lists: readonly (readonly Value[])[]): readonly (readonly Value[])[] | null {
  if (lists.reduce((count, { length }) => count * length, 1) > MOST_MIXES) return null;
  return lists.reduce<readonly (readonly Value[])[]>(
    (all, list) => all.flatMap((mix) => list.map((value) => [...mix, value])),
    [[]],
  );
}

/** What is in a list or a map. */
function contentOf(value: Value): readonly Value[] {
  if (isList(value)) return value;
  if (value instanceof ValueMap) return [...value.entries.values()];
  return isPlainObject(value) ? Object.values(value) : [];
}

function union(all: readonly Possible[]): Possible {
  const found: Value[] = [];
  for (const values of all) {
    if (values === null) return null;
    found.push(...values);
  }
  return [...new Set(found)];
}

/** Parts of expressions with their operands as variables, prepared once for all states. */
export class OpenedParts {
  private readonly kept = new WeakMap<Expression, { readonly opened: Opened; readonly part: Part }>();

  constructor(private readonly context: Context) {}

  of(node: Expression): { readonly opened: Opened; readonly part: Part } {
    const known = this.kept.get(node);
    if (known !== undefined) return known;
    const opened = openedOf(node);
    const part = preparePart(exchanged(node, opened), { context: this.context, locals: opened.names });
    const made = { opened, part };
    this.kept.set(node, made);
    return made;
  }
}

/**
 * Which values the parts of an expression may have in one state, whatever the arguments are: a condition that cannot be true here needs no
 * search for arguments. Each part is evaluated by the guard for every value that its operands may have; more may be thought possible than is.
 */
export class PossibleValues {
  constructor(
    private readonly parts: OpenedParts,
    private readonly frame: Frame,
  ) {}

  mayBeTrue(node: Expression): boolean {
    return this.of(node, NO_LOCALS)?.includes(true) !== false;
  }

  private of(node: Expression, locals: Locals): Possible {
    switch (node.kind) {
      case "variable":
        return node.name === "args" || node.name === "output" ? null : this.evaluated(node, []);
      case "local":
        return locals.get(node.name) ?? null;
      case "and":
      case "or":
        return this.logic(this.of(node.left, locals), this.of(node.right, locals), node.kind === "and");
      case "choice": {
        const test = this.of(node.test, locals);
        return union([
          test?.includes(true) === false ? [] : this.of(node.yes, locals),
          test?.includes(false) === false ? [] : this.of(node.no, locals),
        ]);
      }
      case "macro":
        return this.macro(node, locals);
      default:
        return this.strict(node, locals);
    }
  }

  private logic(left: Possible, right: Possible, isAnd: boolean): Possible {
    const [both, either] = [isAnd, !isAnd];
    const may = (values: Possible, value: boolean) => values === null || values.includes(value);
    const found: boolean[] = [];
    if (may(left, both) && may(right, both)) found.push(both);
    if (may(left, either) || may(right, either)) found.push(either);
    return found;
  }

  private macro(node: Macro, locals: Locals): Possible {
    const { macro, name, test } = node;
    const over = this.of(node.over, locals);
    if (over?.length === 0) return [];
    if (test === null || (macro !== "all" && macro !== "exists")) return null;
    if (over === null) return EITHER;
    const isAll = macro === "all";
    return union(
      over.map((list) => {
        const items = isPlainObject(list)
          ? Object.keys(list)
          : list instanceof ValueMap
            ? [...list.entries.keys()]
            : list;
        if (!isList(items)) return [];
        const tests = items.map((item) => this.of(test, new Map([...locals, [name, [item]]])));
        return tests.reduce<Possible>((known, next) => this.logic(known, next, isAll), [isAll]);
      }),
    );
  }

  /** Parts that have a value only where all their operands have one. */
  private strict(node: Expression, locals: Locals): Possible {
    const { operands } = this.parts.of(node).opened;
    const values = operands.map((operand) => this.of(operand, locals));
    if (values.some((all) => all?.length === 0)) return [];
    const known = values.filter((all) => all !== null);
    if (known.length < values.length) return this.partly(node, values);
    const all = mixes(known);
    return all === null ? null : union(all.map((mix) => this.evaluated(node, mix)));
  }

  /** With an operand that may be anything. */
  private partly(node: Expression, [one = null, other = null]: readonly Possible[]): Possible {
    if (node.kind === "index") return one === null ? null : [...new Set(one.flatMap(contentOf))];
    if (node.kind === "binary" && node.op === "in")
      return other?.every((list) => contentOf(list).length === 0) === true ? [false] : EITHER;
    return null;
  }

  private evaluated(node: Expression, operands: readonly Value[]): Possible {
    const { frame } = this;
    frame.locals = [...operands];
    frame.steps = 0;
    const outcome = this.parts.of(node).part.run(frame);
    const value = outcome instanceof Fault ? outcome : readWhole(outcome, frame, node);
    if (!(value instanceof Fault)) return [value];
    // What is not known, or not all there any more, may be anything.
    return ["awaited", "lost", "forgotten"].includes(value.kind) ? null : [];
  }
}
