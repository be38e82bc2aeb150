import { describe, expect, it } from "vitest";
import type { DurableStore, LoadedStream } from "../../../src/guard/durable-store.js";
import { memory, pay, paymentGuard } from "../../support/durable-guard.js";
import { told } from "../../support/guard-steps.js";

/** A store whose answers to `load` are changed. */
function lying(store: DurableStore, load: (stream: string, after?: number) => Promise<LoadedStream>): DurableStore {
  return Object.assign(Object.create(store) as DurableStore, {
    load: (stream: string, options?: { readonly after?: number }) => load(stream, options?.after),
  });
}

/** Beyond the first snapshot. */
const MANY = 300;

describe("a store that answers with another session", () => {
  it.each([
    ["its records", 1],
    ["its snapshot", MANY],
  ])("is not believed: %s", async (_, count) => {
    const store = await memory();
    const guard = await paymentGuard(store, { sessionId: "other" });
    for (let done = 0; done < count; done++) await guard.beginStep();
    const mixed = lying(store, () => store.load("session/other"));
    await expect(paymentGuard(mixed, { sessionId: "own" })).rejects.toMatchObject({ reason: "store_unavailable" });
    expect(told(await (await paymentGuard(store, { sessionId: "other" })).propose(pay(1)))).toBe("allow");
  });
});
