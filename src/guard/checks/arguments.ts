import type { CheckOf } from "../../artifact/compiled.js";
import type { Reason } from "../../artifact/reasons.js";
import { isOfType, type Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { show, showPart } from "../../base/wording.js";
import { partsOf } from "../../operators/index.js";
import { wantedOf } from "../../operators/wording.js";
import { foundBy, shownLength, unsetVariable } from "../decide/found.js";
import { block, textOnce } from "../decide/verdict.js";
import type { ArgumentFields } from "../program/argument-fields.js";
import { type FieldTest, fieldTestOf } from "../program/field-test.js";
import type { Check, Run } from "../program/program.js";
import { checkSchema, type SchemaFailure } from "../program/schema-check.js";
import { isSlotKey } from "../session/slots/slot-key.js";
import { type Environment, judgeEntry, judgeOf } from "../values/judge-value.js";
import { nameOf, readAll, readDefinite } from "../values/read-path.js";
import { matchesOf, readValue } from "../values/read-value.js";

/** Keywords that only bound a length. */
const LENGTHS: ReadonlySet<string> = new Set(["minLength", "maxLength", "minItems", "maxItems"]);

function foundIn({ keyword, found }: SchemaFailure, args: Json): string {
  return LENGTHS.has(keyword) ? shownLength(found) : showPart(found, args);
}

/** Refuses arguments that do not fit the tool's JSON Schema. */
export function schema(check: CheckOf<"schema">): Run {
  return ({ args }) => {
    const failure = checkSchema(check.schema, args);
    return failure === null
      ? null
      : block("schema_mismatch", check.at, `${failure.path}: ${failure.required}`, foundIn(failure, args));
  };
}

/** An entry of a contract on the arguments. */
type Entry = CheckOf<"input_invariant" | "execution_constraint" | "argument_invariant">;

const REASONS = {
  input_invariant: "input_invariant_failed",
  execution_constraint: "execution_constraint_failed",
  argument_invariant: "argument_invariant_failed",
} as const satisfies Record<string, Reason>;

/** Refuses arguments that do not satisfy an entry of the contract. */
export function argument(check: Entry, fields: ArgumentFields): Pick<Check, "run" | "test" | "refuse" | "surely"> {
  const { kind, at, path, operators } = check;
  const reason = REASONS[kind];
  const required = textOnce(() => wantedOf(path.text, operators));
  const run: Run = ({ args }, _session, { env }) => {
    if (judgeEntry(check, args, env) === true) return null;
    const remedy = unsetVariable([check], env) === null ? null : "variable";
    return block(reason, at, required(), foundBy(check, args, env), remedy);
  };
  const readsVariable = operators.some((operator) => partsOf(operator).variable(operator) !== null);
  // With its variable unset the entry refuses whatever is at its path.
  const ifUnset: Run = (proposal, session, program) =>
    unsetVariable([check], program.env) === null ? null : run(proposal, session, program);
  const surely = readsVariable ? ifUnset : null;
  const test = testOf(check, fields);
  if (test === null) return { run, test, refuse: run, surely };
  const { slot } = test;
  return { run, test, refuse: ({ values }) => block(reason, at, required(), show(values[slot])), surely };
}

/** The quick form of an entry with one operator on one named argument. */
function testOf({ path, operators: [only, ...others] }: Entry, fields: ArgumentFields): FieldTest | null {
  const name = nameOf(path);
  return name === null || only === undefined || others.length > 0 ? null : fieldTestOf(only, fields.slotOf(name));
}

/** Refuses arguments that do not satisfy a keyword of the tool's JSON Schema. */
export function derived(check: CheckOf<"derived_invariant">): Run {
  const { at, path, operator, optional, passes } = check;
  const operators = [operator];
  const judge = judgeOf(operator);
  const required = textOnce(() => wantedOf(path.text, operators));
  const isPassed = (value: Json, env: Environment) =>
    judge(value, env) === true || passes.some((type) => isOfType(value, type));
  const isAllPassed = (args: Json, env: Environment): boolean => {
    if (path.kind === "definite") {
      const value = readDefinite(path.steps, args);
      return value === undefined ? optional : isPassed(value, env);
    }
    const values = readAll(path, args);
    return values.length === 0 ? optional : values.every((value) => isPassed(value, env));
  };
  return ({ args }, _session, { env }) => {
    if (isAllPassed(args, env)) return null;
    return block("schema_derived_failed", at, required(), foundBy({ path, operators }, args, env));
  };
}

/** Refuses a call without an argument that has to be bound, or that is a key of what is bound. */
export function capture(check: CheckOf<"capture">): Run {
  const { at, path, decode, as, each } = check;
  if (each !== undefined) return captureEach(check, each);
  return ({ args }) => {
    const value = readValue({ path, decode }, args);
    if (value !== undefined && (as === undefined || isSlotKey(value))) return null;
    const found = path.kind === "definite" ? readDefinite(path.steps, args) : undefined;
    return block("bind_missing", at, wantedAt(check), showPart(found, args));
  };
}

function wantedAt({ path, decode, as }: CheckOf<"capture">): string {
  if (as === "key") return `a key at ${path.text}, which is a string, a number or a boolean`;
  return decode === undefined ? `a value at ${path.text}` : `a text at ${path.text} that is JSON`;
}

/** Refuses a match without the keys that it has to be bound under. */
function captureEach({ at, path, decode }: CheckOf<"capture">, each: readonly JsonPath[]): Run {
  const required = textOnce(() => {
    const keys = each.map(({ text }) => `@${text.slice(1)}`).join(" and ");
    return each.length === 0 ? `texts at ${path.text} that are JSON` : `a key at ${keys} of each value at ${path.text}`;
  });
  const hasKeys = (match: Json) =>
    each.every((key) => key.kind === "definite" && isSlotKey(readDefinite(key.steps, match)));
  return ({ args }) => {
    const matches = matchesOf({ path, decode }, args);
    const bad = matches?.find((match) => !hasKeys(match));
    if (matches !== null && bad === undefined) return null;
    return block("bind_missing", at, required(), bad === undefined ? "a text that is not JSON" : showPart(bad, args));
  };
}
