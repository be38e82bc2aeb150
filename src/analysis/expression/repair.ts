import type { Expression } from "../../artifact/expression.js";
import { Fault } from "../../guard/expression/fault.js";
import { isList, isPlainObject, type Value } from "../../guard/expression/value.js";
import { type CapName, first, isBeyond } from "../model/caps.js";
import { matchingTexts, otherTexts } from "../values/pattern-texts.js";
import { differing, jsonOf, meeting, mirrored, negated, PLAIN_TEXT } from "./borders.js";
import { type Bound, below, type Locals, type Reading } from "./reading.js";
import { put, type Scene } from "./scene.js";
import { ValueRepair } from "./value-repair.js";

type Of<K extends Expression["kind"]> = Extract<Expression, { readonly kind: K }>;

/** Changes of a scene after which a condition may be true, or not true: on both sides of its borders. */
export class Repair {
  private readonly values: ValueRepair;

  constructor(
    private readonly reading: Reading,
    /** How many scenes are tried for one condition. */
    private readonly limit: CapName = "scenes_tried",
  ) {
    this.values = new ValueRepair(reading, (bound, wanted, scene) => this.edits(bound, wanted, scene));
  }

  holds(node: Expression, scene: Scene): boolean {
    return this.reading.value({ node, locals: null }, scene) === true;
  }

  /** Scenes in which the condition is true, or is not true; then some that may only be closer. */
  *scenes(node: Expression, wanted: boolean, scene: Scene): Generator<Scene> {
    const seen = new Set([JSON.stringify(scene)]);
    const others: Scene[] = [];
    let layer: readonly Scene[] = [scene];
    for (let step = 0; layer.length > 0 && !isBeyond(step + 1, "scenes_steps"); step++) {
      const next: Scene[] = [];
      for (const one of layer) {
        for (const edited of this.edits({ node, locals: null }, wanted, one)) {
          const text = JSON.stringify(edited);
          if (seen.has(text)) continue;
          if (isBeyond(seen.size, this.limit)) return yield* others;
          seen.add(text);
          if (this.holds(node, edited) === wanted) yield edited;
          else next.push(edited);
        }
      }
      others.push(...next);
      layer = next;
    }
    yield* others;
  }

  /** Single changes toward a condition that is true, or that is not. */
  *edits(bound: Bound, wanted: boolean, scene: Scene): Generator<Scene> {
    const { node, locals } = bound;
    const part = (inner: Expression): Bound => ({ node: inner, locals });
    const isTrue = (inner: Expression) => this.reading.value(part(inner), scene) === true;
    switch (node.kind) {
      case "not":
        yield* this.edits(part(node.of), !wanted, scene);
        break;
      case "and":
      case "or": {
        const decides = (node.kind === "and") !== wanted;
        // Where both sides are needed, only those that are not there yet are changed.
        for (const side of [node.left, node.right])
          if (decides || isTrue(side) !== wanted || wanted) yield* this.edits(part(side), wanted, scene);
        break;
      }
      case "choice":
        if (isTrue(node.test)) yield* this.edits(part(node.yes), wanted, scene);
        else yield* this.edits(part(node.no), wanted, scene);
        yield* this.edits(part(node.test), !isTrue(node.test), scene);
        break;
      case "macro":
        yield* this.macro(node, locals, wanted, scene);
        break;
      case "binary":
        yield* this.comparison(node, locals, wanted, scene);
        break;
      case "has":
      case "has_slot":
        yield* this.presence(bound, wanted, scene);
        break;
      case "matches":
        for (const text of (wanted ? matchingTexts : otherTexts)(node.pattern))
          yield* this.values.toward(part(node.of), text, scene);
        break;
      case "call":
        yield* this.text(node, locals, wanted, scene);
        break;
      default:
        yield* this.values.toward(bound, wanted, scene);
    }
    if (!wanted) yield* this.unjudgeable(bound, scene);
  }

