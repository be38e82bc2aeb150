import type { Artifact } from "../../artifact/compiled.js";
import { decodeArtifact } from "../../artifact/decode.js";
import type { ListedStream, LoadedStream } from "../durable-store.js";
import { prepareProgram } from "../program/prepare-program.js";
import type { Program } from "../program/program.js";
import { packOf } from "../resolved-options.js";
import { Ledger, type LedgerOptions } from "../session/ledger.js";
import { answerOf, type Wait } from "../session/store.js";
import { StoreUnavailable } from "../session/store-errors.js";
import { DurableLog, type LogParts } from "./durable-log.js";
import { isArtifactChanged } from "./log-errors.js";
import { decodeHead, type SessionHead } from "./session-head.js";
import { artifactStream, sessionStream } from "./streams.js";

type Setting = Pick<LedgerOptions, "storeTimeoutMs" | "settleTimeoutMs"> & {
  readonly env: Readonly<Record<string, string | undefined>>;
};

const WHAT = "the kill could not be recorded";

/**
 * Ends a session that was moved to another artifact, by a record under that artifact, which its guards read. False if this
 * guard cannot: the artifact is not in the store, or is none that it knows.
 */
export async function killMoved(parts: LogParts, why: string, { env, ...times }: Setting): Promise<boolean> {
  const wait = { ms: times.storeTimeoutMs, isIdle: false };
  const head = await headOf(parts, wait);
  const artifact = head === null ? null : await artifactOf(parts, head.artifact, wait);
  if (head === null || artifact === null) return false;
  const { role } = head;
  const program = programOf(artifact, role, env);
  if (program === null) return false;
  // No snapshot, as by an operator: there may be variables that only the guards of that artifact have.
  const ledger = new Ledger(program, {
    log: new DurableLog({ ...parts, program, role, writesSnapshots: false }),
    ...times,
  });
  try {
    await ledger.open();
    await ledger.transact(({ isKilled }) => ({ events: isKilled ? [] : [{ kind: "killed", why }], result: undefined }));
    return true;
  } catch (cause) {
    // Moved once more meanwhile.
    if (isArtifactChanged(cause)) throw new StoreUnavailable(WHAT, { reason: "store_contended" });
    throw cause;
  }
}

function programOf(artifact: Artifact, role: string | null, env: Setting["env"]): Program | null {
  try {
    return prepareProgram(artifact, packOf(artifact, role ?? undefined), { env, principal: null });
  } catch {
    return null;
  }
}

async function headOf({ store, sessionId }: LogParts, wait: Wait): Promise<SessionHead | null> {
  const prefix = sessionStream(sessionId);
  const listed = await answerOf(WHAT, () => store.list({ prefix, limit: 1 }), wait);
  const [found]: readonly (ListedStream | undefined)[] = Array.isArray(listed) ? listed : [];
  return found?.stream === prefix ? decodeHead(found.head) : null;
}

async function artifactOf({ store }: LogParts, hash: string, wait: Wait): Promise<Artifact | null> {
  const loaded = await answerOf(WHAT, () => store.load(artifactStream(hash)), wait);
  const { records = [] }: Partial<LoadedStream> = Object(loaded);
  const decoded = decodeArtifact(records[0]?.data ?? "");
  return decoded.ok && decoded.artifact.hash === hash ? decoded.artifact : null;
}
