import type { Answer, AppendQuestion } from "./messages.js";
import type { OpenFile } from "./open-file.js";
import { sqliteFailure } from "./sqlite-failure.js";

function failed({ place }: OpenFile, cause: unknown): Answer {
  const { code, message } = sqliteFailure(place.shown, cause);
  return { kind: "failed", code, message };
}

/** One append alone in its transaction, which is taken back if it fails. */
function appendAlone({ table }: OpenFile, { appendId, writes, time }: AppendQuestion): Answer {
  return { kind: "append", result: { kind: table.append(appendId, writes, time), now: null } };
}

/** One append within the transaction of all: what it cannot write whole it takes back, and the others stay. */
function appendOne(file: OpenFile, append: AppendQuestion): Answer {
  const { connection } = file;
  connection.exec("savepoint one");
  try {
    const answer = appendAlone(file, append);
    connection.exec("release one");
    return answer;
  } catch (cause) {
    // Where the failure ended the whole transaction this throws, and all fail.
    connection.exec("rollback to one; release one");
    return failed(file, cause);
  }
}

/**
 * Records the appends that came together in one transaction: one wait for the disk for all of them. None is answered
 * before that, and each as if it had been alone.
 */
export function appendAll(file: OpenFile, appends: readonly AppendQuestion[]): readonly Answer[] {
  try {
    file.connection.exec("begin immediate");
    const write = appends.length === 1 ? appendAlone : appendOne;
    const answers = appends.map((append) => write(file, append));
    file.connection.exec("commit");
    return answers;
  } catch (cause) {
    endTransaction(file);
    const answer = failed(file, cause);
    return appends.map(() => answer);
  }
}

/** Ends a transaction that failed; some failures have ended it themselves. */
export function endTransaction({ connection }: OpenFile): void {
  try {
    connection.exec("rollback");
  } catch {
    // There was none left.
  }
}
