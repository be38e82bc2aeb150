import { describe, expect, it, onTestFinished } from "vitest";
import { canonicalJson, contentHash } from "../../src/base/canonical-json.js";
import type { StoredRecord } from "../../src/guard/durable-store.js";
import { recordChecksum } from "../../src/stores/checksum.js";
import { openStore } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { runSql } from "../support/postgres-server.js";
import { SESSION, Teller } from "./teller.js";

const STREAM = `session/${SESSION}`;

/** A session of three payments on a server, and its records. */
async function withPayments() {
  const url = await newSchema();
  const store = await openStore(url);
  onTestFinished(() => store.close());
  const teller = await Teller.open(store);
  for (const amount of [1, 2, 3]) await teller.pay(amount);
  return { url, store, teller, records: await store.read(STREAM, 0, 100) };
}

/** Writes another text into the place of a record, with a checksum that fits: somebody who means it. */
async function replace(url: string, { revision, appendId }: StoredRecord, data: string): Promise<void> {
  const sum = recordChecksum(STREAM, { revision, appendId, data });
  const text = data.replaceAll("'", "''");
  await runSql(
    url,
    `update contract_guard_records set data = '${text}', checksum = '${sum}' where revision = ${revision}`,
  );
}

/** The same record with another hash, which fits its content. */
function rehashed(text: string): string {
  const { hash: _, ...body } = JSON.parse(text);
  return canonicalJson({ ...body, hash: contentHash(canonicalJson(body)) });
}

describe.skipIf(POSTGRES === null)(`a guard whose records somebody changed${POSTGRES_MISSING}`, () => {
  const cheaper = (text: string) => text.replace('"amount":2', '"amount":0');

  it.each([
    ["a record that does not fit its hash", cheaper],
    ["a record that its successor does not continue", (text: string) => rehashed(cheaper(text))],
  ])("refuses the session: %s", async (_, change) => {
    const { url, store, teller, records } = await withPayments();
    const record = records.find(({ data }) => data.includes('"amount":2'));
    if (record === undefined) throw new Error("the second payment is not recorded");
    await replace(url, record, change(record.data));
    await expect(Teller.open(store)).rejects.toMatchObject({ name: "StoreUnavailable" });
    // Whoever read it before goes on with what it knows.
    expect(teller.guard.state().aggregates).toEqual({ paid: 6 });
  });
});
