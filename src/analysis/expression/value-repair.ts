import type { Expression } from "../../artifact/expression.js";
import { Fault } from "../../guard/expression/fault.js";
import { Duration, isList, isPlainObject, Timestamp, type Value } from "../../guard/expression/value.js";
import { othersLike } from "../calls/other-values.js";
import { first, isBeyond } from "../model/caps.js";
import { amountLike, amountOf, jsonOf, PLAIN_TEXT } from "./borders.js";
import { operandOf, partsOf } from "./operands.js";
import { type Bound, below, type Reading } from "./reading.js";
import { put, type Scene } from "./scene.js";

type Call = Extract<Expression, { readonly kind: "call" }>;
type Macro = Extract<Expression, { readonly kind: "macro" }>;

const DAY = 86_400_000;
/** How far a time is moved for one more of what a getter gives, and after how many it is the same again; months and years are about as long. */
const SPANS = {
  getFullYear: [365.25 * DAY, 0],
  getMonth: [30.5 * DAY, 12],
  getDate: [DAY, 31],
  getDayOfMonth: [DAY, 31],
  getDayOfYear: [DAY, 365],
  getDayOfWeek: [DAY, 7],
  getHours: [DAY / 24, 24],
  getMinutes: [60_000, 60],
  getSeconds: [1000, 60],
  getMilliseconds: [1, 1000],
} as const;

/** How a condition is made to hold; the other half of this search (`repair.ts`). */
export type MakeTrue = (bound: Bound, wanted: boolean, scene: Scene) => Iterable<Scene>;

/** Changes of a scene after which a part of an expression may have a wanted value: it is computed backwards. */
export class ValueRepair {
  constructor(
    private readonly reading: Reading,
    private readonly make: MakeTrue,
  ) {}

  /** Changes that give a part a value. */
  *toward(bound: Bound, target: Value, scene: Scene): Generator<Scene> {
    const { node, locals } = this.reading.resolve(bound, scene);
    const own = { node, locals };
    const place = this.reading.place(own, scene);
    if (place !== null) {
      const value = jsonOf(target);
      if (value !== undefined && place.depth === 0) yield put(scene, place, value);
      return;
    }
    if (node.kind === "binary") yield* this.operand(own, node, target, scene);
    else if (node.kind === "call") yield* this.inside(own, node, target, scene);
    else if (node.kind === "minus")
      yield* this.amount({ node: node.of, locals }, -(amountOf(target) ?? 0), target, scene);
    else if (node.kind === "choice") {
      for (const branch of [node.yes, node.no]) yield* this.toward({ node: branch, locals }, target, scene);
    } else yield* this.provide(own, scene);
  }

  private *amount(bound: Bound, amount: number, like: Value, scene: Scene): Generator<Scene> {
    yield* this.toward(bound, amountLike(like, amount), scene);
  }

  /** One operand of a sum, a difference or a product, with the others as they are. */
  private *operand(
    { locals }: Bound,
    { op, left, right }: Extract<Expression, { readonly kind: "binary" }>,
    target: Value,
    scene: Scene,
  ): Generator<Scene> {
    const sides = [left, right].map((node) => ({ node, locals }));
    const [one, other] = sides;
    if (one === undefined || other === undefined) return;
    const [a, b] = [this.reading.value(one, scene), this.reading.value(other, scene)];
    if (a instanceof Fault) yield* this.provide(one, scene, 1);
    if (b instanceof Fault) yield* this.provide(other, scene, 1);
    if (a instanceof Fault || b instanceof Fault) return;
    if (op === "+" && typeof target === "string") {
      if (typeof b === "string" && target.endsWith(b))
        yield* this.toward(one, target.slice(0, target.length - b.length), scene);
      if (typeof a === "string" && target.startsWith(a)) yield* this.toward(other, target.slice(a.length), scene);
      return;
    }
    const [x, y, wanted] = [amountOf(a), amountOf(b), amountOf(target)];
    if (x === null || y === null || wanted === null) return;
    if (op === "+") {
      yield* this.amount(one, wanted - y, a, scene);
      yield* this.amount(other, wanted - x, b, scene);
    }
    if (op === "-") {
      yield* this.amount(one, wanted + y, a, scene);
      yield* this.amount(other, x - wanted, b, scene);
    }
    if (op === "*" && y !== 0) yield* this.amount(one, wanted / y, a, scene);
    if (op === "*" && x !== 0) yield* this.amount(other, wanted / x, b, scene);
    if (op === "/") yield* this.amount(one, wanted * y, a, scene);
  }

