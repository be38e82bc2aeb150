import { parseJson } from "../wire/parse-json.js";

/** The largest body of a dispatch, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** How long a body may take to arrive. */
const READ_MS = 10_000;

/** Why a body is rejected: the status, code and message of the reply. */
export interface BodyRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A body that was read, or why not. */
export type InboundBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refusal: BodyRefusal };

const TOO_LARGE: BodyRefusal = {
  status: 413,
  code: "body_too_large",
  message: `the body has more than ${MAX_BYTES} bytes`,
};
const TOO_SLOW: BodyRefusal = { status: 408, code: "body_timeout", message: "the body did not arrive in time" };
const LOST: BodyRefusal = { status: 400, code: "body_lost", message: "the body ended early" };
const NOT_JSON: BodyRefusal = { status: 400, code: "not_json", message: "the body is not JSON" };

function refused(refusal: BodyRefusal): InboundBody {
  return { ok: false, refusal };
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > MAX_BYTES) return null;
    parts.push(next.value);
  }
  return Buffer.concat(parts, size);
}

/** Reads a JSON body as it arrives, within limits of size and time. */
export async function readInboundBody(request: Request, mostMs: number): Promise<InboundBody> {
  if (Number(request.headers.get("content-length")) > MAX_BYTES) return refused(TOO_LARGE);
  if (request.body === null) return refused(NOT_JSON);
  const reader = request.body.getReader();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), Math.min(READ_MS, mostMs));
  });
  try {
    const bytes = await Promise.race([readAll(reader), late]);
    if (bytes === "late") return refused(TOO_SLOW);
    if (bytes === null) return refused(TOO_LARGE);
    const value = parseJson(bytes);
    return value === undefined ? refused(NOT_JSON) : { ok: true, value };
  } catch {
    return refused(LOST);
  } finally {
    clearTimeout(timer);
    // The rest of the body, if any, is not awaited.
    reader.cancel().catch(() => undefined);
  }
}
