import { SESSION_PREFIX, sessionOf, sessionStream, WORKFLOW_PREFIX } from "../guard/durable/streams.js";
import type { DurableStore, ListedStream } from "../guard/durable-store.js";
import type { SessionEnd } from "./chain.js";
import { headLine, recordLine } from "./export-line.js";
import { workflowLog } from "./log-name.js";
import { isDeleted, recordsOf, streamsOf } from "./stored-streams.js";

/** So that no line is too long, whatever the names of the sessions are. */
const SESSIONS_OF_A_HEAD = 1000;

/** There is no such session, or not any more. */
export class UnknownSession extends Error {}

/** The streams of all sessions in the order of their names, or that of one of them. */
export async function* sessionStreams(store: DurableStore, only: string | null): AsyncGenerator<ListedStream> {
  if (only === null) {
    yield* streamsOf(store, SESSION_PREFIX);
    return;
  }
  const stream = sessionStream(only);
  const [found] = await store.list({ prefix: stream, limit: 1 });
  if (found?.stream !== stream) throw new UnknownSession("the store has no such session");
  yield found;
}

/** All logs of a store, sessions first, or that of one session. */
async function* logs(
  store: DurableStore,
  only: string | null,
): AsyncGenerator<ListedStream & { readonly name: string }> {
  for await (const listed of sessionStreams(store, only)) yield { ...listed, name: sessionOf(listed.stream) };
  if (only !== null) return;
  for await (const listed of streamsOf(store, WORKFLOW_PREFIX)) yield { ...listed, name: workflowLog(listed.stream) };
}

/** The lines of an export: each record with its session or its workflow, and at the end where each of them ends. */
export async function* exportLines(store: DurableStore, only: string | null): AsyncGenerator<string> {
  const ends: SessionEnd[] = [];
  let records = 0;
  for await (const { stream, revision, name: session } of logs(store, only)) {
    let end: SessionEnd = { session, count: 0, hash: null };
    for await (const { data } of recordsOf(store, stream, revision)) {
      const { line, hash } = recordLine(session, data);
      end = { session, count: end.count + 1, hash };
      yield line;
    }
    if (end.count < revision && (await isDeleted(store, stream))) {
      if (end.count === 0) continue;
      // Part of a session must not be taken for all of it.
      throw new UnknownSession("a session was deleted while it was exported: export again");
    }
    records += end.count;
    ends.push(end);
  }
  for (let from = 0; from === 0 || from < ends.length; from += SESSIONS_OF_A_HEAD) {
    const to = from + SESSIONS_OF_A_HEAD;
    yield headLine({ records, sessions: ends.slice(from, to), more: to < ends.length });
  }
}
