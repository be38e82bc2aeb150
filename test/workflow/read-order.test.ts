import { expect, it } from "vitest";
import type { LoadedStream } from "../../src/guard/durable-store.js";
import { LossyStore } from "../support/lossy-store.js";
import { memory, propose, team } from "./team.js";

/** A store in which somebody else acts right before a session is read. */
class InterruptedStore extends LossyStore {
  beforeSession: (() => Promise<void>) | null = null;

  override async load(stream: string, options?: { readonly after?: number }): Promise<LoadedStream> {
    const act = stream.startsWith("session/") ? this.beforeSession : null;
    if (act !== null) this.beforeSession = null;
    await act?.();
    return super.load(stream, options);
  }
}

it("a call that another process reserves while both logs are read is known to the workflow when it is settled", async () => {
  const inner = await memory();
  const store = new InterruptedStore(inner);
  const setting = { shared: "exclusive_pending" };
  const here = await team(setting, { store: inner });
  const there = await team(setting, { store, storeTimeoutMs: 100 });
  const lead = await here.start("lead", { sessionId: "lead" });
  await lead.guard.beginStep();
  const rival = await here.start("lead", { sessionId: "rival" });
  const attached = await there.attach("lead");
  store.appends = () => "request lost";
  expect(await propose(attached, "look")).toBe("store_unavailable");
  store.appends = () => "pass";
  store.beforeSession = async () => {
    expect(await propose(lead, "edit", { file: "x" })).toBe("allow");
  };
  expect(await propose(attached, "ghost")).toBe("unmatched_tool");
  const [call] = attached.guard.unsettled();
  expect(await attached.guard.settle(call?.callId ?? "", { kind: "did_not_happen" })).toEqual({ accepted: true });
  expect((await here.state()).resources).toEqual([]);
  expect(await propose(rival, "edit", { file: "x" })).toBe("allow");
});
