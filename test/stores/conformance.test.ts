import { join } from "node:path";
import { describe, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { type ConformanceSetting, storeConformance } from "../../src/stores/conformance/suite.js";
import { openStore, type StoreOptions } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { storeFolder } from "../support/store-folder.js";

/** A kind of store that is found again by its URL. */
function byUrl(newUrl: () => Promise<string>, options: StoreOptions = {}): ConformanceSetting {
  const urls = new WeakMap<DurableStore, string>();
  const openAt = async (url: string) => {
    const store = await openStore(url, options);
    urls.set(store, url);
    return store;
  };
  return {
    open: async () => openAt(await newUrl()),
    reopen: async (store) => openAt(urls.get(store) ?? ""),
  };
}

function runSuite(setting: ConformanceSetting): void {
  const cases = storeConformance(setting).map((one) => [one.name, one.run] as const);
  it.each(cases)("%s", { timeout: 60_000 }, async (_, run) => run());
}

const newFile = async () => `sqlite:${join(storeFolder(), "guard.db")}`;

const STRICT = ["default_transaction_isolation=serializable"];

describe("a memory store", () => runSuite({ open: () => openStore("memory:") }));
describe("a sqlite store", () => runSuite(byUrl(newFile)));
describe("a sqlite store that does not wait for the disk", () => runSuite(byUrl(newFile, { synchronous: "normal" })));
describe.skipIf(POSTGRES === null)(`a postgres store${POSTGRES_MISSING}`, () => runSuite(byUrl(() => newSchema())));
describe.skipIf(POSTGRES === null)(`a postgres store whose server reports conflicts as errors${POSTGRES_MISSING}`, () =>
  runSuite(byUrl(() => newSchema(STRICT))),
);
describe.skipIf(POSTGRES === null)(`a postgres store without prepared statements${POSTGRES_MISSING}`, () =>
  runSuite(byUrl(() => newSchema(), { preparedStatements: false })),
);