  /** A scene with every condition changed by its first change that helps. */
  private allOf(conditions: readonly Bound[], wanted: boolean, scene: Scene): Scene {
    let changed = scene;
    for (const condition of conditions) {
      for (const edited of this.edits(condition, wanted, changed)) {
        if ((this.reading.value(condition, edited) === true) !== wanted) continue;
        changed = edited;
        break;
      }
    }
    return changed;
  }

  private *presence(bound: Bound, wanted: boolean, scene: Scene): Generator<Scene> {
    const place = this.reading.place(bound, scene);
    if (place !== null) yield put(scene, place, wanted ? PLAIN_TEXT : undefined);
    else if (bound.node.kind === "has")
      yield* this.values.provide({ node: bound.node.of, locals: bound.locals }, scene);
  }

  private *macro(node: Of<"macro">, locals: Locals, wanted: boolean, scene: Scene): Generator<Scene> {
    const { test, over, name } = node;
    if (test === null) return;
    const list = { node: over, locals };
    const items = this.reading.items(list, scene);
    if (items === null) {
      const place = this.reading.place(list, scene);
      if (place === null) yield* this.values.provide(list, scene, []);
      else if (place.depth === 0) yield put(scene, place, []);
      return;
    }
    const inner = (item: Expression): Bound => ({ node: test, locals: { name, item, outer: locals } });
    const tests = items.map((item) => this.reading.value(inner(item), scene) === true);
    const changed = items.filter((_, at) => tests[at] !== wanted);
    if ((node.macro === "all") === wanted && changed.length > 1) yield this.allOf(changed.map(inner), wanted, scene);
    for (const item of changed) yield* this.edits(inner(item), wanted, scene);
    // An item that passes makes `exists` true; one that does not makes `all` untrue.
    if ((node.macro === "all") !== wanted) {
      for (const longer of this.values.appended(list, scene)) {
        yield longer;
        const item = this.reading.items(list, longer)?.at(-1);
        if (item !== undefined) yield* this.edits(inner(item), wanted, longer);
      }
    } else for (const item of changed) yield* this.without(list, item, items, scene);
  }

  /** The list without an item, or the map without a key. */
  private *without(list: Bound, item: Expression, items: readonly Expression[], scene: Scene): Generator<Scene> {
    const { node, locals } = this.reading.resolve(list, scene);
    const at = items.indexOf(item);
    if (node.kind === "macro" && node.macro === "map") {
      const over = { node: node.over, locals };
      const inner = this.reading.items(over, scene) ?? [];
      const dropped = inner[at];
      if (dropped !== undefined) yield* this.without(over, dropped, inner, scene);
      return;
    }
    const place = this.reading.place({ node, locals }, scene);
    const value = this.reading.value({ node, locals }, scene);
    if (place === null || value instanceof Fault) return;
    const key = isList(value) ? at : this.reading.value({ node: item, locals }, scene);
    const target = key instanceof Fault ? null : below(place, key);
    if (target !== null) yield put(scene, target, undefined);
  }

  private *comparison(node: Of<"binary">, locals: Locals, wanted: boolean, scene: Scene): Generator<Scene> {
    const { left, right } = node;
    const [one, other] = [
      { node: left, locals },
      { node: right, locals },
    ];
    if (node.op === "in") return yield* this.membership(one, other, wanted, scene);
    const op = wanted ? node.op : negated(node.op);
    const [a, b] = [this.reading.value(one, scene), this.reading.value(other, scene)];
    if (!(b instanceof Fault)) for (const value of meeting(op, b)) yield* this.values.toward(one, value, scene);
    if (!(a instanceof Fault))
      for (const value of meeting(mirrored(op), a)) yield* this.values.toward(other, value, scene);
    if (a instanceof Fault) yield* this.values.provide(one, scene, numeric(op));
    if (b instanceof Fault) yield* this.values.provide(other, scene, numeric(op));
  }

