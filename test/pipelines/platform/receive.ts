import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isRecord, type JsonRecord, parseJson } from "./json.js";

/** The platform's limit for a request to the proxy. */
export const REQUEST_LIMIT_BYTES = 1024 * 1024;

/** A request as it arrived, to the letter. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values by turns, in the case and the order of the sender. */
  readonly rawHeaders: readonly string[];
  readonly bytes: number;
  /** The body; empty where it was over the limit. */
  readonly text: string;
  /** The body as a JSON object, or null where it is none. */
  readonly body: JsonRecord | null;
  /** Milliseconds of a clock that never goes back. */
  readonly arrivedAt: number;
}

/** Reads a request to its end and drops what is over the limit; null where the sender left before the end. */
export function receive(request: IncomingMessage): Promise<Received | null> {
  const arrivedAt = performance.now();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= REQUEST_LIMIT_BYTES) chunks.push(chunk);
  });
  return new Promise((resolve) => {
    request.once("close", () => resolve(null));
    request.once("end", () => {
      const text = bytes <= REQUEST_LIMIT_BYTES ? Buffer.concat(chunks).toString("utf8") : "";
      const parsed = parseJson(text);
      const { method = "", url: path = "", headers, rawHeaders } = request;
      resolve({ method, path, headers, rawHeaders, bytes, text, body: isRecord(parsed) ? parsed : null, arrivedAt });
    });
  });
}
