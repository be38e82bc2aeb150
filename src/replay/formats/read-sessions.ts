import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { type TracedSession, UnreadableTrace } from "../traced-session.js";
import { checkRest } from "./known-parts.js";
import { given } from "./members.js";
import { plainSession } from "./plain-session.js";
import { isRecord, RecordedLog } from "./recorded-log.js";
import { transcriptSession } from "./transcript.js";

/** Reads sessions of a form that only the user knows. */
export type Mapped = (line: Json) => TracedSession;

const EXPECTED =
  "expected an object with `calls`, a transcript with `messages`, or a record of `contracts audit export`; for any other form give --map";

/** What is said in the responses API: what went in, and what came out. */
function itemsOf(body: JsonObject): readonly Json[] | null {
  const { input, output } = body;
  const items = [...(isJsonList(input) ? input : []), ...(isJsonList(output) ? output : [])];
  return items.length === 0 ? null : items;
}

/** Whether an item of a list is a message, and no session that says of which type it is. */
function isMessage(item: Json): boolean {
  if (!isJsonObject(item) || isJsonList(item.calls) || isJsonList(item.messages)) return false;
  return "role" in item || "type" in item;
}

/** Reads the sessions of a file, line by line. */
export class SessionReader {
  private readonly log = new RecordedLog();

  constructor(private readonly mapped: Mapped | null) {}

  /** The sessions that a line completes. */
  read(line: Json): readonly TracedSession[] {
    if (this.mapped !== null) return [this.mapped(line)];
    if (isJsonList(line)) return this.readList(line, false);
    if (!isJsonObject(line)) throw new UnreadableTrace(`it is no object; ${EXPECTED}`);
    if (isRecord(line)) {
      const ended = this.log.add(line);
      return ended === null ? [] : [ended];
    }
    return [sessionOf(line)];
  }

  /** What is left when the file has ended. */
  end(): readonly TracedSession[] {
    const last = this.log.end();
    return last === null ? [] : [last];
  }

  /** A list of sessions, or one of messages; a session of such a list may be a list of messages. */
  private readList(list: readonly Json[], isNested: boolean): readonly TracedSession[] {
    if (list.every(isMessage)) return [transcriptSession(list, "", {})];
    if (isNested) throw new UnreadableTrace(`a list in it is not one of messages; ${EXPECTED}`);
    return list.flatMap((item) => (isJsonList(item) ? this.readList(item, true) : this.read(item)));
  }
}

function sessionOf(line: JsonObject): TracedSession {
  if (isJsonList(line.calls)) return plainSession(line);
  const said = saidIn(line);
  if (said === null) throw new UnreadableTrace(EXPECTED);
  checkRest(line, said.read);
  return transcriptSession(said.list, said.where, line);
}

/** What a line says in messages or items, and the members that this is read from. */
function saidIn(line: JsonObject): { list: readonly Json[]; where: string; read: readonly string[] } | null {
  if (isJsonList(line.messages)) return { list: line.messages, where: "messages", read: ["messages"] };
  const items = itemsOf(line);
  if (items !== null) {
    return { list: items, where: "items", read: ["input", "output"].filter((name) => isJsonList(line[name])) };
  }
  // An agent may answer without messages: then it made no call that could be judged.
  return typeof given(line, "final_response") === "string" ? { list: [], where: "messages", read: [] } : null;
}
