import type { Pools } from "../../src/analysis/values/argument-variants.js";
import { isJsonObject, type Json } from "../../src/base/json.js";
import { isTriggered } from "../../src/guard/checks/checkpoint.js";
import type { Program, Tool } from "../../src/guard/program/program.js";
import { proposalOf } from "../../src/guard/program/proposal.js";
import { newSession } from "../../src/guard/session/session.js";
import { judgeEntry } from "../../src/guard/values/judge-value.js";

const ARGUMENT_KINDS = [
  "schema",
  "input_invariant",
  "execution_constraint",
  "argument_invariant",
  "derived_invariant",
  "capture",
];

/** The indices of a tool's checks that look at nothing but arguments, and of its checkpoints. */
export function indicesOf({ compiled }: Tool): {
  readonly checks: ReadonlySet<number>;
  readonly checkpoints: ReadonlySet<number>;
} {
  const kinds = (compiled?.checks ?? []).map(({ kind }, index) => ({ kind, index }));
  const all = (wanted: readonly string[]) =>
    new Set(kinds.filter(({ kind }) => wanted.includes(kind)).map(({ index }) => index));
  return { checks: all(ARGUMENT_KINDS), checkpoints: all(["checkpoint"]) };
}

/** The indices of the argument checks that refuse arguments, and of the checkpoints they trigger. */
export function refusing(program: Program, tool: Tool, args: Json): readonly number[] {
  if (!isJsonObject(args)) throw new Error("arguments are an object");
  const { checks } = indicesOf(tool);
  const proposal = proposalOf(tool, args);
  const session = newSession(program);
  const runs = [...tool.checks];
  return (tool.compiled?.checks ?? []).flatMap((check, index) => {
    if (check.kind === "checkpoint") return isTriggered(check, proposal, { program, session }) ? [index] : [];
    const run = runs.shift();
    return checks.has(index) && run?.run(proposal, session, program) !== null ? [index] : [];
  });
}

/** The indices of the output invariants that an output breaks. */
export function brokenOutputs({ env }: Program, { compiled }: Tool, output: Json): readonly number[] {
  return (compiled?.output_invariants ?? []).flatMap((entry, index) =>
    judgeEntry(entry, output, env) === true ? [] : [index],
  );
}

/** A few values for the arguments and outputs that a tool's calls leave behind or are compared by. */
export function poolsOf({ binds, stages }: Tool): Pools {
  const paths = [...binds.map(({ path }) => path), ...stages.map(({ stage }) => stage.path)];
  return { byPath: new Map(paths.map(({ text }) => [text, [1, 5, "a"]])) };
}
