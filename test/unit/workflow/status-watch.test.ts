import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { StatusWatch } from "../../../src/workflow/log/status-watch.js";
import { newWorkflow } from "../../../src/workflow/state/workflow-state.js";
import { run, team } from "../../workflow/team.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => Promise<void> = runInNewContext("() => gc({ execution: 'async' })");

/** A map that counts how often it is asked. */
class AskedMap<V> extends Map<string, V> {
  asked = 0;

  override get(name: string): V | undefined {
    this.asked += 1;
    return super.get(name);
  }
}

it("who watches a session for an object is forgotten with that object", async () => {
  const watch = new StatusWatch(
    () => () => undefined,
    async () => undefined,
  );
  const sessions = new AskedMap<never>();
  const state = { ...newWorkflow(), sessions };
  const told: string[] = [];
  const used = {};
  watch.add(state, { session: "lead", listener: () => told.push("used"), usedBy: used });
  watch.add(state, { session: "lead", listener: () => told.push("kept"), usedBy: undefined });
  const add = () => watch.add(state, { session: "lead", listener: () => told.push("gone"), usedBy: {} });
  for (let at = 0; at < 100; at++) add();
  const isForgotten = async () => {
    await collectGarbage();
    sessions.asked = 0;
    watch.tell(state);
    expect(sessions.asked).toBeLessThanOrEqual(5);
  };
  // Collecting takes its time where the process is large and the machine busy.
  await vi.waitFor(isForgotten, 60_000);
  state.isKilled = true;
  watch.tell(state);
  expect(told.filter((who) => who !== "gone")).toEqual(["used", "kept"]);
  expect(used).toEqual({});
}, 120_000);

it("calls and steps cost nothing for those who watch for the end of sessions", async () => {
  const here = await team();
  const lead = await here.start("lead", { sessionId: "lead" });
  await here.attach("lead");
  const tell = vi.spyOn(StatusWatch.prototype, "tell");
  try {
    expect([await run(lead, "edit"), await run(lead, "look")]).toEqual(["allow", "allow"]);
    await lead.guard.beginStep();
    await here.state();
    expect(tell).not.toHaveBeenCalled();
    await lead.close();
    expect(tell).toHaveBeenCalledOnce();
  } finally {
    tell.mockRestore();
  }
});
