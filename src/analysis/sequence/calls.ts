import type { Json, JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { advance } from "../../guard/session/advance.js";
import { callIdOf, newSession, type Session } from "../../guard/session/session.js";
import { readAll } from "../../guard/values/read-path.js";
import { signalled } from "../search/search.js";
import { copyOf } from "../state/clock.js";
import type { Action } from "../trace/plan.js";
import type { Numbers } from "./numbers.js";

/** A call of a sequence as it was, and with marks for its numbers; with the sessions before it. */
export interface MarkedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly marked: JsonObject;
  readonly output: Json;
  readonly markedOutput: Json;
  readonly before: Session;
  readonly markedBefore: Session;
}

/** Paths whose values tell calls apart: their numbers stay as they are. */
function keptPaths(
  program: Program,
  tool: Tool,
): { readonly args: readonly JsonPath[]; readonly output: readonly JsonPath[] } {
  const watches = tool.watches;
  const checks = tool.compiled?.checks ?? [];
  const asked = checks.flatMap((check) =>
    check.kind === "precondition" && check.prior?.resource ? [check.prior.resource] : [],
  );
  const keys = tool.collections.flatMap(({ binds, unbinds }) => [...binds, ...unbinds]).flatMap(({ key = [] }) => key);
  const keysOf = (source: "arguments" | "output") =>
    keys.flatMap((key) => ("source" in key && key.source === source ? [key.path] : []));
  const counted = tool.aggregates.flatMap((index) => {
    const { per, path, metric } = program.aggregates[index] ?? {};
    return [...(per === undefined ? [] : [per]), ...(metric === "count_distinct" && path ? [path] : [])];
  });
  return {
    args: [...asked, ...watches.flatMap(({ resource }) => resource ?? []), ...counted, ...keysOf("arguments")],
    output: [...watches.flatMap(({ withOutput }) => withOutput.map(({ path }) => path)), ...keysOf("output")],
  };
}

function numbersAt(paths: readonly JsonPath[], value: Json): ReadonlySet<number> {
  const found = paths.flatMap((path) => readAll(path, value));
  return new Set(found.filter((each) => typeof each === "number"));
}

/** The session after a call that counts, whatever the guard says to it. */
function afterCall(program: Program, before: Session, tool: Tool, args: JsonObject, output: Json): Session {
  const session = copyOf(before);
  const callId = callIdOf(session.issued + 1);
  advance(program, session, { kind: "reserved", callId, tool: tool.name, args, isApproved: false });
  advance(program, session, { kind: "settled", callId, ending: "committed", output, sign: "success" });
  return session;
}

/** Makes the calls of a sequence, whatever the guard says to them; null where it has steps that are not followed. */
export function markedCalls(
  program: Program,
  actions: readonly Action[],
  numbers: Numbers,
): readonly MarkedCall[] | null {
  const calls: MarkedCall[] = [];
  let [before, markedBefore] = [newSession(program), newSession(program)];
  for (const action of actions) {
    if (action.kind === "settle") return null;
    if (action.kind !== "call") {
      before = signalled(program, before, action);
      markedBefore = signalled(program, markedBefore, action);
      continue;
    }
    const tool = program.tools.get(action.tool);
    if (tool === undefined || action.outcome.kind !== "result") return null;
    const { args } = action;
    const { output } = action.outcome;
    const kept = keptPaths(program, tool);
    const marked = numbers.markedObject(args, numbersAt(kept.args, args));
    const markedOutput = numbers.marked(output, numbersAt(kept.output, output));
    calls.push({ tool, args, marked, output, markedOutput, before, markedBefore });
    before = afterCall(program, before, tool, args, output);
    markedBefore = afterCall(program, markedBefore, tool, marked, markedOutput);
  }
  return calls;
}

/** The actions with numbers in place of the marks. */
export function filledActions(
  actions: readonly Action[],
  calls: readonly MarkedCall[],
  filled: { readonly marks: Numbers; readonly values: readonly number[] },
): readonly Action[] {
  const left = [...calls];
  return actions.map((action) => {
    const call = action.kind === "call" ? left.shift() : undefined;
    if (action.kind !== "call" || call === undefined) return action;
    const output = filled.marks.filled(call.markedOutput, filled.values);
    return {
      ...action,
      args: filled.marks.filledObject(call.marked, filled.values),
      outcome: { kind: "result", output },
    };
  });
}
