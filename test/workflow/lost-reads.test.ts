import { expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { memory, team } from "./team.js";

/** A store of which streams of one kind cannot be read for a while. */
function halfReadable(inner: DurableStore): { readonly store: DurableStore; away: "session/" | "workflow/" | null } {
  const fault = { away: null };
  const store: DurableStore = {
    kind: inner.kind,
    async load(stream, options) {
      if (fault.away !== null && stream.startsWith(fault.away)) throw new Error("away");
      return inner.load(stream, options);
    },
    append: (appendId, writes) => inner.append(appendId, writes),
    read: (stream, after, limit) => inner.read(stream, after, limit),
    list: (options) => inner.list(options),
    watch: (stream, listener) => inner.watch(stream, listener),
    close: () => inner.close(),
  };
  return Object.assign(fault, { store });
}

it("what was read of a session counts, even if the coordinator could not be read after it", async () => {
  const inner = await memory();
  const faulty = halfReadable(inner);
  const here = await team({}, { store: inner });
  const there = await team({}, { store: faulty.store });
  const lead = await here.start("lead", { sessionId: "lead" });
  const again = await there.attach("lead");
  const verdict = await lead.guard.propose({ tool: "edit", args: { file: "x" } });
  expect(verdict).toMatchObject({ kind: "allow" });
  const look = () => again.guard.propose({ tool: "look", args: {} });
  // It learns that it is outdated, and cannot read the session.
  faulty.away = "session/";
  expect(await look()).toMatchObject({ reason: "store_unavailable" });
  // The coordinator is up to date again, then the session is read, and then the coordinator cannot be.
  await there.state();
  faulty.away = "workflow/";
  expect(await look()).toMatchObject({ reason: "store_unavailable" });
  faulty.away = null;
  expect(await look()).toMatchObject({ kind: "allow" });
  expect(again.guard.state()).toMatchObject({ steps: 2, toolCalls: 2 });
  const callId = "callId" in verdict ? verdict.callId : "";
  expect(await again.guard.settle(callId, { kind: "result", output: {} })).toEqual({ accepted: true });
});
