import type { DurableStore } from "../../guard/durable-store.js";
import { APPEND_CASES } from "./append-cases.js";
import type { ConformanceSetting, Place, StoreCase } from "./case.js";
import { CONCURRENT_CASES } from "./concurrent-cases.js";
import { LIFE_CASES } from "./life-cases.js";
import { READ_CASES } from "./read-cases.js";

export type { ConformanceSetting } from "./case.js";

/** One thing that a store has to do; `run` rejects where it does not. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}

const CASES: readonly StoreCase[] = [...READ_CASES, ...APPEND_CASES, ...CONCURRENT_CASES, ...LIFE_CASES];

/** Runs a case, and closes every store that it has opened. */
async function runCase({ run }: StoreCase, { open, reopen }: ConformanceSetting): Promise<void> {
  const opened: DurableStore[] = [];
  const kept = async (opening: Promise<DurableStore>) => {
    const store = await opening;
    opened.push(store);
    return store;
  };
  const place: Place = {
    open: () => kept(open()),
    reopen: (store) => kept(reopen === undefined ? Promise.resolve(store) : reopen(store)),
  };
  try {
    await run(place);
  } finally {
    await Promise.all(opened.map((store) => store.close()));
  }
}

/**
 * What a store has to do so that a guard can rely on it, for every test framework: give each case a test of its own, and
 * at least 30 seconds.
 */
export function storeConformance(setting: ConformanceSetting): readonly ConformanceCase[] {
  return CASES.filter(({ needsReopen = false }) => !needsReopen || setting.reopen !== undefined).map((one) => ({
    name: one.name,
    run: () => runCase(one, setting),
  }));
}
