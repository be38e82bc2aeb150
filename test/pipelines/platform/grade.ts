import type { IncomingHttpHeaders } from "node:http";
import { type ErrorClass, errorClassOf } from "./error-class.js";
import { hasAssistantText, ingestMessages } from "./ingest-messages.js";
import { isRecord, type JsonRecord, parseJson } from "./json.js";
import type { Posted } from "./post.js";
import type { SoftWarning } from "./soft-warning.js";

/** The one value that asks for a rich transcript. */
export interface ResponseContract {
  readonly response_mode: "rich";
  readonly strictness: "strict";
}

export interface GradeOptions {
  readonly responseContract?: ResponseContract | null;
  /** The reply is one turn of a conversation: `message` is its field, `final_response` another name for it. */
  readonly turn?: boolean;
}

/** What the platform makes of a dispatch. */
export interface DispatchResult {
  /** Null where no reply came. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The reply as JSON, undefined where it is none. */
  readonly body: unknown;
  readonly errorClass: ErrorClass | null;
  /** More about the error: the start of the reply, or the code of the connection's failure. */
  readonly detail: string | null;
  readonly softWarnings: readonly SoftWarning[];
  /** `final_response`, or the `message` of a turn. */
  readonly answer: string | null;
  readonly normalised: readonly JsonRecord[] | null;
  readonly metadata: JsonRecord | null;
  readonly sessionDone: boolean;
  /** False where the judge never saw the run. */
  readonly judged: boolean;
}

const DETAIL_CHARACTERS = 500;
const ANSWER_CHARACTERS = 50_000;

const NOTHING: DispatchResult = {
  status: null,
  headers: {},
  text: "",
  body: undefined,
  errorClass: null,
  detail: null,
  softWarnings: [],
  answer: null,
  normalised: null,
  metadata: null,
  sessionDone: false,
  judged: false,
};

interface Part<T> {
  readonly value: T;
  readonly softWarnings: readonly SoftWarning[];
}

function answerOf(body: JsonRecord, isTurn: boolean): string | null {
  const candidates = isTurn ? [body.message, body.final_response] : [body.final_response];
  return candidates.find((candidate) => typeof candidate === "string") ?? null;
}

function shortened(answer: string): Part<string> {
  const path = "final_response";
  if (answer.trim() === "") return { value: answer, softWarnings: [{ code: "final_response_empty", path }] };
  if (answer.length <= ANSWER_CHARACTERS) return { value: answer, softWarnings: [] };
  return { value: answer.slice(0, ANSWER_CHARACTERS), softWarnings: [{ code: "final_response_truncated", path }] };
}

function metadataOf({ metadata }: JsonRecord): Part<JsonRecord | null> {
  if (metadata === undefined || metadata === null) return { value: null, softWarnings: [] };
  if (isRecord(metadata)) return { value: metadata, softWarnings: [] };
  return { value: null, softWarnings: [{ code: "metadata_malformed", path: "metadata" }] };
}

function sessionDoneOf({ session_done }: JsonRecord, isTurn: boolean): Part<boolean> {
  if (!isTurn || session_done === undefined) return { value: false, softWarnings: [] };
  if (typeof session_done === "boolean") return { value: session_done, softWarnings: [] };
  return { value: false, softWarnings: [{ code: "session_done_malformed", path: "session_done" }] };
}

/** Grades a reply that has all it needs; only the guard can still fail it. */
function gradeAnswer(body: JsonRecord, given: string, { responseContract, turn = false }: GradeOptions) {
  const answer = shortened(given);
  const transcript = ingestMessages(body.messages);
  const metadata = metadataOf(body);
  const sessionDone = sessionDoneOf(body, turn);
  const isGuarded = responseContract !== undefined && responseContract !== null;
  const errorClass: ErrorClass | null =
    isGuarded && !hasAssistantText(transcript.messages) ? "response_contract_violation" : null;
  return {
    errorClass,
    judged: errorClass === null,
    answer: answer.value,
    normalised: transcript.messages,
    metadata: metadata.value,
    sessionDone: sessionDone.value,
    softWarnings: [answer, transcript, metadata, sessionDone].flatMap((part) => part.softWarnings),
  };
}

/** Grades what came back from an agent as the platform does. */
export function grade(posted: Posted, options: GradeOptions): DispatchResult {
  if (posted.kind === "timeout") return { ...NOTHING, errorClass: "agent_timeout" };
  if (posted.kind === "failure") return { ...NOTHING, errorClass: "agent_unreachable", detail: posted.code };
  const { status, headers, text } = posted;
  const body = parseJson(text);
  const seen = { ...NOTHING, status, headers, text, body };
  const errorClass = errorClassOf(status);
  if (errorClass !== null) return { ...seen, errorClass, detail: text.slice(0, DETAIL_CHARACTERS) };
  const answer = isRecord(body) ? answerOf(body, options.turn ?? false) : null;
  if (!isRecord(body) || answer === null)
    return { ...seen, errorClass: "agent_bad_response", detail: text.slice(0, DETAIL_CHARACTERS) };
  return { ...seen, ...gradeAnswer(body, answer, options) };
}
