import { randomUUID } from "node:crypto";
import type { Artifact } from "../../artifact/compiled.js";
import { backoff } from "../../base/backoff.js";
import { BadRecord } from "../../guard/durable/log-record.js";
import type { Note, Operator } from "../../guard/durable/note.js";
import { keepArtifact } from "../../guard/durable/open-session.js";
import { decodeSession, encodeSnapshot } from "../../guard/durable/session-snapshot.js";
import type { DurableStore } from "../../guard/durable-store.js";
import { prepareProgram } from "../../guard/program/prepare-program.js";
import type { Program } from "../../guard/program/program.js";
import { packOf, trustedArtifact } from "../../guard/resolved-options.js";
import { appendInTime } from "../../guard/session/append-in-time.js";
import type { Session } from "../../guard/session/session.js";
import { pause } from "../../guard/session/store.js";
import { StoreUnavailable } from "../../guard/session/store-errors.js";
import { type OperatedSession, operate } from "../operated-session.js";
import { checkedOperator } from "../operator.js";
import { type OperatorOptions, StoreAccess } from "../store-access.js";
import { carriedSession } from "./carried-session.js";
import { boundReasons, structuralReasons } from "./reasons.js";

/** Whether a session goes on under another artifact, or everything that speaks against it. */
export type Migration = { readonly ok: true } | { readonly ok: false; readonly reasons: readonly string[] };

/** How a session is moved. Who moves it and why is recorded where it is given, both or neither. */
export interface MigrationOptions extends OperatorOptions, Partial<Operator> {}

/** How often the session is looked at again because its guards went on meanwhile. */
const MOST_ATTEMPTS = 10;
const BETWEEN_ATTEMPTS = { firstMs: 1, longestMs: 100, spread: 1 };

/** The session under the new program, read as a guard would read it; or the reasons why not. */
function carried(given: OperatedSession, next: Program): Session | readonly string[] {
  const { program, clock } = given;
  const { session } = given.ledger;
  const reasons = structuralReasons({ program, session }, next, clock.now());
  if (reasons.length > 0) return reasons;
  try {
    const state: unknown = JSON.parse(JSON.stringify(encodeSnapshot(carriedSession({ program, session }, next))));
    const moved = decodeSession(next, state);
    const outside = boundReasons({ program: next, session: moved });
    return outside.length > 0 ? outside : moved;
  } catch (cause) {
    if (cause instanceof BadRecord) return [`the state does not fit the pack: ${cause.message}`];
    throw cause;
  }
}

/** The new program for the role of the session, or why there is none. */
function programFor(artifact: Artifact, role: string | null, { env }: StoreAccess): Program | readonly string[] {
  try {
    return prepareProgram(artifact, packOf(artifact, role ?? undefined), { env, principal: null });
  } catch (cause) {
    if (cause instanceof TypeError) return [cause.message];
    throw cause;
  }
}

function isList(value: object | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

/** One attempt; null if the session changed meanwhile. */
async function attempt(
  given: OperatedSession,
  artifact: Artifact,
  { access, operator }: { readonly access: StoreAccess; readonly operator: Operator | null },
): Promise<Migration | null> {
  const from = given.program.artifact.hash;
  if (from === artifact.hash) return { ok: true };
  const { workflow } = given;
  if (workflow !== null) {
    const why = `it is a session of the workflow \`${workflow}\`, whose sessions are judged by one artifact`;
    return { ok: false, reasons: [why] };
  }
  if (artifact.workflow !== null && given.role === null) {
    const why = "the artifact has a workflow, and its sessions begin there: start one with `openWorkflow`";
    return { ok: false, reasons: [why] };
  }
  const next = programFor(artifact, given.role, access);
  if (isList(next)) return { ok: false, reasons: next };
  const after = carried(given, next);
  if (isList(after)) return { ok: false, reasons: after };
  const { store, times } = access;
  await keepArtifact(store, artifact, times.storeTimeoutMs);
  const note: Note = operator === null ? { migrated: { from } } : { migrated: { from }, operator };
  const step = { id: randomUUID(), events: [], note, after, isSettlement: false, isBase: true };
  const wait = { ms: times.storeTimeoutMs, isIdle: false };
  return (await appendInTime(given.log.under(next), step, wait)) ? { ok: true } : null;
}

function operatorOf({ by, why }: Partial<Operator>): Operator | null {
  return by === undefined && why === undefined ? null : checkedOperator({ by, why });
}

/**
 * Moves a session to another artifact, if what it has counted, bound and left unsettled means the same there. Guards that are
 * open under the old one are refused from then on (`artifact_changed`).
 */
export async function migrateSession(
  store: DurableStore,
  sessionId: string,
  artifact: Artifact | null,
  options: MigrationOptions = {},
): Promise<Migration> {
  const trusted = trustedArtifact(artifact);
  const [access, operator] = [new StoreAccess(store, options), operatorOf(options)];
  for (let count = 1; count <= MOST_ATTEMPTS; count++) {
    if (count > 1) await pause({ ms: backoff(count, BETWEEN_ATTEMPTS), isIdle: false });
    const done = await operate(access, sessionId, (given) => attempt(given, trusted, { access, operator }));
    if (done !== null) return done;
  }
  throw new StoreUnavailable("the session could not be moved", { reason: "store_contended" });
}
