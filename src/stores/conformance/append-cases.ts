import assert from "node:assert/strict";
import type { DurableStore, StreamWrite } from "../../guard/durable-store.js";
import { allData, headAt, type StoreCase, write } from "./case.js";

async function kindOf(store: DurableStore, id: string, ...writes: readonly StreamWrite[]): Promise<string> {
  const { kind, now } = await store.append(id, writes);
  assert.ok(now === null || Number.isSafeInteger(now), "now is a time in milliseconds or null");
  return kind;
}

const records: StoreCase = {
  name: "keeps records in order, with their revisions and the append that wrote them",
  async run({ open }) {
    const store = await open();
    assert.equal(await kindOf(store, "first", write("s", 0, '"a"', '"b"')), "appended");
    assert.equal(await kindOf(store, "second", write("s", 2, '"c"')), "appended");
    const { now, ...loaded } = await store.load("s");
    assert.ok(now === null || Math.abs(now - Date.now()) < 3_600_000, "now is a time in milliseconds or null");
    assert.deepEqual(loaded, {
      revision: 3,
      head: headAt(3),
      snapshot: null,
      records: [
        { revision: 1, appendId: "first", data: '"a"' },
        { revision: 2, appendId: "first", data: '"b"' },
        { revision: 3, appendId: "second", data: '"c"' },
      ],
    });
  },
};

const conflicts: StoreCase = {
  name: "refuses an append that expects another revision, and changes nothing",
  async run({ open }) {
    const store = await open();
    assert.equal(await kindOf(store, "1", write("s", 1, "1")), "conflict");
    assert.equal((await store.load("s")).revision, 0);
    assert.deepEqual(await store.list(), []);
    assert.equal(await kindOf(store, "2", write("s", 0, "1", "2")), "appended");
    for (const expected of [0, 1, 3, 100]) {
      const refused = { ...write("s", expected, "3"), head: '"wrong"', snapshot: '"wrong"' };
      assert.equal(await kindOf(store, `3-${expected}`, refused), "conflict");
    }
    const { revision, head, snapshot } = await store.load("s");
    assert.deepEqual({ revision, head, snapshot }, { revision: 2, head: headAt(2), snapshot: null });
    assert.deepEqual(await allData(store, "s"), ["1", "2"]);
  },
};

const severalStreams: StoreCase = {
  name: "writes to several streams, or to none of them",
  async run({ open }) {
    const store = await open();
    assert.equal(await kindOf(store, "1", write("b", 0, "1"), write("a", 0, "1")), "appended");
    const stale: readonly (readonly StreamWrite[])[] = [
      [write("a", 0, "2"), write("b", 1, "2")],
      [write("a", 1, "2"), write("b", 0, "2")],
      [write("a", 1, "2"), write("new", 1, "1")],
      [write("new", 0, "1"), write("other", 0, "1"), write("b", 2, "2")],
    ];
    for (const [index, writes] of stale.entries()) {
      assert.equal(await kindOf(store, `2-${index}`, ...writes), "conflict");
    }
    assert.deepEqual(
      (await store.list()).map(({ stream, revision }) => [stream, revision]),
      [
        ["a", 1],
        ["b", 1],
      ],
    );
    assert.equal(
      await kindOf(store, "3", write("new", 0, "1"), write("b", 1, "2"), write("a", 1, "2", "3")),
      "appended",
    );
    for (const [stream, data] of [
      ["a", ["1", "2", "3"]] as const,
      ["b", ["1", "2"]] as const,
      ["new", ["1"]] as const,
    ]) {
      assert.deepEqual(await allData(store, stream), data);
    }
  },
};

const otherStreams: StoreCase = {
  name: "refuses an append that expects another last append, and changes nothing",
  async run({ open }) {
    const store = await open();
    const after = (last: string, ...given: Parameters<typeof write>) => ({ ...write(...given), expectedLast: last });
    assert.equal(await kindOf(store, "1", after("0", "s", 0, "1")), "conflict");
    assert.equal(await kindOf(store, "2", write("s", 0, "1", "2")), "appended");
    assert.equal(await kindOf(store, "3", after("2", "s", 2, "3")), "appended");
    const other = after("2", "s", 3, "4");
    for (const writes of [[other], [other, write("new", 0, "1")], [after("3", "s", 2, "4")]]) {
      assert.equal(await kindOf(store, "4", ...writes), "conflict");
    }
    assert.deepEqual(
      (await store.list()).map(({ stream, revision }) => [stream, revision]),
      [["s", 3]],
    );
    const next = [after("3", "s", 3, "4"), write("new", 0, "1")];
    assert.equal(await kindOf(store, "5", ...next), "appended");
    assert.equal(await kindOf(store, "6", after("5", "s", 4, "5"), after("5", "new", 1, "2")), "appended");
    assert.equal(await kindOf(store, "5", ...next), "appended");
    const [fits, differs] = [after("6", "s", 5, "6"), after("5", "new", 2, "3")];
    assert.equal(await kindOf(store, "7", fits, differs), "conflict");
    assert.equal(await kindOf(store, "7", differs, fits), "conflict");
    assert.deepEqual(await allData(store, "s"), ["1", "2", "3", "4", "5"]);
  },
};

const repeats: StoreCase = {
  name: "records an append once that is sent again, and answers that it is recorded",
  async run({ open }) {
    const store = await open();
    const once = [write("a", 0, "1", "2"), write("b", 0, "1")];
    for (let attempt = 0; attempt < 3; attempt += 1) assert.equal(await kindOf(store, "id", ...once), "appended");
    assert.equal(await kindOf(store, "later", write("a", 2, "3"), write("b", 1, "2")), "appended");
    assert.equal(await kindOf(store, "id", ...once), "appended");
    assert.equal(await kindOf(store, "id", ...[...once].reverse()), "appended");
    assert.deepEqual(await allData(store, "a"), ["1", "2", "3"]);
    assert.deepEqual(await allData(store, "b"), ["1", "2"]);
  },
};