  private *inside(own: Bound, { fn, operands }: Call, target: Value, scene: Scene): Generator<Scene> {
    const { locals } = own;
    const [receiver] = operands;
    if (receiver === undefined) return;
    const of = { node: receiver, locals };
    const amount = amountOf(target);
    switch (fn) {
      case "size":
        if (amount !== null) yield* this.sized(of, amount, scene);
        return;
      case "sum":
        if (amount !== null) yield* this.summed(of, amount, scene);
        return;
      case "math.abs":
        if (amount !== null) for (const value of [amount, -amount]) yield* this.toward(of, value, scene);
        return;
      case "double":
        yield* this.toward(of, String(amount), scene);
        return;
      case "string":
        if (typeof target !== "string") return;
        if (Number.isFinite(Number(target))) yield* this.toward(of, Number(target), scene);
        yield* this.toward(of, target, scene);
        return;
      case "timestamp":
        if (target instanceof Timestamp) yield* this.toward(of, jsonOf(target) ?? "", scene);
        return;
      case "duration":
        if (target instanceof Duration) yield* this.toward(of, jsonOf(target) ?? "", scene);
        return;
      case "distinct":
      case "lowerAscii":
      case "trim":
      case "math.round":
        yield* this.toward(of, target, scene);
        return;
      case "getFullYear":
      case "getMonth":
      case "getDate":
      case "getDayOfMonth":
      case "getDayOfYear":
      case "getDayOfWeek":
      case "getHours":
      case "getMinutes":
      case "getSeconds":
      case "getMilliseconds":
        if (amount !== null) yield* this.moved(of, SPANS[fn], amount - this.amountOf(own, scene), scene);
        return;
      case "math.least":
      case "math.greatest":
        for (const node of operands) yield* this.toward({ node, locals }, target, scene);
        return;
      default:
        for (const node of operands) yield* this.provide({ node, locals }, scene);
    }
  }

  private amountOf(bound: Bound, scene: Scene): number {
    return amountOfOutcome(this.reading.value(bound, scene));
  }

  /** A time with more or less of what a getter gives, in its own round and in the next; one that is not there is made first. */
  private *moved(bound: Bound, [span, round]: readonly [number, number], by: number, scene: Scene): Generator<Scene> {
    const time = this.reading.value(bound, scene);
    if (!(time instanceof Timestamp)) return yield* this.provide(bound, scene);
    for (const steps of [by, by + round]) yield* this.amount(bound, (amountOf(time) ?? 0) + span * steps, time, scene);
  }

  /** Lists and texts of a length. */
  private *sized(bound: Bound, size: number, scene: Scene): Generator<Scene> {
    if (size < 0 || !Number.isInteger(size) || isBeyond(size, "index")) return;
    const of = this.reading.resolve(bound, scene);
    const { node, locals } = of;
    if (node.kind === "macro" && node.macro === "map")
      return yield* this.sized({ node: node.over, locals }, size, scene);
    if (node.kind === "macro") return yield* this.filtered(of, node, size, scene);
    if (node.kind === "call" && node.fn === "lists.range") {
      const [length] = node.operands;
      if (length !== undefined) yield* this.toward({ node: length, locals }, size, scene);
      return;
    }
    const place = this.reading.place(of, scene);
    const value = this.reading.value(of, scene);
    if (place === null || place.depth > 0) return yield* this.provide(of, scene);
    if (typeof value === "string") yield put(scene, place, value.padEnd(size, "a").slice(0, size));
    if (typeof value === "string") return;
    const list = isList(value) ? value.map((item) => jsonOf(item) ?? null).slice(0, size) : [];
    for (let at = list.length; at < size; at++) list.push(othersLike(list.at(-1) ?? PLAIN_TEXT, at + 1)[0] ?? at);
    yield put(scene, place, list);
    yield put(scene, place, "".padEnd(size, "a"));
  }

  /** So many items that pass a test. */
  private *filtered({ locals }: Bound, node: Macro, size: number, scene: Scene): Generator<Scene> {
    const { test } = node;
    if (test === null) return;
    const of = { node, locals };
    const passing = this.reading.passing(of, scene);
    const items = this.reading.items({ node: node.over, locals }, scene) ?? [];
    const isMore = size > passing.length;
    const changed = isMore ? items.filter((item) => !passing.includes(item)) : passing;
    for (const item of changed)
      yield* this.make({ node: test, locals: { name: node.name, item, outer: locals } }, isMore, scene);
    if (!isMore) return;
    for (const longer of this.appended({ node: node.over, locals }, scene)) {
      const item = (this.reading.items({ node: node.over, locals }, longer) ?? []).at(-1);
      if (item === undefined) continue;
      const inner = { node: test, locals: { name: node.name, item, outer: locals } };
      if (this.reading.value(inner, longer) === true) yield longer;
      else yield* this.make(inner, true, longer);
    }
  }

