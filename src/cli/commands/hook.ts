import { answerEvent } from "../../adapters/hook/answer-event.js";
import { type HookEvent, readHookEvent, UnreadableEvent } from "../../adapters/hook/hook-event.js";
import type { Artifact } from "../../artifact/compiled.js";
import { cleanLine } from "../../base/clean.js";
import type { DurableStore } from "../../guard/durable-store.js";
import { createGuard } from "../../guard/guard.js";
import type { Guard } from "../../guard/guard-api.js";
import { ExecutedButNotRecorded, isStoreUnavailable } from "../../guard/session/store-errors.js";
import { openStore } from "../../stores/open-store.js";
import { StoreError } from "../../stores/store-error.js";
import { storePlace } from "../../stores/store-url.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { principalOption } from "../principal-option.js";
import { readSource } from "../read-source.js";
import type { Terminal } from "../terminal.js";

/** What `hook` was asked to do. */
export interface HookArguments {
  readonly pack: string;
  readonly store: string;
  readonly session: string | null;
  readonly principal: string | null;
  readonly isManual: boolean;
  readonly unmatched: "block" | "allow";
  readonly waitSeconds: number;
}

/** Larger than any arguments that a guard judges. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A coding agent takes this code for a refusal before a call, and shows the model what was written to standard error. */
const REFUSED = EXIT.usage;

async function eventIn({ stdin = process.stdin }: Terminal): Promise<HookEvent> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stdin) {
    size += part.length;
    if (size > MOST_BYTES) throw new UsageError("the event holds more than 64 MiB");
    parts.push(part);
  }
  try {
    return readHookEvent(Buffer.concat(parts).toString("utf8"));
  } catch (cause) {
    throw cause instanceof UnreadableEvent ? new UsageError(cause.message) : cause;
  }
}

/** What keeps a session from being opened is told as it is; it quotes no arguments. */
async function opened(opening: Promise<Guard>): Promise<Guard> {
  try {
    return await opening;
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new UsageError(`the session cannot be opened: ${cause.message}`);
  }
}

async function answerIn(
  terminal: Terminal,
  given: HookArguments,
  { artifact, store, event }: { readonly artifact: Artifact; readonly store: DurableStore; readonly event: HookEvent },
): Promise<ExitCode> {
  const { session, principal, isManual, unmatched, waitSeconds } = given;
  const guard = await opened(
    createGuard(artifact, {
      store,
      unmatched,
      sessionId: session ?? event.session,
      env: terminal.env,
      ...principalOption(terminal, principal),
      ...(isManual ? { approver: "manual" as const } : {}),
    }),
  );
  const answer = await answerEvent(guard, event, waitSeconds * 1000);
  if (answer === null) return EXIT.clean;
  terminal.stderr.write(`${answer}\n`);
  return REFUSED;
}

async function answered(terminal: Terminal, given: HookArguments): Promise<ExitCode> {
  if (storePlace(given.store, terminal.cwd).kind === "memory") {
    throw new UsageError("a store in memory is gone with its process: name a sqlite or postgres store");
  }
  const event = await eventIn(terminal);
  // What a pack has to say of itself would be read as the answer.
  const source = readSource({ ...terminal, stdout: terminal.stderr }, given.pack);
  if (source === null) return REFUSED;
  const store = await openStore(given.store, { cwd: terminal.cwd });
  try {
    return await answerIn(terminal, given, { artifact: source.artifact, store, event });
  } finally {
    await store.close();
  }
}

/** Problems of the machine, or of what the command was given. Anything else is a bug, of which the message may quote arguments. */
function reasonOf(cause: unknown): string {
  const isReported = cause instanceof UsageError || cause instanceof StoreError || isStoreUnavailable(cause);
  if (isReported || cause instanceof ExecutedButNotRecorded) return cleanLine(cause.message);
  return `internal error (${cause instanceof Error ? cause.name : typeof cause})`;
}

/** Answers one event of a coding agent. Whatever goes wrong refuses the call: a hook that merely fails would let it through. */
export async function hookCommand(terminal: Terminal, given: HookArguments): Promise<ExitCode> {
  try {
    return await answered(terminal, given);
  } catch (cause) {
    terminal.stderr.write(`contracts hook: ${reasonOf(cause)}\n`);
    return REFUSED;
  }
}
