import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { TOOL_NAME } from "../../base/tool-name.js";
import { MAX_BYTES } from "../proxy/proxy-request.js";
import { namedType } from "../response/response-warnings.js";
import { parseJson } from "../wire/parse-json.js";

/** A tool call that reached the doctor's proxy. */
export interface SeenCall {
  readonly tool: string;
  /** Whether it carried the token of this run. */
  readonly isAuthorised: boolean;
  /** Whether its body was the arguments, as a JSON object. */
  readonly hasArguments: boolean;
}

/** A proxy for one run; it answers calls and records them. */
export interface DoctorProxy {
  readonly url: string;
  readonly calls: readonly SeenCall[];
  close(): Promise<void>;
}

const BASE = "/runs/doctor";
const ROUTE = /^\/runs\/doctor\/(?<channel>tools|traces)\/(?<name>[^/?]+)$/;

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** The body as JSON; undefined if it is not JSON, or larger than the platform accepts. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size <= MAX_BYTES) parts.push(bytes);
  }
  return size <= MAX_BYTES ? parseJson(Buffer.concat(parts)) : undefined;
}

function carriesToken({ headers }: IncomingMessage, runToken: string): boolean {
  const { authorization } = headers;
  if (authorization !== undefined) return authorization === `Bearer ${runToken}`;
  return headers["x-pipelines-run-token"] === runToken;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const NO_SUCH_ROUTE: Answer = { status: 404, body: { code: "route_unknown" } };
const NOT_AUTHORISED: Answer = { status: 401, body: { code: "run_token_invalid" } };
const NO_OBJECT: Answer = { status: 400, body: { code: "body_not_object" } };

function answerCall({ tool, isAuthorised, hasArguments }: SeenCall): Answer {
  if (!isAuthorised) return NOT_AUTHORISED;
  if (!hasArguments) return NO_OBJECT;
  const envelope = { tool_name: tool, response: {}, source: "odyssey", latency_ms: 0, matched_rule_index: null };
  return { status: 200, body: envelope };
}

async function answerRequest(request: IncomingMessage, runToken: string, calls: SeenCall[]): Promise<Answer> {
  const body = await readBody(request);
  const { channel, name = "" } = ROUTE.exec(request.url ?? "")?.groups ?? {};
  if (request.method !== "POST" || channel === undefined || !TOOL_NAME.test(name)) return NO_SUCH_ROUTE;
  const isAllowed = carriesToken(request, runToken);
  if (channel === "traces") {
    return isAllowed ? { status: 200, body: { accepted: true, sequence: 1, event_type: name } } : NOT_AUTHORISED;
  }
  const call = { tool: name, isAuthorised: isAllowed, hasArguments: namedType(body) === "an object" };
  calls.push(call);
  return answerCall(call);
}

/** Starts a proxy on a free port of this machine; every tool answers with an empty object. */
export async function startDoctorProxy(runToken: string): Promise<DoctorProxy> {
  const calls: SeenCall[] = [];
  const server = createServer((request, response) => {
    // A caller that disconnects early needs no answer.
    answerRequest(request, runToken, calls).then(
      (answer) => send(response, answer),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${BASE}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