const noRepeats: StoreCase = {
  name: "does not take an append for a repetition that has other records, expects another revision or has another id",
  async run({ open }) {
    const store = await open();
    await kindOf(store, "id", write("a", 0, "1", "2"), write("b", 0, "1"));
    await kindOf(store, "later", write("a", 2, "3"));
    const others: readonly (readonly [string, readonly StreamWrite[]])[] = [
      ["other", [write("a", 0, "1", "2"), write("b", 0, "1")]],
      ["id", [write("a", 0, "1", "9")]],
      ["id", [write("a", 0, "1", "2", "3")]],
      ["id", [write("a", 1, "2", "3")]],
      ["id", [write("a", 0, "1", "2"), write("c", 0, "1")]],
    ];
    for (const [id, writes] of others) assert.equal(await kindOf(store, id, ...writes), "conflict");
    assert.deepEqual(await allData(store, "a"), ["1", "2", "3"]);
    assert.deepEqual(await allData(store, "c"), []);
  },
};

const HALF = "\ud800";
const longName = "n".repeat(513);
const refused: StoreCase = {
  name: "refuses what it could not keep as it is",
  async run({ open }) {
    const store = await open();
    const appends: readonly (readonly [string, readonly StreamWrite[]])[] = [
      ["", [write("s", 0, "1")]],
      ["a\0", [write("s", 0, "1")]],
      ["i".repeat(129), [write("s", 0, "1")]],
      ["id", []],
      ["id", [write("s", 0)]],
      ["id", [write("s", 0, "1"), write("s", 1, "2")]],
      ["id", [write("s", -1, "1")]],
      ["id", [write("s", 0.5, "1")]],
      ["id", [write("s", 0, "a\0")]],
      ["id", [write("s", 0, HALF)]],
      ["id", [{ ...write("s", 0, "1"), head: "\0" }]],
      ["id", [{ ...write("s", 0, "1"), snapshot: HALF }]],
      ["id", [{ ...write("s", 0, "1"), expectedLast: "" }]],
      ...["", "a\0b", HALF, longName].map((stream) => ["id", [write(stream, 0, "1")]] as const),
    ];
    for (const [id, writes] of appends) await assert.rejects(store.append(id, writes), TypeError);
    for (const stream of ["", "a\0b", HALF, longName]) {
      await assert.rejects(store.load(stream), TypeError);
      await assert.rejects(store.read(stream, 0, 1), TypeError);
      await assert.rejects(
        store.watch(stream, () => {}),
        TypeError,
      );
    }
    await assert.rejects(store.load("s", { after: -1 }), TypeError);
    await assert.rejects(store.read("s", 0, 0), TypeError);
    await assert.rejects(store.list({ limit: 0 }), TypeError);
    assert.deepEqual(await store.list(), []);
  },
};

/** Texts that some quoting, some literal or some encoding might take for something else. */
const ODD: readonly string[] = [
  "a'b",
  'a"b',
  "a\\b",
  "{a,b}",
  "NULL",
  "null",
  "%",
  "_",
  " ",
  "a\tb\r\nc",
  "\u0001\u007f",
  "\u2028\u202e",
  "$1",
  "\u00e9",
  "e\u0301",
  "\u{1f600}",
  "\ufffd",
  "n".repeat(512),
];

const oddTexts: StoreCase = {
  name: "keeps every text as it is: names, records, heads and snapshots",
  async run({ open }) {
    const store = await open();
    for (const text of ODD) {
      const data = JSON.stringify(text);
      const written = { stream: text, expectedRevision: 0, records: [data, text, ""], head: text, snapshot: data };
      assert.equal((await store.append("id", [written])).kind, "appended");
    }
    for (const text of ODD) {
      const { revision, head, snapshot } = await store.load(text);
      assert.deepEqual(
        { revision, head, snapshot },
        { revision: 3, head: text, snapshot: { revision: 3, data: JSON.stringify(text) } },
      );
      assert.deepEqual(await allData(store, text), [JSON.stringify(text), text, ""]);
    }
    assert.equal((await store.list()).length, ODD.length);
  },
};

const bigTexts: StoreCase = {
  name: "keeps records and snapshots of 1 MiB",
  async run({ open }) {
    const store = await open();
    const big = (character: string) => JSON.stringify(character.repeat(2 ** 20));
    const written = { ...write("s", 0, big("a"), big('"'), big("\u{1f600}")), snapshot: big("z") };
    assert.equal(await kindOf(store, "id", written), "appended");
    assert.equal(await kindOf(store, "id", written), "appended");
    assert.deepEqual((await store.load("s")).snapshot, { revision: 3, data: big("z") });
    assert.deepEqual(await allData(store, "s"), written.records);
  },
};

const manyRecords: StoreCase = {
  name: "records an append of 5,000 records",
  async run({ open }) {
    const store = await open();
    const data = Array.from({ length: 5_000 }, (_, index) => String(index));
    assert.equal(await kindOf(store, "id", write("s", 0, ...data)), "appended");
    assert.deepEqual(await allData(store, "s"), data);
  },
};

export const APPEND_CASES: readonly StoreCase[] = [
  records,
  conflicts,
  severalStreams,
  otherStreams,
  repeats,
  noRepeats,
  refused,
  oddTexts,
  bigTexts,
  manyRecords,
];
