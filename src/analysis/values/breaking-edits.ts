import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { readAll } from "../../guard/values/read-path.js";
import { isBeyond } from "../model/caps.js";
import { addValue, branchesOf, holdersOf, setValue } from "./edit-value.js";

/** The value without anything at a path; removing a list item may move another one there, so it is repeated. */
function emptied(base: Json, path: JsonPath): Json {
  let value = setValue(base, path, undefined);
  for (let times = 0; readAll(path, value).length > 0 && !isBeyond(times + 1, "removed"); times++)
    value = setValue(value, path, undefined);
  return value;
}

/** A value with each of some others at a path, with none there, and with others added beside the existing ones. */
export function* breakingEdits(path: JsonPath, values: readonly Json[], base: Json): Generator<Json> {
  for (const value of values) yield setValue(base, path, value);
  yield emptied(base, path);
  for (const holder of holdersOf(path)) yield setValue(base, holder, undefined);
  for (const branch of branchesOf(path)) for (const value of values) yield setValue(base, branch, value);
  for (const value of values) yield* addValue(base, path, value);
}
