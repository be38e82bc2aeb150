import { describe, expect, it } from "vitest";
import type { DurableStore, StreamWrite } from "../../src/guard/durable-store.js";
import { storeConformance } from "../../src/stores/conformance/suite.js";
import { MemoryStore } from "../../src/stores/memory-store.js";

type Broken = (store: DurableStore) => Partial<DurableStore>;

function withoutLast({ expectedLast: _last, ...write }: StreamWrite): StreamWrite {
  return write;
}

/** What a store may do wrong that harms a guard, or whoever looks after its sessions. */
const BROKEN: Readonly<Record<string, Broken>> = {
  "does not ask who wrote the last record": (store) => ({
    append: (id, writes) => store.append(id, writes.map(withoutLast)),
  }),
  "asks that of the first stream only": (store) => ({
    append: (id, [first, ...others]) =>
      store.append(id, first === undefined ? [] : [first, ...others.map((write) => withoutLast(write))]),
  }),
  "writes to one stream after the other": (store) => ({
    async append(id, writes) {
      const results = [];
      for (const write of writes) results.push(await store.append(id, [write]));
      return results.find(({ kind }) => kind === "conflict") ?? { kind: "appended", now: null };
    },
  }),
  "takes fewer records at once": (store) => ({
    async append(id, writes) {
      if (writes.some(({ records }) => records.length > 1_000)) throw new Error("too many records");
      return store.append(id, writes);
    },
  }),
  "has a clock that stands still": (store) => {
    const now = Date.now();
    return {
      load: async (stream, options) => ({ ...(await store.load(stream, options)), now }),
      append: async (id, writes) => ({ ...(await store.append(id, writes)), now }),
    };
  },
  "remembers when a stream began": (store) => {
    const begun = new Map<string, number>();
    return {
      list: async (options) =>
        (await store.list(options)).map((listed) => {
          const updated = begun.get(listed.stream) ?? listed.updated;
          begun.set(listed.stream, updated);
          return { ...listed, updated };
        }),
    };
  },
};

function opened(broken: Broken): DurableStore {
  const store = new MemoryStore(Date.now);
  const other = broken(store);
  return new Proxy<DurableStore>(store, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(other, name) ? other : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function failures(broken: Broken): Promise<readonly string[]> {
  const cases = storeConformance({ open: async () => opened(broken) });
  const failed = await Promise.all(
    cases.map(({ name, run }) =>
      run().then(
        () => [],
        () => [name],
      ),
    ),
  );
  return failed.flat();
}

describe("the conformance suite", () => {
  it("finds nothing wrong with a store that is not broken", async () => {
    expect(await failures(() => ({}))).toEqual([]);
  });

  it.each(Object.entries(BROKEN))("refuses a store that %s", async (_, broken) => {
    expect(await failures(broken)).not.toEqual([]);
  });
});
