import { isRecord, type JsonRecord } from "./json.js";
import type { Run } from "./run.js";

/** The header that an agent's owner registered, with its whole value. */
export interface AuthHeader {
  readonly name: string;
  readonly value: string;
}

export interface EnvelopeChanges {
  readonly userInstruction?: string;
  /** The state of the row; the agent finds it at `input.input`. */
  readonly input?: JsonRecord;
  /** The conversation so far, as replay mode sends it. */
  readonly messages?: readonly unknown[];
  readonly authHeader?: AuthHeader;
  /** Fields to leave out, by path: `run_id`, `input.user_instruction`. */
  readonly omitFromBody?: readonly string[];
  /** Headers to leave out, in any case. */
  readonly omitHeaders?: readonly string[];
  /** Top-level fields that replace those of the body. */
  readonly bodyFields?: JsonRecord;
  /** Headers that are added, or replace those of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
}

const INSTRUCTION = "Refund order 4521 if it was sent more than 30 days ago.";

function without(fields: JsonRecord, path: readonly string[]): JsonRecord {
  const [first = "", ...rest] = path;
  const inner = fields[first];
  if (rest.length > 0) return isRecord(inner) ? { ...fields, [first]: without(inner, rest) } : fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== first));
}

/** The body of a dispatch; numbers for ids, and no token. */
export function dispatchBody(run: Run, changes: EnvelopeChanges): JsonRecord {
  const { userInstruction = INSTRUCTION, input = {}, messages, omitFromBody = [], bodyFields = {} } = changes;
  const whole: JsonRecord = {
    task_id: run.taskId,
    run_id: run.runId,
    agent_id: run.agentId,
    input: {
      task_id: run.taskId,
      user_instruction: userInstruction,
      input,
      ...(messages === undefined ? {} : { messages }),
    },
    odyssey_proxy_url: run.proxyUrl,
    run_token_jti: run.jti,
    ...bodyFields,
  };
  return omitFromBody.reduce((fields, path) => without(fields, path.split(".")), whole);
}

/** The headers of a dispatch; ids are text here. */
export function dispatchHeaders(run: Run, changes: EnvelopeChanges): Readonly<Record<string, string>> {
  const { authHeader, omitHeaders = [], headers = {} } = changes;
  const replaced = new Set([...omitHeaders, ...Object.keys(headers)].map((name) => name.toLowerCase()));
  const ordinary: Readonly<Record<string, string>> = {
    "Content-Type": "application/json",
    "X-Pipelines-Run-Token": run.runToken,
    "X-Pipelines-Odyssey-Proxy-Url": run.proxyUrl,
    "X-Pipelines-Run-Id": String(run.runId),
    "X-Pipelines-Task-Id": String(run.taskId),
    "X-Pipelines-Run-Token-Jti": run.jti,
    ...(authHeader === undefined ? {} : { [authHeader.name]: authHeader.value }),
  };
  const kept = Object.entries(ordinary).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...headers };
}