  /** One item changed, so that a list has a sum. */
  private *summed(bound: Bound, total: number, scene: Scene): Generator<Scene> {
    const of = this.reading.resolve(bound, scene);
    const items = this.reading.items(of, scene);
    if (items === null) return yield* this.provide(of, scene);
    const amounts = items.map((item) => amountOfOutcome(this.reading.value({ node: item, locals: of.locals }, scene)));
    const sum = amounts.reduce((all, amount) => all + amount, 0);
    for (const [at, item] of items.entries())
      yield* this.toward({ node: item, locals: of.locals }, (amounts[at] ?? 0) + total - sum, scene);
    if (items.length === 0) yield* this.appended(of, scene);
  }

  /** A list with one more item. */
  *appended(bound: Bound, scene: Scene): Generator<Scene> {
    const { node, locals } = this.reading.resolve(bound, scene);
    const own = { node, locals };
    if (node.kind === "macro") return yield* this.appended({ node: node.over, locals }, scene);
    const value = this.reading.value(own, scene);
    if (node.kind === "call" && node.fn === "lists.range")
      return yield* this.sized(own, (isList(value) ? value.length : 0) + 1, scene);
    const place = this.reading.place(own, scene);
    if (place === null) return yield* this.provide(own, scene);
    if (isPlainObject(value)) {
      const child = below(place, "other");
      if (child !== null) yield put(scene, child, PLAIN_TEXT);
      return;
    }
    const list = isList(value) ? value.map((item) => jsonOf(item) ?? null) : [];
    const like = list.at(-1);
    const fresh =
      like === undefined ? [{}, PLAIN_TEXT, 1] : [...othersLike(like, list.length + 1).slice(0, 1), like, {}];
    for (const item of fresh) yield put(scene, place, [...list, item]);
  }

  /** Changes after which a part without a value may have one. */
  *provide({ node, locals }: Bound, scene: Scene, value: Value = PLAIN_TEXT): Generator<Scene> {
    const bound = { node, locals };
    if (!(this.reading.value(bound, scene) instanceof Fault)) return;
    const resolved = this.reading.resolve(bound, scene);
    const place = this.reading.place(resolved, scene);
    if (place !== null && place.depth === 0) {
      yield put(scene, place, jsonOf(value));
      return;
    }
    const own = resolved.node;
    const inner = (part: Expression) => ({ node: part, locals: resolved.locals });
    if (own.kind === "index") {
      for (const key of first(this.reading.items(inner(own.of), scene) ?? [], "items_in"))
        yield* this.key(inner(own.index), inner(key), scene);
      yield* this.provide(inner(own.index), scene);
      const { node: list, locals: around } = this.reading.resolve(inner(own.of), scene);
      const at = this.reading.value(inner(own.index), scene);
      if (list.kind === "macro" && typeof at === "number") {
        if (list.macro === "filter") yield* this.filtered({ node: list, locals: around }, list, at + 1, scene);
        else yield* this.sized({ node: list, locals: around }, at + 1, scene);
      }
    }
    if (own.kind === "macro") return yield* this.provideMacro({ node: own, locals: resolved.locals }, own, scene);
    for (const part of partsOf(own)) yield* this.provide(inner(part), scene, operandOf(own, value));
    if (own.kind === "call" && own.fn === "timestamp") yield* this.toward(resolved, new Timestamp(0), scene);
  }

  /** A key that a map has; keys of maps are literals. */
  private *key(index: Bound, key: Bound, scene: Scene): Generator<Scene> {
    const value = this.reading.value(key, scene);
    if (key.node.kind === "literal" && !(value instanceof Fault)) yield* this.toward(index, value, scene);
  }

  private *provideMacro({ locals }: Bound, node: Macro, scene: Scene): Generator<Scene> {
    const items = this.reading.items({ node: node.over, locals }, scene);
    if (items === null) return yield* this.provide({ node: node.over, locals }, scene, []);
    for (const item of items) {
      const around = { name: node.name, item, outer: locals };
      for (const part of [node.test, node.result])
        if (part !== null) yield* this.provide({ node: part, locals: around }, scene);
    }
  }
}

function amountOfOutcome(value: Value | Fault): number {
  return value instanceof Fault ? 0 : (amountOf(value) ?? 0);
}
