import type { CheckOf } from "../../artifact/compiled.js";
import type { Reason } from "../../artifact/reasons.js";
import type { Json, JsonObject } from "../../base/json.js";
import { type Environment, judgeEntry, judgeOperator } from "../judge-value.js";
import type { ArgumentCheck } from "../program.js";
import { readAll, readDefinite } from "../read-path.js";
import { checkSchema } from "../schema-check.js";
import type { Proposal } from "../session.js";
import { show, wantedOf } from "../show.js";
import { type Block, block } from "../verdict.js";

/** Refuses arguments that the tool's JSON Schema does not let through. */
export function schema(check: CheckOf<"schema">, { args }: Proposal): Block | null {
  const failure = checkSchema(check.schema, args);
  return failure === null
    ? null
    : block("schema_mismatch", check.at, `${failure.path}: ${failure.required}`, show(failure.found));
}

const REASONS = {
  input_invariant: "input_invariant_failed",
  execution_constraint: "execution_constraint_failed",
  argument_invariant: "argument_invariant_failed",
} as const satisfies Record<string, Reason>;

function foundAt(path: CheckOf<"input_invariant">["path"], args: Json): string {
  const values = readAll(path, args);
  return path.kind === "definite" || values.length === 0 ? show(values[0]) : show(values);
}

function holds(check: ArgumentCheck, args: JsonObject, env: Environment): boolean {
  const { key, only } = check;
  if (key === null || only === null || only.op === "exists") return judgeEntry(check, args, env) === true;
  const value = Object.hasOwn(args, key) ? args[key] : undefined;
  return value !== undefined && judgeOperator(only, value, env) === true;
}

/** Refuses arguments that an entry written in the contract does not let through. */
export function invariant(check: ArgumentCheck, { args }: Proposal, env: Environment): Block | null {
  if (holds(check, args, env)) return null;
  return block(REASONS[check.kind], check.at, wantedOf(check.path.text, check.operators), foundAt(check.path, args));
}

function passesDerived(check: CheckOf<"derived_invariant">, value: Json, env: Environment): boolean {
  if (judgeOperator(check.operator, value, env) === true) return true;
  return check.passes.some((type) => judgeOperator({ op: "type", value: type }, value, env) === true);
}

/** Refuses arguments that a keyword of the tool's JSON Schema does not let through. */
export function derivedInvariant(
  check: CheckOf<"derived_invariant">,
  { args }: Proposal,
  env: Environment,
): Block | null {
  const values = readAll(check.path, args);
  const holds = values.length === 0 ? check.optional : values.every((value) => passesDerived(check, value, env));
  if (holds) return null;
  return block(
    "schema_derived_failed",
    check.at,
    wantedOf(check.path.text, [check.operator]),
    foundAt(check.path, args),
  );
}

/** Refuses a call without an argument that is to be bound. */
export function capture(check: CheckOf<"capture">, { args }: Proposal): Block | null {
  const { path } = check;
  if (path.kind === "definite" && readDefinite(path.steps, args) !== undefined) return null;
  return block("bind_missing", check.at, `a value at ${path.text}`, "nothing");
}
