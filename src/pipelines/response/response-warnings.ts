import { responsePath, type Steps } from "./response-path.js";

interface Kind {
  /** Whether the reply cannot be graded. */
  readonly fails: boolean;
  readonly says: string;
  readonly help: string;
}

/** Every finding on a reply: whether it fails the reply, what is expected, how to fix it. */
export const RESPONSE_WARNINGS = {
  not_json: {
    fails: true,
    says: "expected plain JSON",
    help: "return only objects, lists, strings, finite numbers, booleans and null",
  },
  not_an_object: { fails: true, says: "expected an object", help: "return an object that holds `final_response`" },
  missing_final_response: {
    fails: true,
    says: "expected a string",
    help: "return the answer to the user as a string in `final_response`",
  },
  missing_message: { fails: true, says: "expected a string", help: "return the answer of this turn in `message`" },
  no_assistant_text: {
    fails: true,
    says: "expected an assistant message with text: the response contract asks for one",
    help: 'add the answer to `messages` as { "role": "assistant", "content": "…" }',
  },
  empty_answer: {
    fails: false,
    says: "expected text, found only blanks or none",
    help: "return a sentence even if there is nothing to report: the judge reads it",
  },
  long_answer: {
    fails: false,
    says: "the platform truncates long answers: expected at most 50000 characters",
    help: "return the answer alone; what led to it belongs in `messages`",
  },
  final_response_alias: {
    fails: false,
    says: "`final_response` is read in its place: expected a string",
    help: "return the answer of a turn in `message`",
  },
  session_done_not_boolean: {
    fails: false,
    says: "expected true or false",
    help: "set `session_done` to true when the session is over, else leave it out",
  },
  malformed_messages: {
    fails: false,
    says: "expected messages by the schema",
    help: "fix the message: one that breaks the schema costs the whole transcript",
  },
  malformed_metadata: {
    fails: false,
    says: "expected an object",
    help: "return `metadata` as an object, or leave it out",
  },
  null_field: {
    fails: false,
    says: "expected no field rather than null; left out here, while the platform may drop all messages for it",
    help: "leave the field out if it has no value",
  },
  misplaced_tool_calls: {
    fails: false,
    says: "expected tool calls on assistant messages only",
    help: "move the calls to the assistant message that made them",
  },
  nameless_tool_call: {
    fails: false,
    says: "expected a string in `name` or `function.name`; the call is dropped",
    help: "name the tool in every call",
  },
  empty_tool_name: { fails: false, says: "expected the name of a tool, found an empty string", help: "name the tool" },
  hybrid_tool_call: {
    fails: false,
    says: "expected either `name` or `function`, found both; `name` is kept, while the platform may drop all messages",
    help: "send a call as { id, name, arguments }, without `function`",
  },
  foreign_call_type: {
    fails: false,
    says: 'expected "function" next to `function`; left out here, while the platform may drop all messages for it',
    help: "send a call as { id, name, arguments }, without `type`",
  },
  unreadable_arguments: {
    fails: false,
    says: "expected an object, or a string that holds one as JSON",
    help: "send the arguments of a call as an object",
  },
  missing_tool_call_id: {
    fails: false,
    says: "expected the id of the call that this message answers",
    help: "give the message the `id` of its call as `tool_call_id`",
  },
  unknown_tool_call_id: {
    fails: false,
    says: "expected the id of a call in an assistant message, found another",
    help: "use the `id` of the call as `tool_call_id`, and keep the message that made the call",
  },
  missing_turn_message: {
    fails: false,
    says: "expected the answer of this turn as an assistant message too",
    help: "add `message` to `messages` as the last assistant message",
  },
  token_count_not_integer: { fails: false, says: "expected an integer", help: "send token counts as whole numbers" },
  more_warnings: { fails: false, says: "expected fewer findings", help: "fix those listed, then check again" },
} as const satisfies Readonly<Record<string, Kind>>;

/** The name of one kind of finding; never renamed. */
export type ResponseWarningCode = keyof typeof RESPONSE_WARNINGS;

/** One finding; its message names types and expectations, never a value of the reply. */
export interface SoftWarning {
  readonly code: ResponseWarningCode;
  readonly path: string;
  readonly message: string;
}

/** The details of a finding. */
export interface Detail {
  /** Replaces what the kind expects. */
  readonly expected?: string;
  readonly found?: string;
}

/** Adds one finding. */
export type Warn = (code: ResponseWarningCode, steps: Steps, detail?: Detail) => void;

/** Of many faults of one kind only the first are listed. */
const MOST_OF_A_KIND = 100;

/** Collects the findings of one reply. */
export class ResponseWarnings {
  private readonly listed: SoftWarning[] = [];
  private readonly counts = new Map<ResponseWarningCode, number>();
  private unlisted = 0;

  readonly warn: Warn = (code, steps, { expected = RESPONSE_WARNINGS[code].says, found } = {}) => {
    const count = (this.counts.get(code) ?? 0) + 1;
    this.counts.set(code, count);
    if (count > MOST_OF_A_KIND) {
      this.unlisted += 1;
      return;
    }
    const message = found === undefined ? expected : `${expected}, found ${found}`;
    this.listed.push({ code, path: responsePath(steps), message });
  };

  has(code: ResponseWarningCode): boolean {
    return this.counts.has(code);
  }

  get fails(): boolean {
    return [...this.counts.keys()].some((code) => RESPONSE_WARNINGS[code].fails);
  }

  list(): readonly SoftWarning[] {
    if (this.unlisted === 0) return this.listed;
    const code = "more_warnings";
    const message = `${RESPONSE_WARNINGS[code].says}, found ${this.unlisted} more of the kinds listed`;
    return [...this.listed, { code, path: responsePath([]), message }];
  }
}

/** The type of a value in words; messages never show more of it. */
export function namedType(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
