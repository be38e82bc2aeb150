import { expect, it } from "vitest";
import { createGuard } from "../../../src/guard/guard.js";
import { migrateSession } from "../../../src/sessions/migration/migrate-session.js";
import { memory, PAYMENTS, pay, paymentGuard, SESSION } from "../../support/durable-guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { told } from "../../support/guard-steps.js";

const NEXT = artifactOf(PAYMENTS.replace("lte: 150", "lte: 140"));

it("a call that runs while its session is moved is known to be executed, and stays unsettled under the new artifact", async () => {
  const store = await memory();
  const guard = await paymentGuard(store);
  const send = guard.wrap(async () => {
    expect(await migrateSession(store, SESSION, NEXT)).toEqual({ ok: true });
    return { receipt: "r-1" };
  });
  await expect(send("pay", pay(90).args)).rejects.toMatchObject({
    name: "ExecutedButNotRecorded",
    callId: "call_1",
    output: { receipt: "r-1" },
  });
  expect(await guard.propose(pay(1))).toMatchObject({
    reason: "artifact_changed",
    hint: "open the session with its own artifact, or move it with `migrateSession`",
  });
  const next = await createGuard(NEXT, { env: {}, sessionId: SESSION, approver: "manual", store });
  expect(told(await next.propose(pay(51)))).toBe("aggregate_exceeded");
  expect(await next.settle("call_1", { kind: "result", output: { receipt: "r-1" } })).toEqual({ accepted: true });
});
