import type { Artifact } from "../../artifact/compiled.js";
import { encodeArtifact } from "../../artifact/encode.js";
import { packName } from "../../artifact/pack-name.js";
import type { DurableStore } from "../durable-store.js";
import { ledgerTimes } from "../ledger-times.js";
import type { Program } from "../program/program.js";
import type { Clock, GuardOptions } from "../public.js";
import { environmentOf, type ResolvedOptions } from "../resolved-options.js";
import { Ledger } from "../session/ledger.js";
import { answerOf } from "../session/store.js";
import { StoreUnavailable } from "../session/store-errors.js";
import { DurableLog } from "./durable-log.js";
import { killMoved } from "./kill-moved.js";
import { neededFields } from "./needed-fields.js";
import type { Note } from "./note.js";
import { Recording } from "./recording.js";
import { sealingOf } from "./sealing.js";
import { StoreClock } from "./store-clock.js";
import { artifactStream, isStorable } from "./streams.js";

/** A session in a durable store, read and ready for decisions. */
export interface OpenSession {
  readonly ledger: Ledger;
  readonly recording: Recording;
  readonly clock: Clock;
}

/** The artifacts that a store is known to have. */
const kept = new WeakMap<DurableStore, Set<string>>();

/** Puts the artifact into the store, so that whoever has the store can read the session. */
export async function keepArtifact(store: DurableStore, artifact: Artifact, ms: number): Promise<void> {
  const known = kept.get(store) ?? new Set<string>();
  kept.set(store, known);
  if (known.has(artifact.hash)) return;
  const stream = artifactStream(artifact.hash);
  const what = "the artifact could not be recorded";
  const listed = await answerOf(what, () => store.list({ prefix: stream, limit: 1 }), { ms, isIdle: false });
  if (!Array.isArray(listed)) throw new StoreUnavailable(what);
  if (listed.length === 0) {
    const records = [encodeArtifact(artifact)];
    const write = { stream, expectedRevision: 0, records, head: "{}" };
    const answer = await answerOf(what, () => store.append(artifact.hash, [write]), { ms, isIdle: false });
    const { kind }: { readonly kind?: unknown } = Object(answer);
    // In a conflict somebody else has just put the same one there.
    if (kind !== "appended" && kind !== "conflict") throw new StoreUnavailable(what);
  }
  known.add(artifact.hash);
}

function openedNote({ pack }: Program, options: ResolvedOptions, role: string | null): Note {
  const { sessionId: session, mode, requester } = options;
  const named = requester === null ? {} : { requester };
  return { opened: { session, agent: packName(pack), role, mode, ...named } };
}

/** Opens a session in a durable store, or begins it there. */
export async function openSession(
  store: DurableStore,
  program: Program,
  {
    options,
    given,
    role,
  }: { readonly options: ResolvedOptions; readonly given: GuardOptions; readonly role: string | null },
): Promise<OpenSession> {
  const { sessionId, principal, guardId, mode, unmatched } = options;
  const { storeArguments = "needed" } = given;
  if (!isStorable(sessionId)) {
    throw new TypeError("a stored `sessionId` has at most 504 bytes, and neither U+0000 nor half of a surrogate pair");
  }
  const times = ledgerTimes(given);
  const clock = new StoreClock(options.clock);
  const sealing = sealingOf(given) ?? sealingOf(store);
  const parts = { store, program, sessionId, role, guardId, clock, sealing };
  const log = new DurableLog(parts);
  const setting = { ...times, env: environmentOf(given) };
  const ledger = new Ledger(program, {
    ...{ log, ...times },
    killMoved: (why) => killMoved(parts, why, setting),
  });
  await ledger.open();
  if (log.isEmpty) {
    await keepArtifact(store, program.artifact, times.storeTimeoutMs);
    const note = openedNote(program, options, role);
    await ledger.transact(() => ({ events: [], result: undefined, ...(log.isEmpty ? { note } : {}) }));
  }
  const needed = storeArguments === "all" ? null : neededFields(program);
  return { ledger, clock, recording: new Recording({ sessionId, principal, clock, needed, mode, unmatched }) };
}
