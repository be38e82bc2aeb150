import assert from "node:assert/strict";
import type { DurableStore, StreamChange } from "../../guard/durable-store.js";
import { allData, type StoreCase, until, write } from "./case.js";

function heardIn(changes: readonly StreamChange[], stream: string): number {
  return Math.max(0, ...changes.filter((change) => change.stream === stream).map(({ revision }) => revision));
}

const watchOwn: StoreCase = {
  name: "tells of its own appends to a stream that is watched, and of no other stream",
  async run({ open }) {
    const store = await open();
    await store.append("1", [write("s", 0, "1")]);
    const heard: StreamChange[] = [];
    const stop = await store.watch("s", (change) => heard.push(change));
    await store.append("2", [write("s", 1, "2", "3"), write("t", 0, "1")]);
    await until("the append is heard of", () => heardIn(heard, "s") === 3);
    await store.append("conflict", [write("s", 1, "2")]);
    stop();
    const later: StreamChange[] = [];
    await store.watch("s", (change) => later.push(change));
    await store.append("3", [write("s", 3, "4")]);
    await until("the append is heard of by who still watches", () => heardIn(later, "s") === 4);
    assert.deepEqual(heard, [{ stream: "s", revision: 3 }]);
  },
};

const watchTwice: StoreCase = {
  name: "tells everybody who watches, whatever one of them throws",
  async run({ open }) {
    const store = await open();
    const heard: StreamChange[] = [];
    const stopFailing = await store.watch("s", () => {
      throw new Error("a listener of the conformance suite");
    });
    const listener = (change: StreamChange) => heard.push(change);
    const stopFirst = await store.watch("s", listener);
    await store.watch("s", listener);
    await store.append("1", [write("s", 0, "1")]);
    await until("both hear of it", () => heard.length === 2);
    stopFirst();
    stopFirst();
    stopFailing();
    await store.append("2", [write("s", 1, "2")]);
    await until("the other goes on", () => heardIn(heard, "s") === 2);
    assert.equal(heard.length, 3);
  },
};

const watchOthers: StoreCase = {
  name: "tells of what others append",
  needsReopen: true,
  async run({ open, reopen }) {
    const store = await open();
    const other = await reopen(store);
    await other.append("0", [write("s", 0, "1")]);
    const heard: StreamChange[] = [];
    await store.watch("s", (change) => heard.push(change));
    await store.watch("new", (change) => heard.push(change));
    await other.append("1", [write("s", 1, "2")]);
    await until("the append of the other is heard of", () => heardIn(heard, "s") === 2);
    await other.append("2", [write("new", 0, "1"), write("elsewhere", 0, "1")]);
    await until("the stream that was new is heard of", () => heardIn(heard, "new") === 1);
    for (let revision = 2; revision < 30; revision += 1) {
      await other.append(`3-${revision}`, [write("s", revision, "x")]);
    }
    await until("the last of many is heard of", () => heardIn(heard, "s") === 30);
    assert.equal(heardIn(heard, "elsewhere"), 0);
    const told = heard.filter(({ stream }) => stream === "s").map(({ revision }) => revision);
    assert.deepEqual(
      told,
      [...new Set(told)].sort((a, b) => a - b),
    );
  },
};

function everything(store: DurableStore): readonly Promise<unknown>[] {
  return [
    store.load("s"),
    store.append("later", [write("s", 1, "2")]),
    store.read("s", 0, 10),
    store.list(),
    store.watch("s", () => {}),
  ];
}

const closes: StoreCase = {
  name: "does what is under way when it is closed, and nothing afterwards",
  async run({ open }) {
    const store = await open();
    const underWay = Promise.all([
      store.append("1", [write("s", 0, "1")]),
      store.append("2", [write("t", 0, "1")]),
      store.load("u"),
    ]);
    const closed = store.close();
    const [first, second] = await underWay;
    assert.deepEqual([first.kind, second.kind], ["appended", "appended"]);
    await closed;
    await store.close();
    for (const result of await Promise.allSettled(everything(store))) assert.equal(result.status, "rejected");
  },
};

const reopens: StoreCase = {
  name: "has everything when it is opened again",
  needsReopen: true,
  async run({ open, reopen }) {
    const store = await open();
    await store.append("1", [{ ...write("s", 0, "1", "2"), snapshot: '"two"' }, write("t", 0, "1")]);
    await store.append("2", [write("s", 2, "3")]);
    const { now: _, ...before } = await store.load("s");
    const listed = await store.list();
    await store.close();
    const again = await reopen(store);
    const { now: __, ...after } = await again.load("s");
    assert.deepEqual(after, before);
    assert.deepEqual(await again.list(), listed);
    assert.deepEqual(await allData(again, "s"), ["1", "2", "3"]);
    assert.equal((await again.append("2", [write("s", 2, "3")])).kind, "appended");
    assert.equal((await again.append("3", [write("s", 3, "4")])).kind, "appended");
    assert.deepEqual(await allData(again, "s"), ["1", "2", "3", "4"]);
  },
};

const handles: StoreCase = {
  name: "shows at once what another handle has appended, and refuses what it did not expect",
  needsReopen: true,
  async run({ open, reopen }) {
    const store = await open();
    const other = await reopen(store);
    assert.equal((await store.append("1", [write("s", 0, "1")])).kind, "appended");
    assert.equal((await other.load("s")).revision, 1);
    assert.equal((await other.append("2", [write("s", 0, "1")])).kind, "conflict");
    assert.equal((await other.append("1", [write("s", 0, "1")])).kind, "appended");
    assert.equal((await other.append("2", [write("s", 1, "2")])).kind, "appended");
    assert.deepEqual(await allData(store, "s"), ["1", "2"]);
    await other.close();
    assert.equal((await store.append("3", [write("s", 2, "3")])).kind, "appended");
  },
};

export const LIFE_CASES: readonly StoreCase[] = [watchOwn, watchTwice, watchOthers, closes, reopens, handles];
