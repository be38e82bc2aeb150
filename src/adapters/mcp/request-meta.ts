import type { ProgressCallback } from "@modelcontextprotocol/client";
import type { ServerContext } from "@modelcontextprotocol/server";

/** The context of a trace, as W3C names it. Nothing else is passed on: no rule has judged it. */
const TRACE_KEYS = ["traceparent", "tracestate", "baggage"] as const;

/** What the server gets of the `_meta` of a request. */
export function forwardedMeta({ mcpReq }: ServerContext): { readonly _meta?: Record<string, string> } {
  const given = mcpReq._meta ?? {};
  const kept = TRACE_KEYS.flatMap((key) => {
    const value: unknown = Reflect.get(given, key);
    return typeof value === "string" ? [[key, value] as const] : [];
  });
  return kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) };
}

/** Passes on the progress of a call to a client that asked for it. */
export function forwardedProgress({ mcpReq }: ServerContext): ProgressCallback | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    const params = { ...progress, progressToken };
    // A client that is gone does not matter to the call.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
