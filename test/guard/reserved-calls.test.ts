import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { Verdict } from "../../src/guard/public.js";
import { artifactOf } from "../support/guard-artifact.js";

const PACK = `
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 1000, reason: Budget }]
#== pay.yaml (with the required fields)
side_effect: financial
timeouts: { total_ms: 60000 }
checkpoint: { when: [{ path: $.n, gte: 500 }], timeout_seconds: 60 }
`;

const CALL = { tool: "pay", args: { n: 10 }, callKey: "k", wrapped: true } as const;

interface Played {
  readonly guard: Guard;
  readonly sent: unknown[];
  readonly call: ReturnType<Guard["wrap"]>;
}

async function played(answer: () => unknown = () => ({ done: true })): Promise<Played> {
  const guard = await createGuard(artifactOf(PACK), { env: {}, approver: "manual" });
  const sent: unknown[] = [];
  const call = guard.wrap(async (_, args) => {
    sent.push(args);
    return answer();
  });
  return { guard, sent, call };
}

function idOf(verdict: Verdict): string {
  if (verdict.kind === "block") throw new Error(verdict.reason);
  return verdict.callId;
}

const refused = (reason: string) => ({ name: "ContractViolation", verdict: { reason } });

describe("a wrapped call under a reservation of `propose`", () => {
  it("is sent and settled under that reservation", async () => {
    const { guard, sent, call } = await played();
    const reserved = idOf(await guard.propose(CALL));
    expect(await call("pay", { n: 10 }, { callKey: "k", reserved })).toEqual({ done: true });
    expect(sent).toEqual([{ n: 10 }]);
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 10 }, unsettled: [] });
  });

  it("is sent by one caller only, and never again", async () => {
    const { guard, sent, call } = await played();
    const other = guard.wrap(async (_, args) => sent.push(args));
    const reserved = idOf(await guard.propose(CALL));
    const options = { callKey: "k", reserved };
    const both = await Promise.allSettled([call("pay", { n: 10 }, options), other("pay", { n: 10 }, options)]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await expect(call("pay", { n: 10 }, options)).rejects.toMatchObject(refused("call_key_used"));
    expect(sent).toHaveLength(1);
  });

  it("is not sent again while its outcome is unknown", async () => {
    const { guard, sent, call } = await played(() => Promise.reject(new Error("connection lost")));
    const reserved = idOf(await guard.propose(CALL));
    const options = { callKey: "k", reserved };
    await expect(call("pay", { n: 10 }, options)).rejects.toThrow("connection lost");
    expect(guard.state().unsettled).toMatchObject([{ status: "indeterminate" }]);
    await expect(call("pay", { n: 10 }, options)).rejects.toMatchObject(refused("call_key_used"));
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["other arguments", { n: 11 }, {}, "call_key_mismatch"],
    ["another reservation", { n: 10 }, { reserved: "call_7" }, "call_key_used"],
    ["a reservation of nobody", { n: 10 }, { reserved: "" }, "call_key_used"],
  ])("is not sent with %s", async (_, args, other, reason) => {
    const { guard, sent, call } = await played();
    const reserved = idOf(await guard.propose(CALL));
    await expect(call("pay", args, { callKey: "k", reserved, ...other })).rejects.toMatchObject(refused(reason));
    expect(sent).toEqual([]);
    expect(guard.unsettled()).toHaveLength(1);
  });

  it("is released when its caller gave up before", async () => {
    const { guard, sent, call } = await played();
    const reserved = idOf(await guard.propose(CALL));
    const given = { callKey: "k", reserved, signal: AbortSignal.abort(new Error("gave up")) };
    await expect(call("pay", { n: 10 }, given)).rejects.toThrow("gave up");
    expect(sent).toEqual([]);
    expect(guard.state()).toMatchObject({ aggregates: { paid: 0 }, unsettled: [] });
  });

  it("is not sent after a kill, and is released", async () => {
    const { guard, sent, call } = await played();
    const reserved = idOf(await guard.propose(CALL));
    await guard.kill("enough");
    await expect(call("pay", { n: 10 }, { callKey: "k", reserved })).rejects.toMatchObject(refused("session_killed"));
    expect(sent).toEqual([]);
  });

  it.each(["before", "after"])("is sent when its approval is given %s it is made", async (moment) => {
    const { guard, sent, call } = await played();
    const asked = await guard.propose({ ...CALL, args: { n: 600 } });
    const reserved = asked.kind === "approval_required" ? asked.approvalId : "";
    const make = () => call("pay", { n: 600 }, { callKey: "k", reserved });
    const early = moment === "after" ? make() : null;
    expect(await guard.approve(reserved, { by: "ann" })).toMatchObject({ kind: "allow", repeated: true });
    expect(await (early ?? make())).toEqual({ done: true });
    expect(sent).toEqual([{ n: 600 }]);
    await expect(make()).rejects.toMatchObject(refused("call_key_used"));
    expect(guard.state()).toMatchObject({ aggregates: { paid: 600 }, unsettled: [] });
  });

  it("is not sent under an approval that was asked for by another caller, or denied", async () => {
    const { guard, sent, call } = await played();
    const asked = await guard.propose({ tool: "pay", args: { n: 600 }, callKey: "k" });
    const reserved = asked.kind === "approval_required" ? asked.approvalId : "";
    const make = (callKey: string, id: string) => call("pay", { n: 600 }, { callKey, reserved: id });
    await expect(make("k", reserved)).rejects.toMatchObject(refused("call_key_used"));
    await guard.deny(reserved, { by: "ann" });
    const next = await guard.propose({ ...CALL, args: { n: 600 }, callKey: "l" });
    const other = next.kind === "approval_required" ? next.approvalId : "";
    const waiting = make("l", other);
    await guard.deny(other, { by: "ann" });
    await expect(waiting).rejects.toMatchObject(refused("approval_denied"));
    expect(sent).toEqual([]);
  });

  it.each([
    [{ reserved: 5, callKey: "k" }, "must be the id"],
    [{ reserved: "call_1" }, "needs the `callKey`"],
  ])("refuses options that mean nothing: %j", async (options, text) => {
    const { sent, call } = await played();
    await expect(Reflect.apply(call, undefined, ["pay", { n: 10 }, options])).rejects.toThrow(text);
    expect(sent).toEqual([]);
  });
});
