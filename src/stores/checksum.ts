import { sha256 } from "../base/sha256.js";
import type { StoredRecord } from "../guard/durable-store.js";
import { StoreError } from "./store-error.js";

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Of everything that is stored, so that a byte which a disk or a person changed is not taken for what was written. Not
 * against somebody who means it: that is what the chain of hashes in the records is for.
 */
function checksum(...parts: readonly (string | number)[]): string {
  // No part holds U+0000, so that parts cannot flow into each other.
  return sha256(parts.join("\0")).slice(0, 16);
}

/** It covers the position too: a record in the place of another does not match. */
export function recordChecksum(stream: string, { revision, appendId, data }: StoredRecord): string {
  return checksum("record", stream, revision, appendId, data);
}

/** Of the head of a stream and of how many records there are. */
export function headChecksum(stream: string, revision: number, head: string): string {
  return checksum("head", stream, revision, head);
}

/** Of a snapshot and of what it replaces. */
export function snapshotChecksum(stream: string, revision: number, data: string): string {
  return checksum("snapshot", stream, revision, data);
}

/** Rejects what is not what was written. */
export function checkSum(what: string, stored: unknown, computed: string): void {
  if (stored === computed) return;
  throw new StoreError("store_damaged", `${what} is not what was written there: restore the store from a backup`);
}

/** Rejects records with a gap: they must reach from one revision to another. */
export function checkComplete(stream: string, records: readonly StoredRecord[], span: Span): void {
  const { from, to } = span;
  const isWhole = records.every((record, index) => record.revision === from + index + 1);
  if (isWhole && records.length === Math.max(0, to - from)) return;
  throw new StoreError("store_damaged", `records of \`${stream}\` are missing: restore the store from a backup`);
}
