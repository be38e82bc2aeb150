import { expect, it } from "vitest";
import { verifyStore } from "../../src/audit/verify-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { contentsOf, inStream, relinked, rewritten } from "../support/rewritten-store.js";
import { memory, propose, run, team, WORKFLOW } from "./team.js";

const LOG = `workflow/${WORKFLOW}`;
const SESSION = "session/first";

/** Two sessions, one of which holds a file; then the log of the workflow alone is put back to its first two records. */
async function putBack() {
  const store = await memory();
  const before = await team({ shared: "single_writer" }, { store });
  await before.start("lead", { sessionId: "first" });
  await before.start("lead", { sessionId: "second" });
  const head = (await contentsOf(store)).get(LOG)?.head ?? "";
  const first = await before.attach("first");
  expect(await propose(first, "edit", { file: "x" })).toBe("allow");
  expect(await propose(first, "look")).toBe("allow");
  return rewritten(
    store,
    inStream(LOG, ({ records }) => ({ records: records.slice(0, 2), head, snapshot: null })),
  );
}

it("verifying a store notices that the log of a workflow lacks what its sessions were judged by", async () => {
  const { ok, problems } = await verifyStore(await putBack());
  expect(ok).toBe(false);
  expect(problems).toMatchObject([{ workflow: WORKFLOW, index: 3 }]);
  const without = await rewritten(await putBack(), (stream, content) => (stream === LOG ? null : content));
  expect((await verifyStore(without)).problems).toMatchObject([{ workflow: WORKFLOW, index: 1 }]);
});

it("a session whose workflow lacks what it was judged by is not opened", async () => {
  const store = await putBack();
  const workflow = await team({ shared: "single_writer" }, { store });
  await expect(workflow.attach("first")).rejects.toThrow("records of its workflow are missing");
});

/** A session of two processes; then its own log alone is put back to what it was before its last call. */
async function sessionPutBack() {
  const store = await memory();
  const before = await team({ limits: "{ max_total_steps: 3 }" }, { store });
  const first = await before.start("lead", { sessionId: "first" });
  expect(await run(first, "look")).toBe("allow");
  const old = (await contentsOf(store)).get(SESSION);
  if (old === undefined) throw new Error("the session has no log");
  expect(await run(first, "edit", { file: "x" })).toBe("allow");
  const copy = await rewritten(
    store,
    inStream(SESSION, () => old),
  );
  return { before: store, copy };
}

it("a session that lacks what its workflow has counted is not opened, and nothing is counted anew", async () => {
  const { copy } = await sessionPutBack();
  const workflow = await team({ limits: "{ max_total_steps: 3 }" }, { store: copy });
  await expect(workflow.attach("first")).rejects.toThrow("records of the session are missing");
  expect((await workflow.state()).totals.steps).toBe(2);
});

it("verifying a store notices that a session lacks what its workflow has counted", async () => {
  const { before, copy } = await sessionPutBack();
  expect((await verifyStore(before)).problems).toEqual([]);
  expect((await verifyStore(copy)).problems).toMatchObject([{ session: "first", index: 4 }]);
  const without = await rewritten(copy, (stream, content) => (stream === SESSION ? null : content));
  expect((await verifyStore(without)).problems).toMatchObject([{ session: "first", index: 1 }]);
});

it("a log of the workflow that others continued otherwise after it was put back is refused by name", async () => {
  let current = await memory();
  const store: DurableStore = {
    kind: "memory",
    load: (...given) => current.load(...given),
    append: (...given) => current.append(...given),
    read: (...given) => current.read(...given),
    list: (...given) => current.list(...given),
    watch: (...given) => current.watch(...given),
    close: async () => undefined,
  };
  const before = await team({}, { store });
  const first = await before.start("lead", { sessionId: "first" });
  const backup = await rewritten(current, (_, content) => content);
  await before.start("lead", { sessionId: "second" });
  current = backup;
  await (await team({}, { store: backup })).start("lead", { sessionId: "third" });
  const recorded = (await contentsOf(backup)).get(SESSION)?.records;
  for (const _ of [1, 2]) expect(await propose(first, "look")).toBe("store_unavailable");
  expect((await contentsOf(backup)).get(SESSION)?.records).toEqual(recorded);
  expect((await verifyStore(backup)).problems).toEqual([]);
});

it.each(["\0", "\ud800", "x".repeat(600)])(
  "verifying a store reports a session that no store can have (%#)",
  async (id) => {
    const store = await memory();
    await (await team({}, { store })).start("lead", { sessionId: "first" });
    const named = (data: string) => data.replace('"session":"first"', `"session":${JSON.stringify(id)}`);
    const forged = await rewritten(
      store,
      inStream(LOG, (content) =>
        relinked({
          ...content,
          records: content.records.map(({ appendId, data }) => ({ appendId, data: named(data) })),
        }),
      ),
    );
    expect((await verifyStore(forged)).problems).toMatchObject([{ workflow: WORKFLOW, index: 1 }]);
  },
);
