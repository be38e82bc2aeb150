import type { StoredRecord, StreamWrite } from "../guard/durable-store.js";

/**
 * Whether an append to a stream was recorded before: its records are where it expected to write them. Elsewhere they
 * would not be what its caller decided, so that an id alone proves nothing. `stored` begins behind the expected revision.
 */
export function isRecorded(appendId: string, { records }: StreamWrite, stored: readonly StoredRecord[]): boolean {
  return records.every((data, index) => stored[index]?.appendId === appendId && stored[index].data === data);
}
