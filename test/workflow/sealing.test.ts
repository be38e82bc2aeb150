import { expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { memory, propose, run, team, WORKFLOW } from "./team.js";

/** Seals by reversing; the next `failures` texts that `fails` describes are not sealed. */
function unreliable() {
  const reversed = (text: string) => Array.from(text).reverse().join("");
  const sealing = {
    failures: 0,
    fails: (_text: string) => true,
    seal(text: string): string {
      if (sealing.failures > 0 && sealing.fails(text)) {
        sealing.failures -= 1;
        throw new Error("no key");
      }
      return reversed(text);
    },
    open: reversed,
  };
  return sealing;
}

async function headOf(store: DurableStore): Promise<unknown> {
  const [listed] = await store.list({ prefix: `workflow/${WORKFLOW}`, limit: 1 });
  return JSON.parse(listed?.head ?? "null");
}

async function setting() {
  const store = await memory();
  const sealing = unreliable();
  const { seal, open } = sealing;
  const workflow = await team({ shared: "exclusive_pending" }, { store, seal, open, storeTimeoutMs: 100 });
  const lead = await workflow.start("lead", { sessionId: "lead" });
  // What the workflow records of a session.
  sealing.fails = (text) => text.includes('"progressed"');
  return { store, sealing, seal, open, workflow, lead };
}

it("a call that could not be sealed at first is recorded and settled once", async () => {
  const { sealing, lead } = await setting();
  sealing.failures = 1;
  expect(await propose(lead, "edit", { file: "x" })).toBe("allow");
  sealing.failures = 1;
  expect(await lead.guard.settle("call_1", { kind: "result", output: {} })).toEqual({ accepted: true });
});

it("what could not be sealed is in no later head and no snapshot", async () => {
  const { store, sealing, seal, open, workflow, lead } = await setting();
  sealing.failures = Number.POSITIVE_INFINITY;
  expect(await propose(lead, "edit", { file: "x" })).toBe("store_unavailable");
  sealing.fails = (text) => text.includes('"started"');
  await expect(workflow.start("lead", { sessionId: "never" })).rejects.toThrow("never");
  sealing.failures = 0;
  for (let n = 0; n < 130; n += 1) await run(lead, "edit", { file: "y" });
  expect(await headOf(store)).toMatchObject({ sessions: 1, active: 1 });
  expect((await store.load(`workflow/${WORKFLOW}`)).snapshot).not.toBeNull();
  const other = await team({ shared: "exclusive_pending" }, { store, seal, open });
  expect(await other.state()).toEqual(await workflow.state());
});
