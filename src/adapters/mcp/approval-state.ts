import { randomBytes } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server";
import { canonicalJson, contentHash } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";

/** What a client brings back with the answer to an approval. It is signed, and of use once: the approval is. */
export interface ApprovalState {
  readonly approval: string;
  /** The key of the call that waits. */
  readonly key: string;
  /** The hash of that call: the answer is for no other one. */
  readonly call: string;
}

const DAY_SECONDS = 86_400;

/** The hash of a call. */
export function callHash(tool: string, args: Json): string {
  return contentHash(canonicalJson({ tool, args }));
}

/** A key for processes that answer no requests of each other. */
export function randomKey(): Uint8Array {
  return randomBytes(32);
}

/** Signs the state for one session, so that no other one can bring it. How long it is valid the approval itself says. */
export function stateCodec(key: Uint8Array | string, session: string): RequestStateCodec<ApprovalState> {
  return createRequestStateCodec<ApprovalState>({ key, ttlSeconds: DAY_SECONDS, bind: () => session });
}
