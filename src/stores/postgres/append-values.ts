import type { StreamWrite } from "../../guard/durable-store.js";
import { headChecksum, recordChecksum, snapshotChecksum } from "../checksum.js";
import { byBytes } from "../text-order.js";

/** The values of the statement that appends, in its order. */
export function appendValues(appendId: string, given: readonly StreamWrite[]): readonly unknown[] {
  const writes = [...given]
    .sort((a, b) => byBytes(a.stream, b.stream))
    .map((write) => ({
      ...write,
      key: Buffer.from(write.stream),
      revision: write.expectedRevision + write.records.length,
    }));
  const records = writes.flatMap(({ key, stream, expectedRevision, records: texts }) =>
    texts.map((data, index) => {
      const record = { revision: expectedRevision + index + 1, appendId, data };
      return { key, ...record, checksum: recordChecksum(stream, record) };
    }),
  );
  const snapshots = writes.flatMap(({ key, stream, revision, snapshot: data }) =>
    data === undefined ? [] : [{ key, revision, data, checksum: snapshotChecksum(stream, revision, data) }],
  );
  return [
    writes.map(({ key }) => key),
    writes.map(({ expectedRevision }) => expectedRevision),
    writes.map(({ revision }) => revision),
    writes.map(({ head }) => head),
    writes.map(({ stream, revision, head }) => headChecksum(stream, revision, head)),
    appendId,
    ...columns(records),
    ...columns(snapshots),
  ];
}

interface Stored {
  readonly key: Buffer;
  readonly revision: number;
  readonly data: string;
  readonly checksum: string;
}

function columns(rows: readonly Stored[]): readonly unknown[] {
  return [
    rows.map(({ key }) => key),
    rows.map(({ revision }) => revision),
    rows.map(({ data }) => data),
    rows.map(({ checksum }) => checksum),
  ];
}
