import { JSONPath } from "jsonpath-plus";
import type { Json } from "../../base/json.js";
import { recordedError } from "../../guard/session/recorded-error.js";
import { decodedArguments, decodedOutput, errorIn, textAt } from "../formats/members.js";
import { idOf, labelsOf, principalOf, timeOf } from "../formats/plain-session.js";
import { type Beside, type TracedCall, type TracedSession, UnreadableTrace } from "../traced-session.js";

/** What a mapping may name: paths from the line, and paths from each call. */
export const OF_SESSION = ["id", "principal", "labels", "calls"] as const;
export const OF_CALL = ["tool", "arguments", "output", "error", "step", "at"] as const;
export const REQUIRED = ["calls", "tool"] as const;

export type MappingKey = (typeof OF_SESSION)[number] | (typeof OF_CALL)[number];

/** Where the parts of a session stand in a line, as JSONPath. */
export type Mapping = Readonly<Partial<Record<MappingKey, string>>> & {
  readonly [K in (typeof REQUIRED)[number]]: string;
};

const NOTHING: readonly Beside[] = [];
const STEP: readonly Beside[] = [{ kind: "step" }];

/** All values that a path finds. Filters are evaluated by the library's own small language, never as code. */
export function valuesAt(key: string, path: string, json: Json): readonly Json[] {
  if (typeof json !== "object" || json === null) return [];
  try {
    const found: unknown = JSONPath({ path, json, eval: "safe", wrap: true });
    return Array.isArray(found) ? (found as readonly Json[]) : [];
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unknown error";
    throw new UnreadableTrace(`the path of \`${key}\` in the mapping cannot be evaluated: ${why}`);
  }
}

/** Whose paths lose calls, or what they were called with, where they are misspelt. */
const NEEDED = ["calls", "arguments"] as const;

/** The paths of a mapping that found nothing in all lines that it read, though they should have. */
export function misses(mapping: Mapping, found: ReadonlySet<MappingKey>): readonly MappingKey[] {
  return NEEDED.filter(
    (key) => mapping[key] !== undefined && !found.has(key) && (key === "calls" || found.has("calls")),
  );
}

/** Reads lines through a mapping; `seen` gets the keys whose paths found something. */
export function mappedBy(mapping: Mapping, seen = new Set<MappingKey>()): (line: Json) => TracedSession {
  const first = (key: MappingKey, json: Json): Json | undefined => {
    const path = mapping[key];
    const value = path === undefined ? undefined : valuesAt(key, path, json)[0];
    if (value !== undefined) seen.add(key);
    return value === null ? undefined : value;
  };

  const callOf = (value: Json, where: string, stepBefore: Json | undefined) => {
    const error = errorIn(first("error", value));
    const [output] = mapping.output === undefined ? [] : valuesAt("output", mapping.output, value);
    const step = first("step", value);
    const call: TracedCall = {
      tool: textAt(first("tool", value), `\`tool\` of ${where}`),
      args: decodedArguments(first("arguments", value)),
      outcome:
        error !== undefined
          ? recordedError(error)
          : output === undefined
            ? undefined
            : { kind: "result", output: decodedOutput(output) },
      before: step !== undefined && step !== stepBefore ? STEP : NOTHING,
      at: timeOf(first("at", value), `\`at\` of ${where}`),
    };
    return { call, step: step ?? stepBefore };
  };

  return (line) => {
    // No path finds anything there, so that its calls would be left out in silence.
    if (typeof line !== "object" || line === null) throw new UnreadableTrace("it is no object and no list");
    const calls: TracedCall[] = [];
    let step: Json | undefined;
    // A path that names a list means its items.
    const found = valuesAt("calls", mapping.calls, line).flatMap((value) => (Array.isArray(value) ? value : [value]));
    if (found.length > 0) seen.add("calls");
    for (const [index, value] of found.entries()) {
      const read = callOf(value, `call ${index + 1}`, step);
      step = read.step;
      calls.push(read.call);
    }
    return {
      id: idOf(first("id", line)),
      principal: principalOf(first("principal", line)),
      labels: labels(line),
      calls,
    };
  };

  function labels(line: Json): readonly string[] {
    if (mapping.labels === undefined) return [];
    const found = valuesAt("labels", mapping.labels, line);
    return labelsOf(found.flatMap((value) => (Array.isArray(value) ? value : [value])));
  }
}
