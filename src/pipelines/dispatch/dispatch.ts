import { isDeepStrictEqual } from "node:util";
import { isJsonType } from "../wire/parse-json.js";
import { readEnvelope } from "./dispatch-envelope.js";
import { executeRun } from "./execute-run.js";
import { type InboundAuth, inboundAuth } from "./inbound-auth.js";
import { readInboundBody } from "./inbound-body.js";
import { type CheckedRunOptions, checkRunOptions, type RunOptions, reportError } from "./run-options.js";

/** How an agent is served to the platform. */
export interface DispatchOptions extends RunOptions {
  readonly auth: InboundAuth;
  /** The header with the platform's token; `authorization` by default. */
  readonly authHeader?: string;
}

/** A handler of web-standard requests. */
export type DispatchHandler = (request: Request) => Promise<Response>;

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

function refusal(status: number, code: string, message: string, headers?: Readonly<Record<string, string>>): Response {
  return json(status, { error: { code, message } }, headers);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function dispatch(request: Request, options: CheckedRunOptions, started: number): Promise<Response> {
  if (request.method !== "POST") {
    return refusal(405, "method_not_allowed", "a dispatch is a POST", { allow: "POST" });
  }
  if (!isJsonType(request.headers.get("content-type") ?? ""))
    return refusal(415, "unsupported_media_type", "a dispatch is application/json");
  const body = await readInboundBody(request, options.runTimeoutSeconds * 1000);
  if (!body.ok) return refusal(body.refusal.status, body.refusal.code, body.refusal.message);
  if (isDeepStrictEqual(body.value, { ping: true })) return json(200, { ok: true });
  if (!isObject(body.value)) return refusal(400, "not_an_object", "the body of a dispatch is a JSON object");
  const read = readEnvelope(body.value, request.headers);
  if (!read.ok) return refusal(400, "missing_envelope_part", `the dispatch lacks ${read.missing.join(" and ")}`);
  const result = await executeRun(read.envelope, options, { started, signal: request.signal });
  return result.ok ? json(200, result.body) : refusal(result.status, result.code, result.message);
}

/**
 * Makes the endpoint of an agent. A request is authorised before anything else is read, then a ping is answered, then the
 * envelope is read and the agent run. Whatever happens, the answer is JSON, in time, and without secrets.
 */
export function createDispatchHandler(options: DispatchOptions): DispatchHandler {
  if (options.auth === "none" && options.allowedProxyOrigins === undefined) {
    throw new TypeError('with `auth: "none"` anyone can dispatch; limit by `allowedProxyOrigins` where calls may go');
  }
  const checked = checkRunOptions(options);
  const isAuthorised = inboundAuth(options.auth, options.authHeader ?? "authorization");
  return async (request) => {
    const started = performance.now();
    if (!isAuthorised(request.headers)) {
      return refusal(401, "unauthorised", "the auth header is missing or wrong", { "www-authenticate": "Bearer" });
    }
    try {
      return await dispatch(request, checked, started);
    } catch (cause) {
      reportError(checked, cause, { runId: null, taskId: null, agentId: null, jti: null });
      return refusal(500, "internal_error", "the endpoint failed");
    }
  };
}
