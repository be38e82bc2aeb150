import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { SlotShape } from "../../guard/expression/parts/scope.js";
import type { SlotKey, SlotMap, SlotReader, SlotValue } from "../../guard/expression/slot-reader.js";

/** The parts of a scene that a search may change. */
export type Root = "args" | "output" | "principal" | "labels" | "slots" | "now";

/** What an expression reads, as one value that a search can change; `slots` has an entry for each slot that is set. */
export type Scene = {
  readonly args: JsonObject;
  readonly output: Json;
  readonly principal: Json;
  readonly labels: readonly string[];
  /** The time, in milliseconds since 1970. */
  readonly now: number;
  /** The value of a plain slot, the values of a union, or the entries of a keyed slot: `{ key, value }`. */
  readonly slots: JsonObject;
};

type Step = string | number;

/** A place in a scene. */
export interface Place {
  readonly root: Root;
  /** Empty unless the place is in a slot. */
  readonly slot: string;
  /** The keys of a keyed slot; fewer than it has for a branch of it. */
  readonly keys: readonly SlotKey[];
  /** The keys that are still missing. */
  readonly depth: number;
  readonly steps: readonly Step[];
}

const NOTHING: JsonObject = Object.freeze({});
export const EMPTY_SCENE: Scene = Object.freeze({
  args: {},
  output: null,
  principal: null,
  labels: [],
  now: 0,
  slots: {},
});

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : NOTHING;
}

/** A changed value as a scene again. */
export function sceneOf(value: Json): Scene {
  const { args, output = null, principal = null, labels, now = 0, slots } = objectOf(value);
  const texts = isJsonList(labels) ? labels.filter((label) => typeof label === "string") : [];
  const time = typeof now === "number" ? now : 0;
  return { args: objectOf(args), output, principal, labels: texts, now: time, slots: objectOf(slots) };
}

/** A value with another one below it; undefined removes it. Missing objects and lists are created. */
function edited(value: Json | undefined, steps: readonly Step[], leaf: Json | undefined): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return leaf;
  if (typeof step === "string") {
    const { [step]: before, ...others } = objectOf(value);
    const child = edited(before, rest, leaf);
    return child === undefined ? others : { ...objectOf(value), [step]: child };
  }
  const list = isJsonList(value) ? [...value] : [];
  const child = edited(list[step], rest, leaf);
  if (child === undefined) return list.filter((_, at) => at !== step);
  while (list.length < step) list.push(child);
  list[step] = child;
  return list;
}

/** The entries of a keyed slot. */
export function entriesOf(
  content: Json | undefined,
): readonly { readonly key: readonly SlotKey[]; readonly value: Json }[] {
  return (isJsonList(content) ? content : []).filter(isJsonObject).map(({ key, value = null }) => ({
    key: (isJsonList(key) ? key : []).filter((part) => typeof part !== "object" || part === null) as readonly SlotKey[],
    value,
  }));
}

function entryAt(entries: ReturnType<typeof entriesOf>, keys: readonly SlotKey[]): number {
  const text = canonicalJson(keys);
  return entries.findIndex(({ key }) => canonicalJson(key) === text);
}

/** The scene at another time, which is written as a text; the clock of a session starts at 0. */
function atTime(scene: Scene, time: Json | undefined): Scene {
  const now = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return now >= 0 ? { ...scene, now } : scene;
}

/** The scene with another value at a place; undefined removes what is there. */
export function put(scene: Scene, { root, slot, keys, steps }: Place, value: Json | undefined): Scene {
  if (root === "now") return atTime(scene, value);
  if (root !== "slots") return sceneOf({ ...scene, [root]: edited(scene[root], steps, value) ?? null });
  if (keys.length === 0) return { ...scene, slots: objectOf(edited(scene.slots, [slot, ...steps], value)) };
  const entries = entriesOf(scene.slots[slot]);
  const at = entryAt(entries, keys);
  const before = entries[at]?.value;
  const after = edited(before, steps, value);
  const kept = entries.filter((_, index) => index !== at);
  const changed = after === undefined ? kept : [...kept, { key: keys, value: after }];
  return { ...scene, slots: { ...scene.slots, [slot]: changed } };
}

/** The slots of a scene. */
export class SceneSlots implements SlotReader {
  constructor(
    private readonly scene: Scene,
    private readonly shapes: ReadonlyMap<string, SlotShape>,
  ) {}

  read(slot: string): SlotValue {
    return this.scene.slots[slot];
  }

  entry(slot: string, keys: readonly SlotKey[]): SlotValue {
    const entries = entriesOf(this.scene.slots[slot]);
    return entries[entryAt(entries, keys)]?.value;
  }

  branch(slot: string, keys: readonly SlotKey[]): ReturnType<SlotReader["branch"]> {
    const depth = this.shapes.get(slot)?.depth ?? 1;
    const entries = entriesOf(this.scene.slots[slot]);
    const below = entries.filter(({ key }) => keys.every((part, at) => key[at] === part));
    const mapOf = (rest: typeof below, at: number): SlotMap => {
      const names = new Set(rest.map(({ key }) => key[at]).filter((key) => key !== undefined));
      return new Map(
        [...names].map((name) => {
          const own = rest.filter(({ key }) => key[at] === name);
          return [name, at + 1 < depth ? mapOf(own, at + 1) : (own[0]?.value ?? null)];
        }),
      );
    };
    return { value: mapOf(below, keys.length), isComplete: true };
  }

  hasBranch(slot: string, keys: readonly SlotKey[]): boolean {
    return entriesOf(this.scene.slots[slot]).some(({ key }) => keys.every((part, at) => key[at] === part));
  }

  union(slot: string): ReturnType<SlotReader["union"]> {
    const content = this.scene.slots[slot];
    return { value: isJsonList(content) ? content : [], isComplete: true };
  }

  includes(slot: string, value: Json): boolean {
    const content = this.scene.slots[slot];
    const text = canonicalJson(value);
    return isJsonList(content) && content.some((item) => canonicalJson(item) === text);
  }

  isLeftUnset(): boolean {
    return false;
  }
}
