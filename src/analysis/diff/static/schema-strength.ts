import type { CombinedTest, CompiledSchema, SchemaNode, SchemaTest } from "../../../artifact/compiled-schema.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { unreachable } from "../../../base/invariant.js";
import type { Json } from "../../../base/json.js";
import { type Domain, intersect, NOTHING, ofTypes, PRESENT } from "../../../domain/domain.js";
import { passingKeyword } from "../../../domain/of-schema.js";
import { isWithin } from "../../../domain/questions.js";
import { checkSchema } from "../../../guard/program/schema-check.js";
import { ALL_TYPES } from "../../../operators/value-set.js";
import { isListKept, isObjectKept, isOfKind, type Relation, TESTED } from "./schema-tests.js";

/** The largest depth, and number of nodes and tests, that are read, because refs can be endless. Beyond that nothing is shown. */
const DEEPEST = 60;
const MOST_NODES = 5_000;

/** The remaining budget, shared by one comparison. */
interface Budget {
  depth: number;
  nodes: number;
}

const texts = new WeakMap<object, string>();

/** A node or a test as text; cached, because each is needed often. */
function textOf(part: SchemaNode | SchemaTest): string {
  if (typeof part === "boolean") return String(part);
  const text = texts.get(part) ?? canonicalJson(part);
  texts.set(part, text);
  return text;
}

const present = new WeakMap<readonly SchemaTest[], Domain>();

/** The values that pass all keywords on the value alone. */
function presentWith(tests: readonly SchemaTest[]): Domain {
  const known = present.get(tests);
  if (known !== undefined) return known;
  const domain = tests.flatMap((test) => passingKeyword(test) ?? []).reduce(intersect, PRESENT);
  present.set(tests, domain);
  return domain;
}

/** The values of the types that a keyword does not test. */
function passingOthers({ kind }: SchemaTest): Domain {
  const tested = TESTED[kind];
  return tested === null ? NOTHING : ofTypes(ALL_TYPES.filter((type) => type !== tested));
}

/** Reads whether every value that fits the new schema fits the old one; "no" if that is not known. */
class Inclusion {
  private readonly areDefsSame: boolean;
  private readonly relation: Relation = {
    holds: (now, then) => this.holds(now, then),
    isSame: (now, then) => this.isSame(now, then),
  };

  constructor(
    private readonly after: CompiledSchema,
    private readonly before: CompiledSchema,
    private readonly budget: Budget,
  ) {
    this.areDefsSame = canonicalJson(after.defs) === canonicalJson(before.defs);
  }

  /** Compares a new node with an old one. */
  holds(now: SchemaNode, then: SchemaNode): boolean {
    if (then === true || now === false || this.isSame(now, then)) return true;
    return this.fit([...new Set(this.flat(now, 0))], then);
  }

  /** Whether every value that passes all new tests fits an old node. */
  private fit(tests: readonly SchemaTest[], then: SchemaNode): boolean {
    const { budget } = this;
    if (typeof then === "boolean" || budget.depth === 0 || budget.nodes <= 0) return then === true;
    budget.depth -= 1;
    const isHeld = then.every((test) => this.follows(tests, test));
    budget.depth += 1;
    return isHeld;
  }

  /** Equal definitions have the same meaning under the same index; others are followed instead. */
  private isSame(now: SchemaNode | SchemaTest, then: SchemaNode | SchemaTest): boolean {
    const text = textOf(now);
    return text === textOf(then) && (this.areDefsSame || !text.includes('"kind":"ref"'));
  }

  /** The tests of a new node, with those of the nodes that must hold beside it. */
  private flat(node: SchemaNode, level: number): readonly SchemaTest[] {
    this.budget.nodes -= 1;
    if (typeof node === "boolean" || level >= DEEPEST || this.budget.nodes <= 0) return [];
    return node.flatMap((test): readonly SchemaTest[] => {
      if (test.kind === "all_of") return [test, ...test.nodes.flatMap((each) => this.flat(each, level + 1))];
      return test.kind === "ref" ? [test, ...this.flat(this.after.defs[test.def] ?? true, level + 1)] : [test];
    });
  }

