import { type CallToolResult, ProtocolError, SdkError } from "@modelcontextprotocol/client";

/** What is known of a call that failed; see `wrap` for what each of it proves. */
interface Known {
  readonly sent?: boolean;
  readonly answered?: boolean;
  readonly status?: number;
  readonly code: string;
}

/** A call that the server did not answer with a result. */
export class UpstreamFailed extends Error {
  readonly code: string;
  declare readonly sent?: boolean;
  declare readonly answered?: boolean;
  declare readonly status?: number;

  constructor(message: string, { code, ...known }: Known, options?: ErrorOptions) {
    super(message, options);
    this.name = "UpstreamFailed";
    this.code = code;
    Object.assign(this, known);
  }
}

/** A tool that answered with an error. It ran, so what it did before is not known. */
export class ToolFailed extends Error {
  readonly code = "tool_error";

  constructor(readonly result: CallToolResult) {
    super(result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n"));
    this.name = "ToolFailed";
  }
}

/** Errors of JSON-RPC with which a server rejects a request that it did not carry out: request, method, params. */
const REJECTED: ReadonlySet<number> = new Set([-32600, -32601, -32602]);

function httpStatus({ data }: SdkError): number | undefined {
  const status = typeof data === "object" && data !== null ? Reflect.get(data, "status") : undefined;
  return typeof status === "number" ? status : undefined;
}

/** What an error of the SDK says of the call. Everything else is passed on: whether the call happened is then unknown. */
export function upstreamFailure(cause: unknown): unknown {
  if (cause instanceof ProtocolError) {
    const answered = REJECTED.has(cause.code) ? { answered: true } : {};
    return new UpstreamFailed(cause.message, { code: String(cause.code), ...answered }, { cause });
  }
  if (!(cause instanceof SdkError)) return cause;
  const status = httpStatus(cause);
  const code = cause.code.toLowerCase();
  const sent = cause.code === "NOT_CONNECTED" ? { sent: false } : {};
  return new UpstreamFailed(cause.message, { code, ...sent, ...(status === undefined ? {} : { status }) }, { cause });
}
