import { memberCost, ownKeys, spend, withinBudget } from "../../base/cost.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { type JsonPath, jsonPath, type Segment } from "../../base/json-path.js";
import { type Container, forEachPicked, isContainer, type Key } from "../values/read-path.js";

/** The paths that continue from a place; those that begin with the same segments share them. */
export interface Plan {
  /** A path ends at the place, or searches everything below it. */
  readonly isRead: boolean;
  readonly branches: readonly Branch[];
  /** Those of the branches that pick one member by its name. */
  readonly byName: ReadonlyMap<string, Plan>;
}

interface Branch {
  readonly segment: Segment;
  readonly plan: Plan;
}

function segmentsOf(path: JsonPath): readonly Segment[] {
  if (path.kind === "multi") return path.segments;
  return path.steps.map((step) => ({
    descend: false,
    selectors: [typeof step === "string" ? { kind: "name", name: step } : { kind: "index", index: step }],
  }));
}

/** A plan that more paths are added to. */
class GrowingPlan implements Plan {
  isRead = false;
  readonly branches: Branch[] = [];
  readonly byName = new Map<string, GrowingPlan>();
  private readonly bySegment = new Map<string, GrowingPlan>();

  after(segment: Segment): GrowingPlan {
    const { text } = jsonPath([segment]);
    const known = this.bySegment.get(text);
    if (known !== undefined) return known;
    const plan = new GrowingPlan();
    this.bySegment.set(text, plan);
    this.branches.push({ segment, plan });
    const [selector, ...others] = segment.selectors;
    if (selector?.kind === "name" && others.length === 0) this.byName.set(selector.name, plan);
    return plan;
  }
}

/** Prepares to keep what some paths read. */
export function planOf(paths: readonly JsonPath[]): Plan {
  const root = new GrowingPlan();
  for (const path of paths) {
    let plan = root;
    for (const segment of segmentsOf(path)) {
      if (segment.descend) break;
      plan = plan.after(segment);
    }
    plan.isRead = true;
  }
  return root;
}

/** The cost of remembering which paths continue from a child. */
const REACHED_COST = 32;

/** The children that paths continue from, and these paths. Each plan is there once: its segment picks a child once. */
function reachedFrom(plans: readonly Plan[], place: Container): ReadonlyMap<Key, readonly Plan[]> {
  const reached = new Map<Key, Plan[]>();
  for (const { branches } of plans) {
    for (const { segment, plan } of branches) {
      forEachPicked(segment, place, (key) => {
        spend(REACHED_COST);
        const known = reached.get(key);
        if (known === undefined) reached.set(key, [plan]);
        else known.push(plan);
      });
    }
  }
  return reached;
}

/** In their order, which decides in which order a wildcard reads them. */
function keptMembers(plans: readonly Plan[], object: JsonObject): JsonObject {
  const reached = reachedFrom(plans, object);
  const keys = ownKeys(object).filter((key) => reached.has(key));
  spend(2 * memberCost(keys.length));
  return Object.fromEntries(keys.map((key) => [key, kept(reached.get(key) ?? [], object[key] ?? null)]));
}

/** Elements that no path continues from become null, so that the indices of the others stay. */
function keptElements(plans: readonly Plan[], list: readonly Json[]): readonly Json[] {
  const reached = reachedFrom(plans, list);
  spend(8 * list.length);
  return list.map((element, at) => kept(reached.get(at) ?? [], element));
}

/** Whether each member is read, all of it: then nothing has to be copied. */
function areAllRead({ byName }: Plan, object: JsonObject): boolean {
  if (byName.size === 0) return false;
  const keys = ownKeys(object);
  spend(memberCost(keys.length));
  return keys.every((key) => byName.get(key)?.isRead === true);
}

/** Of a value that paths would only continue from, its kind: that is what a refusal says of it. */
function blank(value: string | number | boolean | null): Json {
  if (typeof value === "string") return "";
  if (typeof value === "number") return 0;
  return value === null ? null : false;
}

/** Recursive: JSON that was copied has at most 100 levels. */
function kept(plans: readonly Plan[], value: Json): Json {
  if (plans.some(({ isRead }) => isRead)) return value;
  if (plans.length === 0) return null;
  if (!isContainer(value)) return blank(value);
  return isJsonList(value) ? keptElements(plans, value) : keptMembers(plans, value);
}

/** The members that the paths begin with, each of them whole: found without looking at what is in them. */
function beginningsOf({ branches, byName }: Plan, value: JsonObject): JsonObject {
  if (byName.size < branches.length) return value;
  const names = [...byName.keys()].filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map((name) => [name, value[name] ?? null]));
}

/**
 * The parts of an object that the paths of a plan read: each path reads the same values there, in the same order and with the
 * same work. Where finding them takes more work than one judgement may take, more is kept: a part that is missing could change a
 * decision.
 */
export function projectObject(plan: Plan, object: JsonObject): JsonObject {
  if (plan.isRead) return object;
  return withinBudget(
    () => (areAllRead(plan, object) ? object : keptMembers([plan], object)),
    () => beginningsOf(plan, object),
  );
}

/** The same for any value; null if nothing is read of it. */
export function project(plan: Plan, value: Json): Json {
  if (plan.branches.length === 0 && !plan.isRead) return null;
  return withinBudget(
    () => kept([plan], value),
    () => (isJsonObject(value) ? beginningsOf(plan, value) : value),
  );
}