  private follows(now: readonly SchemaTest[], then: SchemaTest): boolean {
    this.budget.nodes -= 1;
    if (this.budget.nodes <= 0) return false;
    if (now.some((test) => this.isSame(test, then))) return true;
    const values = this.listed(now);
    if (values !== null) return values.every((value) => this.fitsBefore(then, value));
    if (isWithin(presentWith(now), passingKeyword(then) ?? passingOthers(then)) === "yes") return true;
    return this.isKept(now, then) || this.isKeptByEach(now, then);
  }

  private listed(now: readonly SchemaTest[]): readonly Json[] | null {
    const constant = now.find(isOfKind("const"));
    return constant === undefined ? (now.find(isOfKind("enum"))?.values ?? null) : [constant.value];
  }

  private fitsBefore(then: SchemaTest, value: Json): boolean {
    return checkSchema({ root: [then], defs: this.before.defs }, value) === null;
  }

  /** If one of several nodes must hold: each of them, with the tests beside them. */
  private isKeptByEach(now: readonly SchemaTest[], then: SchemaTest): boolean {
    return now.some((test) => {
      if (test.kind !== "any_of" && test.kind !== "one_of") return false;
      const others = now.filter((each) => each !== test);
      return test.nodes.every(
        (node) => node === false || this.fit([...new Set([...others, ...this.flat(node, 0)])], [then]),
      );
    });
  }

  private isKept(now: readonly SchemaTest[], then: SchemaTest): boolean {
    switch (then.kind) {
      case "type":
      case "enum":
      case "const":
      case "pattern":
      case "minimum":
      case "exclusive_minimum":
      case "maximum":
      case "exclusive_maximum":
      case "multiple_of":
      case "min_length":
      case "max_length":
      case "min_items":
      case "max_items":
      case "unique_items":
        return false;
      case "min_properties":
        return now.some((test) => test.kind === then.kind && test.count >= then.count);
      case "max_properties":
        return now.some((test) => test.kind === then.kind && test.count <= then.count);
      case "items":
      case "prefix_items":
      case "contains":
        return isListKept(this.relation, now, then);
      case "all_of":
      case "any_of":
      case "one_of":
      case "not":
      case "if_then_else":
      case "ref":
        return this.isCombinationKept(now, then);
      default:
        return isObjectKept(this.relation, now, then);
    }
  }

  private isCombinationKept(now: readonly SchemaTest[], then: CombinedTest): boolean {
    switch (then.kind) {
      case "all_of":
        return then.nodes.every((node) => this.fit(now, node));
      case "any_of":
        return then.nodes.some((node) => this.fit(now, node));
      case "one_of":
        return false;
      case "not":
        return now.some((test) => test.kind === "not" && this.isWider(test.node, then.node));
      case "if_then_else":
        return now.some(
          (test) =>
            test.kind === "if_then_else" &&
            this.isSame(test.condition, then.condition) &&
            this.holds(test.consequent, then.consequent) &&
            this.holds(test.alternative, then.alternative),
        );
      case "ref":
        return this.fit(now, this.before.defs[then.def] ?? true);
      default:
        return unreachable(then);
    }
  }

  /** Below `not`, the old node must be the narrower one. */
  private isWider(now: SchemaNode, then: SchemaNode): boolean {
    return this.isSame(now, then) || new Inclusion(this.before, this.after, this.budget).holds(then, now);
  }
}

/** Whether the old schema accepted every value that the new one accepts. */
export function isSchemaKept(after: CompiledSchema, before: CompiledSchema): boolean {
  return new Inclusion(after, before, { depth: DEEPEST, nodes: MOST_NODES }).holds(after.root, before.root);
}
