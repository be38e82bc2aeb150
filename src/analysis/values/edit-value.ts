import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath, Segment, Selector } from "../../base/json-path.js";
import { readAll } from "../../guard/values/read-path.js";
import { cut, first as firstOf, isBeyond, most } from "../model/caps.js";
import { combinationCount, combinations } from "./value-list.js";

type Key = string | number;

/** What to do at the end of a path; undefined removes the value. */
interface Edit {
  readonly value: Json | undefined;
  /** Whether missing places are created. */
  readonly makes: boolean;
}

function segmentsOf(path: JsonPath): readonly Segment[] {
  if (path.kind === "multi") return path.segments;
  return path.steps.map((step) => ({
    descend: false,
    selectors: [typeof step === "number" ? { kind: "index", index: step } : { kind: "name", name: step }],
  }));
}

/** The indices that a selector picks in a list of a length, found with the guard's own reader. */
function indicesOf(selector: Selector, length: number): readonly number[] {
  const indices = Array.from({ length }, (_, index) => index);
  const path: JsonPath = { kind: "multi", text: "", segments: [{ descend: false, selectors: [selector] }] };
  return readAll(path, indices).flatMap((index) => (typeof index === "number" ? [index] : []));
}

/** The keys of a value that a selector picks. */
function keysOf(selector: Selector, value: Json | undefined): readonly Key[] {
  if (isJsonList(value)) return indicesOf(selector, value.length);
  if (!isJsonObject(value)) return [];
  if (selector.kind === "wildcard") return Object.keys(value);
  return selector.kind === "name" && Object.hasOwn(value, selector.name) ? [selector.name] : [];
}

/** A key that a selector would pick if it existed. */
function newKey(selector: Selector, value: Json | undefined): Key | null {
  if (selector.kind === "name") return selector.name;
  if (selector.kind === "wildcard" && isJsonObject(value)) return "item";
  const least = isJsonList(value) ? value.length : 0;
  for (let length = least + 1; length <= most("index"); length++) {
    const [first] = indicesOf(selector, length);
    if (first !== undefined) return Math.max(first, length - 1);
  }
  cut("index");
  return null;
}

function childOf(value: Json | undefined, key: Key): Json | undefined {
  if (typeof key === "number") return isJsonList(value) ? value[key] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function withoutKey(value: Json | undefined, key: Key): Json | undefined {
  if (isJsonList(value)) return value.filter((_, index) => index !== key);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : value;
}

function withKey(value: Json | undefined, key: Key, child: Json): Json {
  if (typeof key === "string") return { ...(isJsonObject(value) ? value : {}), [key]: child };
  const list = isJsonList(value) ? [...value] : [];
  // Items that only fill the list are copies of the wanted one.
  while (list.length < key) list.push(child);
  list[key] = child;
  return list;
}

function editKey(value: Json | undefined, key: Key, rest: readonly Segment[], edit: Edit): Json | undefined {
  const before = childOf(value, key);
  if (before === undefined && !edit.makes) return value;
  const child = editAt(before, rest, edit);
  return child === undefined ? withoutKey(value, key) : withKey(value, key, child);
}

/** Edits below every child of a value. */
function editChildren(value: Json | undefined, segments: readonly Segment[], edit: Edit): Json | undefined {
  const change = (child: Json): Json => editAt(child, segments, edit) ?? child;
  if (isJsonList(value)) return value.map(change);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, change(child)]));
}

function editAt(value: Json | undefined, segments: readonly Segment[], edit: Edit): Json | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return edit.value;
  let edited = value;
  if (segment.descend) edited = editChildren(value, segments, { ...edit, makes: false });
  const { selectors } = segment;
  const found = selectors.flatMap((selector) => keysOf(selector, edited));
  const [first] = selectors;
  const made = found.length > 0 || !edit.makes || first === undefined ? null : newKey(first, edited);
  // Last item first, so that a removal does not move the remaining ones.
  const keys = made === null ? [...new Set(found)].reverse() : [made];
  for (const key of keys) edited = editKey(edited, key, rest, edit);
  return edited;
}

/** The value with another one at all places that a path matches; if it matches none, a place is created. */
export function putValue(root: Json, path: JsonPath, value: Json): Json {
  const makes = readAll(path, root).length === 0;
  return editAt(root, segmentsOf(path), { value, makes }) ?? root;
}

/** The first name that an object does not have. */
function freshName(value: JsonObject): string {
  for (let at = 1; ; at++) if (!Object.hasOwn(value, `item${at}`)) return `item${at}`;
}

/** The added value, and whether it comes first in its list. */
interface Addition {
  readonly value: Json;
  readonly isFirst: boolean;
}

/** A list or object with one more child. */
function withChild(value: Json | undefined, child: Json | undefined, isFirst: boolean): Json | undefined {
  if (child === undefined) return undefined;
  if (isJsonList(value)) return isFirst ? [child, ...value] : [...value, child];
  return isJsonObject(value) ? withKey(value, freshName(value), child) : undefined;
}

function addAt(value: Json | undefined, segments: readonly Segment[], addition: Addition): Json | undefined {
  const [segment, ...rest] = segments;
  const [first] = segment?.selectors ?? [];
  if (segment === undefined || first === undefined) return undefined;
  const made = { value: addition.value, makes: true };
  // Under a new name, it adds to the matches of the path elsewhere.
  if (segment.descend) {
    const inner = editAt({}, [{ ...segment, descend: false }, ...rest], made);
    return withChild(value, inner, addition.isFirst);
  }
  if (first.kind !== "name") {
    return withChild(value, editAt(undefined, rest, made), addition.isFirst);
  }
  const [key] = keysOf(first, value);
  const child = key === undefined ? undefined : addAt(childOf(value, key), rest, addition);
  return key === undefined || child === undefined ? undefined : withKey(value, key, child);
}

/** The value with an additional item or property at a path, beside existing ones. */
export function addValue(root: Json, path: JsonPath, value: Json): readonly Json[] {
  const added = [false, true].map((isFirst) => addAt(root, segmentsOf(path), { value, isFirst }));
  return added.filter((one) => one !== undefined);
}

/** The value without everything a path matches; the root itself cannot be removed. */
export function removeValue(root: Json, path: JsonPath): Json {
  return editAt(root, segmentsOf(path), { value: undefined, makes: false }) ?? root;
}

/** Sets the value at a path, or removes it. */
export function setValue(root: Json, path: JsonPath, value: Json | undefined): Json {
  return value === undefined ? removeValue(root, path) : putValue(root, path, value);
}

/** The single-selector paths that a path with several selectors in one step combines; none without such a step. */
export function branchesOf(path: JsonPath): readonly JsonPath[] {
  if (path.kind === "definite" || path.segments.every(({ selectors }) => selectors.length < 2)) return [];
  const choices = path.segments.map(({ descend, selectors }) =>
    firstOf(selectors, "branches").map((selector) => ({ descend, selectors: [selector] })),
  );
  if (isBeyond(combinationCount(choices), "branches")) return [];
  return combinations(choices).map((segments) => ({ kind: "multi", text: path.text, segments }));
}

/** The paths to the containers of a path's value, outermost first. */
export function holdersOf(path: JsonPath): readonly JsonPath[] {
  if (path.kind !== "definite") return [];
  return path.steps.slice(1).map((_, at) => pathOf(path.steps.slice(0, at + 1)));
}

/** The definite path of keys and indices. */
export function pathOf(steps: readonly Key[]): JsonPath {
  return { kind: "definite", text: "", steps };
}
