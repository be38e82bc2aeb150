import assert from "node:assert/strict";
import type { DurableStore, StreamChange } from "../../guard/durable-store.js";
import { allData, type StoreCase, until, write } from "./case.js";

function lastIn(changes: readonly StreamChange[], stream: string): number {
  return Math.max(0, ...changes.filter((change) => change.stream === stream).map(({ revision }) => revision));
}

const watchOwn: StoreCase = {
  name: "reports its own appends to a stream that is watched, and to no other stream",
  async run({ open }) {
    const store = await open();
    await store.append("1", [write("s", 0, "1")]);
    const changes: StreamChange[] = [];
    const stop = await store.watch("s", (change) => changes.push(change));
    await store.append("2", [write("s", 1, "2", "3"), write("t", 0, "1")]);
    await until("the append is reported", () => lastIn(changes, "s") === 3);
    await store.append("conflict", [write("s", 1, "2")]);
    stop();
    const later: StreamChange[] = [];
    await store.watch("s", (change) => later.push(change));
    await store.append("3", [write("s", 3, "4")]);
    await until("the append is reported to the watcher that is left", () => lastIn(later, "s") === 4);
    assert.deepEqual(changes, [{ stream: "s", revision: 3 }]);
  },
};

const watchTwice: StoreCase = {
  name: "notifies every watcher, even if one of them throws",
  async run({ open }) {
    const store = await open();
    const changes: StreamChange[] = [];
    const stopFailing = await store.watch("s", () => {
      throw new Error("a listener of the conformance suite");
    });
    const listener = (change: StreamChange) => changes.push(change);
    const stopFirst = await store.watch("s", listener);
    await store.watch("s", listener);
    await store.append("1", [write("s", 0, "1")]);
    await until("both are notified", () => changes.length === 2);
    stopFirst();
    stopFirst();
    stopFailing();
    await store.append("2", [write("s", 1, "2")]);
    await until("the other is still notified", () => lastIn(changes, "s") === 2);
    assert.equal(changes.length, 3);
  },
};

const watchOthers: StoreCase = {
  name: "reports what others append",
  needsReopen: true,
  async run({ open, reopen }) {
    const store = await open();
    const other = await reopen(store);
    await other.append("0", [write("s", 0, "1")]);
    const changes: StreamChange[] = [];
    await store.watch("s", (change) => changes.push(change));
    await store.watch("new", (change) => changes.push(change));
    await other.append("1", [write("s", 1, "2")]);
    await until("the append of the other is reported", () => lastIn(changes, "s") === 2);
    await other.append("2", [write("new", 0, "1"), write("elsewhere", 0, "1")]);
    await until("the new stream is reported", () => lastIn(changes, "new") === 1);
    for (let revision = 2; revision < 30; revision += 1) {
      await other.append(`3-${revision}`, [write("s", revision, "x")]);
    }
    await until("the last of many is reported", () => lastIn(changes, "s") === 30);
    assert.equal(lastIn(changes, "elsewhere"), 0);
    const revisions = changes.filter(({ stream }) => stream === "s").map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      [...new Set(revisions)].sort((a, b) => a - b),
    );
  },
};

const watchInTurn: StoreCase = {
  name: "reports what others append to a watcher that begins while the one before it ends",
  needsReopen: true,
  async run({ open, reopen }) {
    const store = await open();
    const other = await reopen(store);
    const stopFirst = await store.watch("s", () => {});
    const changes: StreamChange[] = [];
    const beginning = store.watch("s", (change) => changes.push(change));
    stopFirst();
    const stop = await beginning;
    await other.append("1", [write("s", 0, "1")]);
    await until("the append of the other is reported", () => lastIn(changes, "s") === 1);
    stop();
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
    // One append: where transactions are serializable, a server may roll back one of two that overlap.
    const underWay = Promise.all([
      store.append("1", [write("s", 0, "1"), write("t", 0, "1")]),
      store.load("u"),
      store.read("u", 0, 10),
      store.list({ prefix: "u" }),
    ]);
    const closed = store.close();
    const [appended, ...read] = await underWay;
    assert.equal(appended.kind, "appended");
    assert.equal(read.length, 3);
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

export const LIFE_CASES: readonly StoreCase[] = [
  watchOwn,
  watchTwice,
  watchOthers,
  watchInTurn,
  closes,
  reopens,
  handles,
];
