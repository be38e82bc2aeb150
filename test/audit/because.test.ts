import { describe, expect, it } from "vitest";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import { approvalText } from "../../src/cli/operating/approval-text.js";
import { principalDigest } from "../../src/guard/durable/recording.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import type { GuardEvents } from "../../src/guard/public.js";
import { openApprovals } from "../../src/sessions/approvals.js";
import { approvalIdOf, callIdOf, memory, recordsOf, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { inStream, relinked, rewritten } from "../support/rewritten-store.js";

const ARTIFACT = artifactOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.amount, lte: 100, reason: At most a hundred }]
#== pay.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true, reason: The bank confirms }] }
checkpoint: { when: [{ path: $.to, equals: abroad }], timeout_seconds: 60, reason: Payments abroad are checked }
`);

async function played(): Promise<DurableStore> {
  const store = await memory();
  const options = { store, sessionId: SESSION, env: {}, approver: "manual", clock: { now: () => 0 } } as const;
  const guard = await createGuard(ARTIFACT, options);
  const requested: GuardEvents["approval_requested"][] = [];
  guard.on("approval_requested", (event) => requested.push(event));
  await guard.propose({ tool: "pay", args: { amount: 101, to: "here" } });
  const paid = callIdOf(await guard.propose({ tool: "pay", args: { amount: 1, to: "here" } }));
  await guard.settle(paid, { kind: "result", output: { ok: false } });
  const asked = approvalIdOf(await guard.propose({ tool: "pay", args: { amount: 1, to: "abroad" } }));
  expect(requested).toMatchObject([{ because: "Payments abroad are checked" }]);
  const shown = await openApprovals(store).show(asked);
  expect(approvalText(shown)).toMatch(/because +Payments abroad are checked\n/);
  expect(shown).toMatchObject({ because: "Payments abroad are checked" });
  await guard.deny(asked, { by: "ann" });
  // Another process knows the end of the request from the store alone.
  const later = await createGuard(ARTIFACT, options);
  expect(await later.resume(asked)).toMatchObject({ because: "Payments abroad are checked" });
  return store;
}

function problemsOf(store: DurableStore) {
  const principals = new Map([[principalDigest(null), null]]);
  return replayStore(store, { artifact: ARTIFACT, principals, env: {}, session: null });
}

/** The store after somebody has changed the words of its notes. */
async function reworded(store: DurableStore, change: (text: string) => string): Promise<DurableStore> {
  return await rewritten(
    store,
    inStream(`session/${SESSION}`, (content) =>
      relinked({ ...content, records: content.records.map(({ data, ...rest }) => ({ ...rest, data: change(data) })) }),
    ),
  );
}

describe("the reason of a rule in the records of a session", () => {
  it("comes with every verdict and settlement that has one", async () => {
    const notes = (await recordsOf(await played())).flatMap(({ note }) => note?.verdict ?? note?.settlement ?? []);
    expect(notes).toMatchObject([
      { kind: "block", because: "At most a hundred" },
      { kind: "allow" },
      { accepted: true, because: "The bank confirms" },
      { kind: "approval_required", because: "Payments abroad are checked" },
      { kind: "block", because: "Payments abroad are checked" },
      { kind: "block", because: "Payments abroad are checked" },
    ]);
  });

  it("is decided again to the same", async () => {
    expect((await problemsOf(await played())).result).toMatchObject({ ok: true, problems: [] });
  });

  it("may be absent, as in the records of older guards", async () => {
    const older = await reworded(await played(), (data) => data.replace('"because":"At most a hundred",', ""));
    expect((await problemsOf(older)).result.problems).toEqual([]);
  });

  it("is noticed when somebody has changed it", async () => {
    const forged = await reworded(await played(), (data) => data.replace("At most a hundred", "As much as you like"));
    expect((await problemsOf(forged)).result.problems).toMatchObject([
      { what: expect.stringContaining("because: As much as you like") },
    ]);
  });
});
