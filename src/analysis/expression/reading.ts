import type { Expression } from "../../artifact/expression.js";
import { Fault } from "../../guard/expression/fault.js";
import { Frame, type Part } from "../../guard/expression/frame.js";
import { itemsOf } from "../../guard/expression/parts/macro.js";
import type { Context } from "../../guard/expression/parts/scope.js";
import { keyOf, readWhole } from "../../guard/expression/parts/slot-part.js";
import { preparePart } from "../../guard/expression/prepare.js";
import type { SlotReader } from "../../guard/expression/slot-reader.js";
import type { Outcome, Value } from "../../guard/expression/value.js";
import type { Place, Root, Scene } from "./scene.js";

/** The variables of the macros around a part, the innermost first: each stands for an item, as a part of its own. */
export type Locals = { readonly name: string; readonly item: Expression; readonly outer: Locals } | null;

/** A part with what its variables stand for. */
export interface Bound {
  readonly node: Expression;
  readonly locals: Locals;
}

/** What the expressions of one call are judged with. */
export interface Surroundings {
  readonly context: Context;
  readonly tool: string;
  /** What may be changed. */
  readonly editable: ReadonlySet<Root>;
  slotsOf(scene: Scene): SlotReader;
}

function listed(locals: Locals): readonly NonNullable<Locals>[] {
  return locals === null ? [] : [...listed(locals.outer), locals];
}

function numbered(at: number): Expression {
  return { kind: "number", text: String(at) };
}

/** Evaluates parts of expressions in scenes with the guard's own evaluator, and finds the places that they read. */
export class Reading {
  private readonly prepared = new WeakMap<Expression, Map<string, Part>>();

  private last: { readonly scene: Scene; readonly frame: Frame } | null = null;

  constructor(readonly surroundings: Surroundings) {}

  private prepare(node: Expression, names: readonly string[]): Part {
    const byNames = this.prepared.get(node) ?? new Map<string, Part>();
    this.prepared.set(node, byNames);
    const text = names.join(" ");
    const part = byNames.get(text) ?? preparePart(node, { context: this.surroundings.context, locals: names });
    byNames.set(text, part);
    return part;
  }

  /** The frame of the last scene: most parts are evaluated in the scene of the part before. */
  private frame(scene: Scene): Frame {
    if (this.last?.scene === scene) return this.last.frame;
    const { tool } = this.surroundings;
    const { args, output, principal, labels, now } = scene;
    const frame = new Frame({ args, output, principal, labels, tool, now }, this.surroundings.slotsOf(scene));
    this.last = { scene, frame };
    return frame;
  }

  /** What a part is in a scene. */
  value({ node, locals }: Bound, scene: Scene): Outcome {
    const around = listed(locals);
    const values: Value[] = [];
    for (const { item, outer } of around) {
      const value = this.value({ node: item, locals: outer }, scene);
      if (value instanceof Fault) return value;
      values.push(value);
    }
    const frame = this.frame(scene);
    frame.locals = values;
    frame.steps = 0;
    const part = this.prepare(
      node,
      around.map(({ name }) => name),
    );
    const outcome = part.run(frame);
    return outcome instanceof Fault ? outcome : readWhole(outcome, frame, node);
  }

  /** The items that a macro visits, each as a part: an item of a list, or a key of a map; null if there is nothing to visit. */
  items({ node, locals }: Bound, scene: Scene): readonly Expression[] | null {
    const value = this.value({ node, locals }, scene);
    const items = value instanceof Fault ? value : itemsOf(value, this.frame(scene), node);
    if (items instanceof Fault) return null;
    const isList = Array.isArray(value);
    return items.map((item, at) => (isList ? { kind: "index", of: node, index: numbered(at) } : literalOf(item)));
  }

  /** A part for which this one stands: what a variable, a member of a literal or an item of a macro was made from. */
  resolve(bound: Bound, scene: Scene): Bound {
    const { node, locals } = bound;
    if (node.kind === "local") {
      const own = listed(locals).findLast(({ name }) => name === node.name);
      return own === undefined ? bound : this.resolve({ node: own.item, locals: own.outer }, scene);
    }
    if (node.kind === "choice") {
      const test = this.value({ node: node.test, locals }, scene);
      if (typeof test === "boolean") return this.resolve({ node: test ? node.yes : node.no, locals }, scene);
    }
    if (node.kind === "member")
      return this.member(bound, node.name, this.resolve({ node: node.of, locals }, scene), scene);
    if (node.kind === "index") return this.item(bound, node, this.resolve({ node: node.of, locals }, scene), scene);
    return bound;
  }

  private member(bound: Bound, name: string, { node, locals }: Bound, scene: Scene): Bound {
    if (node.kind !== "map") return bound;
    const entry = node.entries.find(({ key }) => key.kind === "literal" && key.value === name);
    return entry === undefined ? bound : this.resolve({ node: entry.value, locals }, scene);
  }

  private item(bound: Bound, { index }: Extract<Expression, { kind: "index" }>, of: Bound, scene: Scene): Bound {
    const at = this.value({ node: index, locals: bound.locals }, scene);
    if (typeof at !== "number") return bound;
    const { node, locals } = of;
    if (node.kind === "list") {
      const item = node.items[at];
      return item === undefined ? bound : this.resolve({ node: item, locals }, scene);
    }
    if (node.kind !== "macro") return bound;
    const item = this.passing(of, scene)[at];
    if (item === undefined) return bound;
    const inner = { name: node.name, item, outer: locals };
    if (node.macro === "filter") return this.resolve({ node: item, locals }, scene);
    return node.result === null ? bound : this.resolve({ node: node.result, locals: inner }, scene);
  }

  /** The items that pass the test of a `filter` or `map`. */
  passing({ node, locals }: Bound, scene: Scene): readonly Expression[] {
    if (node.kind !== "macro") return [];
    const { test } = node;
    const items = this.items({ node: node.over, locals }, scene) ?? [];
    if (test === null) return items;
    return items.filter(
      (item) => this.value({ node: test, locals: { name: node.name, item, outer: locals } }, scene) === true,
    );
  }

  /** The place that a part reads; null if it reads none that may be changed. */
  place(bound: Bound, scene: Scene): Place | null {
    const { node, locals } = this.resolve(bound, scene);
    const { context, editable } = this.surroundings;
    switch (node.kind) {
      case "variable": {
        const { name: root } = node;
        if (root === "tool") return null;
        return editable.has(root) ? { root, slot: "", keys: [], depth: 0, steps: [] } : null;
      }
      case "slot":
      case "has_slot": {
        const depth = context.slots.get(node.name)?.depth ?? 0;
        return editable.has("slots") ? { root: "slots", slot: node.name, keys: [], depth, steps: [] } : null;
      }
      case "member":
      case "has":
        return below(this.place({ node: node.of, locals }, scene), node.name);
      case "index": {
        const key = this.value({ node: node.index, locals }, scene);
        if (key instanceof Fault) return null;
        return below(this.place({ node: node.of, locals }, scene), key);
      }
      default:
        return null;
    }
  }
}

function literalOf(value: Value): Expression {
  if (typeof value === "number") return numbered(value);
  return { kind: "literal", value: typeof value === "string" || typeof value === "boolean" ? value : null };
}

/** The place of a member or an item. */
export function below(place: Place | null, step: Value): Place | null {
  const key = keyOf(step);
  if (place === null || key === null) return null;
  if (place.depth > 0) return { ...place, keys: [...place.keys, key], depth: place.depth - 1 };
  return typeof key === "boolean" ? null : { ...place, steps: [...place.steps, key] };
}
