import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { memory, team } from "./team.js";

/** A store that takes its time, as one behind a network does. */
function distant(inner: DurableStore): DurableStore {
  return {
    kind: inner.kind,
    async load(stream, options) {
      const loaded = await inner.load(stream, options);
      await setImmediate();
      return loaded;
    },
    append: (appendId, writes) => inner.append(appendId, writes),
    read: (stream, after, limit) => inner.read(stream, after, limit),
    list: (options) => inner.list(options),
    watch: (stream, listener) => inner.watch(stream, listener),
    close: () => inner.close(),
  };
}

it("sessions are attached while other sessions of the process read, and other processes record", async () => {
  const inner = await memory();
  const here = await team({}, { store: inner });
  const there = await team({}, { store: distant(inner) });
  await here.start("lead", { sessionId: "lead" });
  for (let round = 0; round < 20; round += 1) {
    const reading = [there.attach("lead"), there.state(), there.attach("lead"), there.state()];
    for (let at = 0; at < 3; at += 1) {
      await here.start("lead", { sessionId: `${round}-${at}` });
      await setImmediate();
    }
    await Promise.all(reading);
  }
  expect((await there.state()).totals).toMatchObject({ sessions: 61 });
});
