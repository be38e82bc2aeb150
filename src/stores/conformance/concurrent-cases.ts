import assert from "node:assert/strict";
import type { DurableStore } from "../../guard/durable-store.js";
import { allData, type Place, type StoreCase, write } from "./case.js";

const WRITERS = 16;

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

async function oneWins({ open }: Place): Promise<void> {
  const store = await open();
  for (const revision of numbers(10)) {
    const results = await Promise.all(
      numbers(WRITERS).map((writer) => store.append(`${revision}-${writer}`, [write("s", revision, String(writer))])),
    );
    const winners = results.flatMap(({ kind }, writer) => (kind === "appended" ? [writer] : []));
    assert.equal(winners.length, 1, `one append wins revision ${revision + 1}, not ${winners.length}`);
    const [record] = await store.read("s", revision, 10);
    assert.equal(record?.appendId, `${revision}-${winners[0]}`);
  }
  assert.equal((await store.load("s")).revision, 10);
}

/** Adds to the end of a stream, and tries again after each conflict. */
async function push(store: DurableStore, stream: string, data: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { revision } = await store.load(stream);
    const { kind } = await store.append(`${data}-${attempt}`, [write(stream, revision, data)]);
    if (kind === "appended") return;
  }
}

/** Several handles, each used by several writers at once; every record is there once, and in the order of its writer. */
async function allArrive(stores: readonly DurableStore[]): Promise<void> {
  const each = 8;
  const writers = stores.flatMap((store, handle) =>
    numbers(4).map((writer) => ({ store, name: `${handle}-${writer}` })),
  );
  await Promise.all(
    writers.map(async ({ store, name }) => {
      for (const index of numbers(each)) await push(store, "s", `${name}-${index}`);
    }),
  );
  for (const store of stores) {
    const data = await allData(store, "s");
    assert.equal(data.length, writers.length * each);
    for (const { name } of writers) {
      assert.deepEqual(
        data.filter((text) => text.startsWith(`${name}-`)),
        numbers(each).map((index) => `${name}-${index}`),
      );
    }
  }
}

/** Appends over pairs of streams that overlap, in every order, so that they could deadlock. */
async function allOrNone(stores: readonly DurableStore[]): Promise<void> {
  const pairs = [
    ["a", "b"],
    ["b", "c"],
    ["c", "a"],
    ["b", "a"],
  ] as const;
  const appended: { id: string; streams: readonly string[] }[] = [];
  await Promise.all(
    pairs.flatMap((streams, pair) =>
      stores.map(async (store, handle) => {
        for (const round of numbers(12)) {
          const id = `${pair}-${handle}-${round}`;
          const loaded = await Promise.all(streams.map((stream) => store.load(stream)));
          const writes = streams.map((stream, index) => write(stream, loaded[index]?.revision ?? 0, id));
          if ((await store.append(id, writes)).kind === "appended") appended.push({ id, streams });
        }
      }),
    ),
  );
  const [store] = stores;
  assert.ok(store !== undefined && appended.length > 0, "some appends got through");
  for (const stream of ["a", "b", "c"]) {
    const expected = appended.filter(({ streams }) => streams.includes(stream)).map(({ id }) => id);
    assert.deepEqual([...(await allData(store, stream))].sort(), expected.sort());
  }
}

/** Reads while others write: whatever is loaded is consistent. */
async function ofOneMoment(writer: DurableStore, reader: DurableStore): Promise<void> {
  let isWriting = true;
  const reading = (async () => {
    while (isWriting) {
      const { revision, head, snapshot, records } = await reader.load("s");
      if (revision === 0) continue;
      assert.equal(head, JSON.stringify({ revision }));
      const from = snapshot?.revision ?? 0;
      assert.deepEqual(
        records.map((record) => record.revision),
        numbers(revision - from).map((index) => from + index + 1),
      );
      if (snapshot !== null) assert.equal(snapshot.data, String(snapshot.revision));
    }
  })();
  for (const round of numbers(60)) {
    const next = write("s", round * 2, "1", "2");
    const snapshot = round % 3 === 0 ? { snapshot: String(round * 2 + 2) } : {};
    await writer.append(`round-${round}`, [{ ...next, ...snapshot }]);
  }
  isWriting = false;
  await reading;
}

async function twoHandles({ open, reopen }: Place): Promise<readonly [DurableStore, DurableStore]> {
  const store = await open();
  return [store, await reopen(store)];
}

export const CONCURRENT_CASES: readonly StoreCase[] = [
  { name: "lets exactly one of many writers have each revision", run: oneWins },
  { name: "loses and doubles nothing of many writers", run: async ({ open }) => allArrive([await open()]) },
  {
    name: "keeps appends to several streams whole while they overlap",
    run: async ({ open }) => allOrNone([await open()]),
  },
  {
    name: "loads what is of one moment while others write",
    async run({ open }) {
      const store = await open();
      await ofOneMoment(store, store);
    },
  },
  {
    name: "loses and doubles nothing of writers with handles of their own",
    needsReopen: true,
    run: async (place) => allArrive(await twoHandles(place)),
  },
  {
    name: "keeps appends to several streams whole while they overlap, with handles of their own",
    needsReopen: true,
    run: async (place) => allOrNone(await twoHandles(place)),
  },
  {
    name: "loads what is of one moment while others write with a handle of their own",
    needsReopen: true,
    async run(place) {
      const [writer, reader] = await twoHandles(place);
      await ofOneMoment(writer, reader);
    },
  },
];
