import type { CompiledInvariant, CompiledOperator } from "../../../artifact/compiled-value.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import type { Json } from "../../../base/json.js";
import type { JsonPath } from "../../../base/json-path.js";
import { readAll } from "../../../guard/values/read-path.js";
import { samplesOf } from "../../../operators/index.js";
import { putValue, setValue } from "../../values/edit-value.js";
import { breakingValues, satisfyingValues } from "../../values/operator-values.js";

const MOST_VALUES = 24;
const LONGEST = 100_000;

/** A value for a path; undefined removes the value there. A length extends or cuts the text there. */
export interface Edit {
  readonly path: JsonPath;
  readonly value: Json | undefined;
  readonly length?: number;
}

function named(operator: CompiledOperator): readonly Json[] {
  const { values, parts, lower, upper, steps, lengths } = samplesOf(operator);
  const numbers = [...lower, ...upper, ...steps, ...lengths];
  const near = numbers.flatMap((bound) => [bound, bound + 1, bound - 1, bound / 2]);
  return [...values.slice(0, MOST_VALUES), ...parts, ...near];
}

/** Edits with values on both sides of the operators' bounds. */
export function editsAt(
  { path, operators }: Pick<CompiledInvariant, "path" | "operators">,
  env: ReadonlyMap<string, string>,
): readonly Edit[] {
  const values = [
    ...operators.flatMap(named),
    ...satisfyingValues(operators, env).slice(0, MOST_VALUES),
    ...breakingValues(operators, env).slice(0, MOST_VALUES),
  ];
  const lengths = operators.flatMap((operator) => samplesOf(operator).lengths).flatMap(lengthsAround);
  return [
    ...values.map((value) => ({ path, value })),
    ...lengths.map((length) => ({ path, value: undefined, length })),
    { path, value: undefined },
  ];
}

function lengthsAround(length: number): readonly number[] {
  return [length - 1, length, length + 1].filter((each) => each >= 0 && each <= LONGEST);
}

/** The value with the text at a path changed to a length. */
function resized(root: Json, path: JsonPath, length: number): Json {
  const [text] = readAll(path, root);
  if (typeof text !== "string") return root;
  const points = [...text];
  return putValue(
    root,
    path,
    points
      .slice(0, length)
      .join("")
      .padEnd(length, points.at(-1) ?? "a"),
  );
}

function withEdit(root: Json, { path, value, length }: Edit): Json {
  return length === undefined ? setValue(root, path, value) : resized(root, path, length);
}

/** Each value with each edit applied. */
export function crossed(values: readonly Json[], edits: readonly Edit[]): readonly Json[] {
  const all = values.flatMap((value) => edits.map((edit) => withEdit(value, edit)));
  return [...new Map(all.map((value) => [canonicalJson(value), value])).values()];
}
