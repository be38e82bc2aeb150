import type { ToolRequest } from "./run.js";

/** Where the platform says a tool's response came from. */
export const SOURCES = ["odyssey", "injected", "passthrough", "error", "transport_error"] as const;
export type Source = (typeof SOURCES)[number];

/** Only the simulator of the platform validates what it made up. */
type Origin =
  | { readonly source?: "odyssey"; readonly validation?: unknown }
  | { readonly source: Exclude<Source, "odyssey">; readonly validation?: never };

/** What the envelope says besides the response; the rest has the values of an ordinary call. */
export type EnvelopeOptions = Origin & {
  readonly toolName?: string;
  readonly latencyMs?: number;
  readonly matchedRuleIndex?: number | null;
};

export interface StatusOptions {
  /** A string is sent as plain text, anything else as JSON. */
  readonly body?: unknown;
  /** Seconds, or a moment, or the text itself. */
  readonly retryAfter?: number | Date | string;
}

/** The moment at which a connection is lost. */
export type DropMoment = "before_reply" | "after_headers" | "mid_body";

/** How the proxy answers one tool call that it let through. */
export type Behaviour =
  | { readonly kind: "respond"; readonly response: unknown; readonly envelope: EnvelopeOptions }
  | ({ readonly kind: "status"; readonly status: number } & StatusOptions)
  | { readonly kind: "slow"; readonly ms: number; readonly next: Behaviour }
  | { readonly kind: "hang" }
  | { readonly kind: "drop"; readonly moment: DropMoment }
  | { readonly kind: "oversized"; readonly bytes: number; readonly hasLength: boolean }
  | { readonly kind: "raw"; readonly contentType: string; readonly text: string }
  | { readonly kind: "endless"; readonly everyMs: number; readonly chunkBytes: number };

/** One behaviour for all calls, or one per call with the last one repeated, or a choice by the arguments. */
export type Script =
  | Behaviour
  | readonly Behaviour[]
  | ((args: Readonly<Record<string, unknown>>, request: ToolRequest) => Behaviour | Promise<Behaviour>);

/** The ordinary envelope around `response`. */
export function respond(response: unknown, envelope: EnvelopeOptions = {}): Behaviour {
  return { kind: "respond", response, envelope };
}

/** Any HTTP status, with a body and a Retry-After if given. */
export function status(code: number, options: StatusOptions = {}): Behaviour {
  return { kind: "status", status: code, ...options };
}

/** Waits for a while, then does what it was given. */
export function slow(ms: number, next: Behaviour): Behaviour {
  return { kind: "slow", ms, next };
}

/** Never answers; the connection stays open. */
export function hang(): Behaviour {
  return { kind: "hang" };
}

/** Loses the connection. */
export function drop(moment: DropMoment): Behaviour {
  return { kind: "drop", moment };
}

/** A sound envelope of exactly this many bytes, so that both sides of a limit can be tried. */
export function oversized(bytes: number, options: { readonly contentLength?: boolean } = {}): Behaviour {
  return { kind: "oversized", bytes, hasLength: options.contentLength ?? false };
}

/** Status 200 with a text that is announced as JSON and is none. */
export function malformed(text = '{"tool_name":"cut","response":{"ok":tr'): Behaviour {
  return { kind: "raw", contentType: "application/json", text };
}

/** Status 200 with a content type that is not JSON. */
export function contentType(type: string, text = "<html><body>gateway</body></html>"): Behaviour {
  return { kind: "raw", contentType: type, text };
}

/** Status 200 with JSON of any shape where the envelope should be. */
export function wrongEnvelope(body: unknown): Behaviour {
  return { kind: "raw", contentType: "application/json", text: JSON.stringify(body) };
}

/** Starts a sound envelope and never comes to its end. */
export function endless(options: { readonly everyMs?: number; readonly chunkBytes?: number } = {}): Behaviour {
  return { kind: "endless", everyMs: options.everyMs ?? 5, chunkBytes: options.chunkBytes ?? 1024 };
}
