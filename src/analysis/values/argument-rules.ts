import type { CheckOf, CompiledCheck } from "../../artifact/compiled.js";
import type { CompiledSchema } from "../../artifact/compiled-schema.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { isJsonObject, type Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { isTriggered } from "../../guard/checks/checkpoint.js";
import type { Program, Run, Tool } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { judgeClosing, judgeEntry } from "../../guard/values/judge-value.js";
import type { Judgement } from "../../operators/judgement.js";
import { OF_ARGUMENTS } from "../model/checks-of.js";
import type { Entry } from "./path-values.js";

/** An argument check or a checkpoint, with the guard's own judgement. */
export interface ArgumentRule {
  /** Its index among the tool's compiled checks. */
  readonly index: number;
  readonly check: CompiledCheck;
  /** Whether the check refuses the arguments; for a checkpoint, whether they trigger it. */
  refuses(args: Json): boolean;
}

/** The rules on the arguments of a tool. */
export interface ArgumentRules {
  readonly checks: readonly ArgumentRule[];
  readonly checkpoints: readonly ArgumentRule[];
  readonly schema: CompiledSchema | null;
  /** Values that the session needs, though no argument check requires them. */
  readonly demands: readonly Entry[];
}

const NUMBER: readonly CompiledOperator[] = [{ op: "type", value: "number" }];
const PRESENT: readonly CompiledOperator[] = [{ op: "exists", value: true }];

/** A check with a broken pattern refuses everything. */
export function orElse<T>(judge: () => T, otherwise: T): T {
  try {
    return judge();
  } catch (cause) {
    if (cause instanceof Error) return otherwise;
    throw cause;
  }
}

interface Setting {
  readonly program: Program;
  readonly tool: Tool;
  readonly session: Session;
}

function refusal({ program, tool, session }: Setting, run: Run): (args: Json) => boolean {
  return (args) => !isJsonObject(args) || orElse(() => run(proposalOf(tool, args), session, program) !== null, true);
}

function trigger({ program, tool, session }: Setting, check: CheckOf<"checkpoint">): (args: Json) => boolean {
  const judging = { program, session };
  return (args) => isJsonObject(args) && orElse(() => isTriggered(check, proposalOf(tool, args), judging), true);
}

const entries = new WeakMap<CompiledCheck, Entry>();

/** The path and operators of a check that judges one path; the same object for the same check. */
export function entryOf(check: CompiledCheck): Entry | null {
  const known = entries.get(check);
  if (known !== undefined) return known;
  const entry = makeEntry(check);
  if (entry !== null) entries.set(check, entry);
  return entry;
}

function makeEntry(check: CompiledCheck): Entry | null {
  switch (check.kind) {
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      return check;
    case "derived_invariant":
      return { path: check.path, operators: [check.operator] };
    case "capture":
      return { path: check.path, operators: PRESENT };
    default:
      return null;
  }
}

function demandOf(check: CompiledCheck, { aggregates }: Program): readonly Entry[] {
  switch (check.kind) {
    case "aggregate": {
      const { metric, path, per } = aggregates[check.index] ?? { metric: "count", path: null };
      const apart = per === undefined ? [] : [{ path: per, operators: PRESENT }];
      if (path === null || metric === "count") return apart;
      return [...apart, { path, operators: metric === "count_distinct" ? PRESENT : NUMBER }];
    }
    case "ref":
      return [{ path: check.path, operators: PRESENT }];
    case "precondition":
      return check.prior?.resource == null ? [] : [{ path: check.prior.resource, operators: PRESENT }];
    default:
      return [];
  }
}

function stageDemands({ stages, watches }: Tool): readonly Entry[] {
  const staged = stages.filter(({ stage }) => stage.source === "arguments");
  const entities = watches.flatMap(({ resource }): readonly JsonPath[] => (resource === null ? [] : [resource]));
  return [
    ...staged.map(({ stage }) => ({ path: stage.path, operators: NUMBER })),
    ...entities.map((path) => ({ path, operators: PRESENT })),
  ];
}

function uniqueEntries(entries: readonly Entry[]): readonly Entry[] {
  const byText = new Map(entries.map((entry) => [`${entry.operators[0]?.op} ${entry.path.text}`, entry]));
  return [...byText.values()];
}

/** Collects the rules on the arguments of a tool. */
export function argumentRules(program: Program, tool: Tool): ArgumentRules {
  const setting = { program, tool, session: newSession(program) };
  const compiled = tool.compiled?.checks ?? [];
  const checks: ArgumentRule[] = [];
  const checkpoints: ArgumentRule[] = [];
  let prepared = 0;
  for (const [index, check] of compiled.entries()) {
    if (check.kind === "checkpoint") {
      checkpoints.push({ index, check, refuses: trigger(setting, check) });
      continue;
    }
    const run = tool.checks[prepared++]?.run;
    if (run !== undefined && OF_ARGUMENTS.has(check.kind))
      checks.push({ index, check, refuses: refusal(setting, run) });
  }
  const schemas = compiled.flatMap((check) => (check.kind === "schema" ? [check.schema] : []));
  const demands = uniqueEntries([...compiled.flatMap((check) => demandOf(check, program)), ...stageDemands(tool)]);
  return { checks, checkpoints, schema: schemas[0] ?? null, demands };
}

/** Whether an entry holds for a value; null if that cannot be judged. */
function judged(entry: Entry, value: Json, { env }: Pick<Program, "env">): Judgement {
  return orElse(() => judgeEntry(entry, value, env), null);
}

/** Whether a condition of a checkpoint, for which any match is enough, holds for a value; null if unjudgeable. */
export function judgedCondition(entry: Entry, value: Json, { env }: Pick<Program, "env">): Judgement {
  return orElse(() => judgeClosing(entry, value, env), null);
}

/** Whether an entry surely holds for a value. */
export function holdsOf(entry: Entry, value: Json, program: Pick<Program, "env">): boolean {
  return judged(entry, value, program) === true;
}
