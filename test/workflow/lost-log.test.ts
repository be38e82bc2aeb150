import { expect, it } from "vitest";
import { verifyStore } from "../../src/audit/verify-store.js";
import { contentsOf, inStream, rewritten } from "../support/rewritten-store.js";
import { memory, propose, team, WORKFLOW } from "./team.js";

const LOG = `workflow/${WORKFLOW}`;

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
