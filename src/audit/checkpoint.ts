import { type KeyObject, sign, verify } from "node:crypto";
import { canonicalJson } from "../base/canonical-json.js";
import { jsonLine } from "../base/clean.js";
import { isJsonObject, type Json } from "../base/json.js";
import type { SessionEnd } from "./chain.js";
import { hasOnly, isCount } from "./export-line.js";
import { namedLog, nameIn } from "./log-name.js";
import { repeatsNames } from "./repeated-names.js";
import { keyName } from "./signing-key.js";

/** Where the log of a session ended at some time; whoever has the key vouches for it. */
export interface Checkpoint {
  readonly session: string;
  readonly count: number;
  readonly hash: string;
  /** When it was signed, in milliseconds since 1970. */
  readonly at: number;
  /** The name of the key. */
  readonly key: string;
  /** Base64. */
  readonly signature: string;
}

/** So that a signature for another purpose is none of a checkpoint. */
const PURPOSE = "contract-guard audit checkpoint 1\n";

/** What a checkpoint has beside its name. */
const SIGNED = ["count", "hash", "at", "key", "signature"];

function signedBytes({ session, count, hash, at, key }: Omit<Checkpoint, "signature">): Buffer {
  return Buffer.from(`${PURPOSE}${canonicalJson({ ...namedLog(session), count, hash, at, key })}`, "utf8");
}

/** The lines of the checkpoints of these sessions. */
export function checkpointLines(ends: readonly SessionEnd[], key: KeyObject, at: number): readonly string[] {
  const name = keyName(key);
  return ends.flatMap(({ session, count, hash }) => {
    if (hash === null || count === 0) return [];
    const signed = { session, count, hash, at, key: name };
    const signature = sign(null, signedBytes(signed), key).toString("base64");
    return [jsonLine({ ...namedLog(session), count, hash, at, key: name, signature })];
  });
}

/** Reads a line of checkpoints; null if it is none. */
export function readCheckpoint(line: string): Checkpoint | null {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    return null;
  }
  if (!isJsonObject(value) || repeatsNames(line, value)) return null;
  const named = nameIn(value);
  if (named === null) return null;
  const { name: session, rest } = named;
  if (!hasOnly(rest, SIGNED)) return null;
  const { count, hash, at, key, signature } = rest;
  if (!isCount(count) || !isCount(at)) return null;
  if (typeof hash !== "string" || typeof key !== "string" || typeof signature !== "string") return null;
  return { session, count, hash, at, key, signature };
}

/** A public key, and its name. */
export interface NamedKey {
  readonly key: KeyObject;
  readonly name: string;
}

/** Why a checkpoint is not to be trusted; null if it is. */
export function distrust(checkpoint: Checkpoint, { key, name }: NamedKey): string | null {
  if (checkpoint.key !== name) return "was signed with another key";
  const bytes = Buffer.from(checkpoint.signature, "base64");
  // The decoder leaves out what is no base64, so that many texts are the same signature.
  const isExact = bytes.toString("base64") === checkpoint.signature;
  return isExact && verify(null, signedBytes(checkpoint), key, bytes)
    ? null
    : "has a wrong signature: it was changed, or signed by somebody else";
}
