import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { contentOf, decodeRecord } from "../../guard/durable/log-record.js";
import { opened } from "../../guard/durable/sealing.js";
import { sessionStream } from "../../guard/durable/streams.js";
import type { GuardOptions } from "../../guard/public.js";
import { answerOf } from "../../guard/session/store.js";
import { StoreUnavailable } from "../../guard/session/store-errors.js";
import type { WorkflowParts } from "./workflow-parts.js";

/** What a session was started with. */
interface Opened {
  readonly mode: NonNullable<GuardOptions["mode"]>;
  readonly requester: string | null;
  readonly artifacts: JsonObject;
}

const READ = "the first record of the session could not be read";

function modeIn(mode: unknown): Opened["mode"] {
  return mode === "shadow" || mode === "log-only" ? mode : "enforce";
}

/** Reads what a session was started with: its first record has it. */
export async function openedNote(parts: WorkflowParts, sessionId: string): Promise<Opened> {
  const { options, sealing, storeTimeoutMs } = parts;
  const wait = { ms: storeTimeoutMs, isIdle: false };
  const read = await answerOf(READ, () => options.store.read(sessionStream(sessionId), 0, 1), wait);
  const [first]: readonly { readonly data?: unknown }[] = Array.isArray(read) ? read : [];
  try {
    const { content } = decodeRecord(String(first?.data));
    const { note } =
      "sealed" in content && sealing !== null
        ? contentOf(Object(await opened(sealing, content.sealed, wait)))
        : "sealed" in content
          ? { note: null }
          : content;
    if (note?.opened === undefined) throw new StoreUnavailable(READ);
    const { mode, requester, artifacts } = note.opened;
    const brought: Json | undefined = artifacts;
    return { mode: modeIn(mode), requester: requester ?? null, artifacts: isJsonObject(brought) ? brought : {} };
  } catch (cause) {
    throw cause instanceof StoreUnavailable ? cause : new StoreUnavailable(READ, { thrown: cause });
  }
}
