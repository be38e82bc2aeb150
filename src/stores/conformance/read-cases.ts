import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { DurableStore, LoadedStream } from "../../guard/durable-store.js";
import { type StoreCase, write } from "./case.js";

const empty: StoreCase = {
  name: "knows nothing of a stream that nobody wrote to",
  async run({ open }) {
    const store = await open();
    const { now, ...loaded } = await store.load("nobody");
    assert.deepEqual(loaded, { revision: 0, head: null, snapshot: null, records: [] });
    assert.ok(now === null || typeof now === "number");
    assert.deepEqual(await store.read("nobody", 0, 10), []);
    assert.deepEqual(await store.list(), []);
  },
};

/** Appends one record after the other, each with its revision as data. */
async function fill(store: DurableStore, stream: string, from: number, to: number): Promise<void> {
  const records = Array.from({ length: to - from }, (_, index) => String(from + index + 1));
  await store.append(`${stream}-${from}`, [write(stream, from, ...records)]);
}

async function snapshotAt(store: DurableStore, stream: string, revision: number): Promise<void> {
  const last = { ...write(stream, revision - 1, String(revision)), snapshot: JSON.stringify({ upTo: revision }) };
  await store.append(`${stream}-${revision}`, [last]);
}

/** Whether what was loaded leads a reader from a revision to the present. */
function leadsOn({ revision, snapshot, records }: LoadedStream, known: number): void {
  const from = snapshot?.revision ?? known;
  assert.deepEqual(
    records.map((record) => record.revision),
    Array.from({ length: revision - from }, (_, index) => from + index + 1),
  );
}

const snapshots: StoreCase = {
  name: "begins with the latest snapshot, and goes on with the records behind it",
  async run({ open }) {
    const store = await open();
    await fill(store, "s", 0, 9);
    await snapshotAt(store, "s", 10);
    const atSnapshot = await store.load("s");
    assert.deepEqual(atSnapshot.snapshot, { revision: 10, data: '{"upTo":10}' });
    assert.deepEqual(atSnapshot.records, []);
    await fill(store, "s", 10, 12);
    const behind = await store.load("s");
    assert.deepEqual(behind.snapshot, { revision: 10, data: '{"upTo":10}' });
    assert.deepEqual(
      behind.records.map(({ data }) => data),
      ["11", "12"],
    );
    await snapshotAt(store, "s", 13);
    assert.deepEqual((await store.load("s")).snapshot, { revision: 13, data: '{"upTo":13}' });
  },
};

const loadAfter: StoreCase = {
  name: "loads what is behind a revision: a few records as they are, many by a snapshot",
  async run({ open }) {
    const store = await open();
    await fill(store, "s", 0, 999);
    await snapshotAt(store, "s", 1000);
    await fill(store, "s", 1000, 1005);
    for (const after of [0, 1, 500, 990, 999, 1000, 1003, 1005]) leadsOn(await store.load("s", { after }), after);
    const near = await store.load("s", { after: 998 });
    assert.equal(near.snapshot, null);
    assert.equal(near.records.length, 7);
    assert.deepEqual((await store.load("s", { after: 1005 })).records, []);
    const ahead = await store.load("s", { after: 2000 });
    assert.deepEqual([ahead.revision, ahead.records, ahead.snapshot], [1005, [], null]);
  },
};

const paging: StoreCase = {
  name: "reads all records page by page, including those that a snapshot replaces",
  async run({ open }) {
    const store = await open();
    await fill(store, "s", 0, 249);
    await snapshotAt(store, "s", 250);
    const found: number[] = [];
    for (;;) {
      const page = await store.read("s", found.length, 70);
      found.push(...page.map(({ revision }) => revision));
      if (page.length < 70) break;
    }
    assert.deepEqual(
      found,
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
    assert.deepEqual(await store.read("s", 250, 70), []);
    assert.deepEqual(await store.read("s", 9999, 70), []);
  },
};

/** In the order of their bytes. JavaScript would put the last before the one before it. */
const NAMES = [
  "A",
  "B/1",
  "B/2",
  "a",
  "a%",
  "a%b",
  "a_",
  "a_b",
  "ab",
  "ab\u{10ffff}",
  "b",
  "\u00e9",
  "\ufffd",
  "\u{1f600}",
];

const lists: StoreCase = {
  name: "lists streams in the order of the bytes of their names, by prefix and page",
  async run({ open }) {
    const store = await open();
    const before = Date.now();
    for (const stream of [...NAMES].reverse()) await store.append("id", [write(stream, 0, "1")]);
    const names = async (options?: Parameters<DurableStore["list"]>[0]) =>
      (await store.list(options)).map(({ stream }) => stream);
    assert.deepEqual(await names(), NAMES);
    assert.deepEqual(await names({ limit: 3 }), NAMES.slice(0, 3));
    assert.deepEqual(await names({ after: "B/2", limit: 3 }), ["a", "a%", "a%b"]);
    assert.deepEqual(await names({ prefix: "B/" }), ["B/1", "B/2"]);
    assert.deepEqual(await names({ prefix: "a" }), ["a", "a%", "a%b", "a_", "a_b", "ab", "ab\u{10ffff}"]);
    assert.deepEqual(await names({ prefix: "a_" }), ["a_", "a_b"]);
    assert.deepEqual(await names({ prefix: "a%" }), ["a%", "a%b"]);
    assert.deepEqual(await names({ prefix: "ab" }), ["ab", "ab\u{10ffff}"]);
    assert.deepEqual(await names({ prefix: "a", after: "a_", limit: 1 }), ["a_b"]);
    assert.deepEqual(await names({ prefix: "x" }), []);
    const [first] = await store.list({ limit: 1 });
    assert.ok(first !== undefined && first.updated >= before - 60_000 && first.updated <= Date.now() + 60_000);
  },
};

const heads: StoreCase = {
  name: "lists the latest head of a stream",
  async run({ open }) {
    const store = await open();
    await store.append("1", [{ ...write("s", 0, "1"), head: '"first"' }]);
    const [before] = await store.list();
    await store.append("2", [{ ...write("s", 1, "2", "3"), head: '"second"' }]);
    const [after] = await store.list();
    assert.deepEqual([before?.revision, before?.head, after?.revision, after?.head], [1, '"first"', 3, '"second"']);
    assert.ok((after?.updated ?? 0) >= (before?.updated ?? 1));
  },
};

/** Where its clock stood still no deadline would pass, and sessions in use would look old. */
const clocks: StoreCase = {
  name: "has a clock that goes on, for the times that it lists and, where it tells the time, for that",
  async run({ open }) {
    const store = await open();
    const at = async (revision: number) => {
      await store.append(String(revision), [write("s", revision, "1")]);
      const [listed] = await store.list();
      return { updated: listed?.updated ?? 0, now: (await store.load("s")).now };
    };
    const before = await at(0);
    await setTimeout(50);
    const after = await at(1);
    assert.ok(after.updated > before.updated);
    assert.ok(before.now === null ? after.now === null : (after.now ?? 0) > before.now);
  },
};

export const READ_CASES: readonly StoreCase[] = [empty, snapshots, loadAfter, paging, lists, heads, clocks];
