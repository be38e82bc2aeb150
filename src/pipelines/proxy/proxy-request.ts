import { TOOL_NAME } from "../../base/tool-name.js";
import { ProxyError } from "./proxy-error.js";
import type { CheckedSetting } from "./proxy-options.js";

/** The largest body of a request or response, in bytes. */
export const MAX_BYTES = 1_048_576;

/** One call in the form of the wire; every attempt sends the same. */
export interface ProxyRequest {
  readonly tool: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly runToken: string;
}

/** A call that is refused before anything is sent. */
export function unsendable(code: string, message: string): ProxyError {
  return new ProxyError(message, { code, attempt: 1, sent: false });
}

/** The arguments as JSON text. Errors of `JSON.stringify` (cycles, big integers, getters) may quote them, so only the name is kept. */
function textOf(tool: string, args: unknown): string {
  try {
    const text: unknown = JSON.stringify(args);
    if (typeof text === "string" && text.startsWith("{")) return text;
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "unknown";
    throw unsendable("ERR_ARGUMENTS", `call of \`${tool}\`: the arguments cannot be written as JSON (${name})`);
  }
  throw unsendable("ERR_ARGUMENTS", `call of \`${tool}\`: the arguments are not a JSON object`);
}

/** Whether a text is larger than the proxy accepts; a character has at most three bytes, so most need no measuring. */
export function isTooLarge(text: string): boolean {
  return text.length * 3 > MAX_BYTES && Buffer.byteLength(text) > MAX_BYTES;
}

type Endpoint = Pick<CheckedSetting, "base" | "headers" | "runToken">;

/** A call, and the sub-agent that makes it. */
export interface WantedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly actorId: string | undefined;
}

/** Makes the request for a call; a call that cannot be sent is refused here. */
export function proxyRequest({ base, headers, runToken }: Endpoint, { tool, args, actorId }: WantedCall): ProxyRequest {
  if (typeof tool !== "string" || !TOOL_NAME.test(tool)) {
    throw unsendable("ERR_TOOL_NAME", `the name of a tool must match ${TOOL_NAME.source}`);
  }
  const body = textOf(tool, args);
  if (isTooLarge(body)) {
    throw unsendable("ERR_REQUEST_TOO_LARGE", `call of \`${tool}\`: the arguments have more than ${MAX_BYTES} bytes`);
  }
  return {
    tool,
    // Invariant: the name has only characters that need no escaping in a path.
    url: `${base}/tools/${tool}`,
    headers: actorId === undefined ? headers : { ...headers, "x-pipelines-actor-id": actorId },
    body,
    runToken,
  };
}