  private *membership(one: Bound, list: Bound, wanted: boolean, scene: Scene): Generator<Scene> {
    const [value, whole] = [this.reading.value(one, scene), this.reading.value(list, scene)];
    if (value instanceof Fault) yield* this.values.provide(one, scene);
    const items = whole instanceof Fault ? null : this.reading.items(list, scene);
    const place = this.reading.place(list, scene);
    const known = (items ?? []).map((item) => this.reading.value({ node: item, locals: list.locals }, scene));
    const usable = known.flatMap((item) => (item instanceof Fault ? [] : [{ item }]));
    if (wanted) for (const { item } of first(usable, "items_in")) yield* this.values.toward(one, item, scene);
    if (value instanceof Fault) return;
    if (!wanted) for (const other of differing(value)) yield* this.values.toward(one, other, scene);
    if (place === null) {
      if (whole instanceof Fault) yield* this.values.provide(list, scene);
      return;
    }
    yield* this.membershipAt(place, { value, whole, wanted }, scene);
  }

  /** The list or map changed, so that it has the value or not. */
  private *membershipAt(
    place: NonNullable<ReturnType<Reading["place"]>>,
    { value, whole, wanted }: { readonly value: Value; readonly whole: Value | Fault; readonly wanted: boolean },
    scene: Scene,
  ): Generator<Scene> {
    const json = jsonOf(value);
    if (json === undefined) return;
    const isMap = place.depth > 0 || (!(whole instanceof Fault) && !isList(whole) && isPlainObject(whole));
    const items = isList(whole) ? whole.map((item) => jsonOf(item) ?? null) : [];
    const entry = below(place, value);
    if (!wanted && isMap && entry !== null) yield put(scene, entry, undefined);
    if (!wanted && !isMap)
      yield put(
        scene,
        place,
        items.filter((item) => JSON.stringify(item) !== JSON.stringify(json)),
      );
    if (!wanted) return;
    // Arguments are mostly texts, entries of slots mostly objects.
    const fresh = place.root === "args" ? [PLAIN_TEXT, {}] : [{}, PLAIN_TEXT];
    if (isMap && entry !== null) for (const child of fresh) yield put(scene, entry, child);
    if (isMap) return;
    yield put(scene, place, [...items, json]);
    // What was not there yet may have to be a map as well.
    if (whole instanceof Fault && typeof value === "string") yield put(scene, place, { [value]: {} });
  }

  private *text({ fn, operands }: Of<"call">, locals: Locals, wanted: boolean, scene: Scene): Generator<Scene> {
    const [first, second] = operands;
    if (first === undefined || second === undefined) return;
    const of = { node: first, locals };
    const [value, part] = [this.reading.value(of, scene), this.reading.value({ node: second, locals }, scene)];
    if (typeof part !== "string") return yield* this.values.provide({ node: second, locals }, scene);
    const rest = typeof value === "string" && value !== "" ? value : PLAIN_TEXT;
    const fitting = fn === "endsWith" ? [`${rest}${part}`, part] : [`${part}${rest}`, part];
    const unfit = ["x", `x${part.slice(1)}`, ""].filter((text) => text !== part);
    for (const text of wanted ? fitting : unfit) yield* this.values.toward(of, text, scene);
  }

  /** The places that a condition reads, without a value or with one of another kind: what cannot be judged is not true. */
  private *unjudgeable({ node, locals }: Bound, scene: Scene): Generator<Scene> {
    if (node.kind !== "binary" && node.kind !== "call" && node.kind !== "member" && node.kind !== "index") return;
    const parts =
      node.kind === "binary" ? [node.left, node.right] : node.kind === "call" ? node.operands.slice(0, 1) : [node];
    for (const part of parts) {
      const place = this.reading.place({ node: part, locals }, scene);
      if (place === null || place.depth > 0) continue;
      yield put(scene, place, 1);
      yield put(scene, place, undefined);
    }
  }
}

function numeric(op: string): Value {
  return op === "==" || op === "!=" ? PLAIN_TEXT : 1;
}
