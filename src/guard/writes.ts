import type { Json } from "../base/json.js";
import type { JsonPath } from "../base/json-path.js";
import type { Tool } from "./program.js";
import { readDefinite } from "./read-path.js";
import { type Call, type Session, UNKNOWN, type Write, type Writes } from "./session.js";

/** Stands for an output that will never come; no tool can answer this very object. */
export const NO_OUTPUT: Json = Object.freeze({});

/** Drops the writes that a later one of a settled call makes irrelevant. */
function relevant(writes: Writes): Writes {
  const last = writes.findLastIndex(({ openCall }) => openCall === null);
  return last <= 0 ? writes : writes.slice(last);
}

function valueAt(path: JsonPath, from: Json): Json | undefined {
  return from === NO_OUTPUT || path.kind !== "definite" ? undefined : readDefinite(path.steps, from);
}

/** What a committed call writes; while its output is still to come (`undefined`) the write stays open. */
function written(
  call: Call,
  { source, path }: { readonly source: "arguments" | "output"; readonly path: JsonPath },
  output: Json | undefined,
): Write {
  const openCall = output === undefined ? call.id : null;
  if (source === "arguments") return { value: valueAt(path, call.args), openCall, awaited: null };
  return output === undefined
    ? { value: UNKNOWN, openCall, awaited: path }
    : { value: valueAt(path, output), openCall, awaited: null };
}

/** Changes everything that calls of a tool write to. */
function changeWrites(
  session: Session,
  { binds, stages }: Tool,
  change: (writes: Writes, from: { readonly source: "arguments" | "output"; readonly path: JsonPath }) => Writes,
): void {
  for (const bind of binds) session.slots.set(bind.slot, relevant(change(session.slots.get(bind.slot) ?? [], bind)));
  for (const { envelope, stage, writes: name } of stages) {
    const references = session.references[envelope];
    if (name !== null) references?.set(name, relevant(change(references.get(name) ?? [], stage)));
  }
}

/** Writes what a committed call binds and stages; an output that is still to come is `undefined`. */
export function writeValues(session: Session, call: Call, output: Json | undefined): void {
  changeWrites(session, call.tool, (writes, from) => [...writes, written(call, from, output)]);
}

/** The output of a call committed at dispatch arrived, or will never come; undefined where it broke a rule and writes nothing. */
export function settleWrites(session: Session, call: Call, output: Json | undefined): void {
  changeWrites(session, call.tool, (writes) =>
    writes.flatMap((write) => {
      if (write.openCall !== call.id) return [write];
      if (write.awaited === null) return [{ ...write, openCall: null }];
      return output === undefined ? [] : [{ value: valueAt(write.awaited, output), openCall: null, awaited: null }];
    }),
  );
}
