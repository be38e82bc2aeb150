import { setTimeout } from "node:timers/promises";
import type { DurableStore, StreamWrite } from "../../src/guard/durable-store.js";

/** One record behind a revision. */
export function one(stream: string, expectedRevision: number, data = String(expectedRevision + 1)): StreamWrite {
  return { stream, expectedRevision, records: [data], head: "{}" };
}

/** Sends an append again and again until it is answered, as a guard does that lost the answer. */
export async function insist(store: DurableStore, id: string, writes: readonly StreamWrite[]): Promise<string> {
  const end = performance.now() + 20_000;
  for (;;) {
    try {
      return (await store.append(id, writes)).kind;
    } catch (cause) {
      if (performance.now() > end) throw cause;
      await setTimeout(20);
    }
  }
}

/** The data of all records of a stream. */
export async function dataOf(store: DurableStore, stream: string): Promise<readonly string[]> {
  const records = await store.read(stream, 0, 10_000);
  return records.map(({ data }) => data);
}

/** Waits for something that happens while the test runs. */
export async function eventually(isSo: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`it did not happen within ${ms} ms`);
    await setTimeout(10);
  }
}
