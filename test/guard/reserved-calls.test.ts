import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { Verdict } from "../../src/guard/public.js";
import { openStore } from "../../src/stores/open-store.js";
import { memory } from "../support/durable-guard.js";
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

/** A store whose next reads and appends can be made to fail. */
async function failing() {
  const inner = await openStore("memory:");
  let left = 0;
  const orFails = <A extends unknown[], T>(method: (...given: A) => Promise<T>) => {
    return async (...given: A): Promise<T> => {
      left -= 1;
      if (left >= 0) throw new Error("no connection");
      return method.apply(inner, given);
    };
  };
  const store: DurableStore = {
    kind: "memory",
    load: orFails(inner.load),
    append: orFails(inner.append),
    read: (...given) => inner.read(...given),
    list: (...given) => inner.list(...given),
    watch: (...given) => inner.watch(...given),
    close: () => inner.close(),
  };
  const fail = (times: number) => {
    left = times;
  };
  return { store, fail };
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

  it.each([
    ["while it is made", 10, true],
    ["before it is made, with its approval", 600, false],
  ])("is not sent after its outcome was settled as unknown %s", async (_, n, isLate) => {
    const { guard, sent, call } = await played();
    const asked = await guard.propose({ ...CALL, args: { n } });
    const reserved = asked.kind === "approval_required" ? asked.approvalId : idOf(asked);
    if (asked.kind === "approval_required") await guard.approve(reserved, { by: "ann" });
    const make = () => call("pay", { n }, { callKey: "k", reserved });
    const settle = () => guard.settle(idOf(asked), { kind: "timeout" });
    const [made, settled] = isLate ? [make(), settle()] : [settle().then(make), null];
    await expect(made).rejects.toMatchObject({ name: "ContractViolation" });
    await settled;
    expect(sent).toEqual([]);
    expect(guard.state()).toMatchObject({ aggregates: { paid: n }, unsettled: [{ status: "indeterminate" }] });
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
    expect(guard.unsettled()).toEqual([]);
  });

  it("is sent while another call waits for an approval", async () => {
    const { guard, sent, call } = await played();
    const reserved = idOf(await guard.propose(CALL));
    await guard.propose({ tool: "pay", args: { n: 600 }, callKey: "other", wrapped: true });
    expect(await call("pay", { n: 10 }, { callKey: "k", reserved })).toEqual({ done: true });
    expect(sent).toEqual([{ n: 10 }]);
    expect(guard.unsettled()).toEqual([]);
  });

  it("is not sent again by a guard that proposes it after a crash", async () => {
    const store = await openStore("memory:");
    const open = () => createGuard(artifactOf(PACK), { env: {}, store, sessionId: "s" });
    const sent: string[] = [];
    const make = (guard: Guard, by: string, reserved: string) => {
      const send = guard.wrap(() => {
        sent.push(by);
        return new Promise(() => undefined);
      });
      return send("pay", { n: 10 }, { callKey: "k", reserved });
    };
    const first = await open();
    // It times out long after this test.
    make(first, "first", idOf(await first.propose(CALL))).catch(() => undefined);
    while (sent.length === 0) await nextTurn();
    const second = await open();
    const again = await second.propose(CALL);
    expect(again).toEqual({ kind: "allow", callId: "call_1", repeated: true });
    await expect(make(second, "second", idOf(again))).rejects.toMatchObject(refused("call_key_used"));
    expect(sent).toEqual(["first"]);
    expect(second.unsettled()).toMatchObject([{ callId: "call_1", status: "running" }]);
  });

  it("is not sent under what its proposer, or another wrapped call, sends", async () => {
    const { guard, sent, call } = await played(() => new Promise(() => undefined));
    const own = idOf(await guard.propose({ tool: "pay", args: { n: 10 }, callKey: "k" }));
    await expect(call("pay", { n: 10 }, { callKey: "k", reserved: own })).rejects.toMatchObject(
      refused("call_key_used"),
    );
    call("pay", { n: 20 }, { callKey: "l" }).catch(() => undefined);
    while (sent.length === 0) await nextTurn();
    const reserved = idOf(await guard.propose({ ...CALL, args: { n: 20 }, callKey: "l" }));
    await expect(call("pay", { n: 20 }, { callKey: "l", reserved })).rejects.toMatchObject(refused("call_key_used"));
    expect(sent).toEqual([{ n: 20 }]);
  });

  it("is not sent under the approval that another wrapped call waits for", async () => {
    const { guard, sent, call } = await played();
    const waiting = call("pay", { n: 600 }, { callKey: "k" });
    const asked = await guard.propose({ ...CALL, args: { n: 600 } });
    const reserved = asked.kind === "approval_required" ? asked.approvalId : "";
    await expect(call("pay", { n: 600 }, { callKey: "k", reserved })).rejects.toMatchObject(refused("call_key_used"));
    await guard.approve(reserved, { by: "ann" });
    expect(await waiting).toEqual({ done: true });
    expect(sent).toEqual([{ n: 600 }]);
  });

  it("is not sent under the id of its approval and that of its call", async () => {
    const { guard, sent, call } = await played(() => new Promise(() => undefined));
    const asked = await guard.propose({ ...CALL, args: { n: 600 } });
    const reserved = asked.kind === "approval_required" ? asked.approvalId : "";
    await guard.approve(reserved, { by: "ann" });
    call("pay", { n: 600 }, { callKey: "k", reserved }).catch(() => undefined);
    while (sent.length === 0) await nextTurn();
    const other = call("pay", { n: 600 }, { callKey: "k", reserved: idOf(asked) });
    await expect(other).rejects.toMatchObject(refused("call_key_used"));
    expect(sent).toEqual([{ n: 600 }]);
  });

  it("is sent where somebody answers before the approver that is asked", async () => {
    const approver = () => new Promise<never>(() => undefined);
    const guard = await createGuard(artifactOf(PACK), { env: {}, approver });
    const answers: Promise<unknown>[] = [];
    guard.on("approval_requested", ({ approvalId }) => answers.push(guard.approve(approvalId, { by: "ann" })));
    const verdict = await guard.propose({ ...CALL, args: { n: 600 } });
    expect(verdict).toEqual({ kind: "allow", callId: "call_1" });
    expect(await Promise.all(answers)).toEqual([{ kind: "allow", callId: "call_1", repeated: true }]);
    const send = guard.wrap(async () => "sent");
    expect(await send("pay", { n: 600 }, { callKey: "k", reserved: "call_1" })).toBe("sent");
  });

  it("is released when the store is back, where that fails before it is sent", async () => {
    const { store, fail } = await failing();
    const guard = await createGuard(artifactOf(PACK), { env: {}, store, sessionId: "s", storeTimeoutMs: 50 });
    const reserved = idOf(await guard.propose(CALL));
    fail(20);
    const call = guard.wrap(async () => "sent");
    await expect(call("pay", { n: 10 }, { callKey: "k", reserved })).rejects.toMatchObject(
      refused("store_unavailable"),
    );
    expect(guard.state()).toMatchObject({ aggregates: { paid: 0 }, unsettled: [] });
  });

  it("waits for its approval though the store fails for a moment", async () => {
    const { store, fail } = await failing();
    const options = { env: {}, store, sessionId: "s", storeTimeoutMs: 50, approver: "manual" } as const;
    const guard = await createGuard(artifactOf(PACK), options);
    const asked = await guard.propose({ ...CALL, args: { n: 600 } });
    const reserved = asked.kind === "approval_required" ? asked.approvalId : "";
    fail(1);
    const made = guard.wrap(async () => "sent")("pay", { n: 600 }, { callKey: "k", reserved });
    await nextTurn();
    await guard.approve(reserved, { by: "ann" });
    expect(await made).toBe("sent");
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

  it("is sent by the guard that resumed what another one asked for, once and with the same arguments", async () => {
    const store = await memory();
    const open = () => createGuard(artifactOf(PACK), { env: {}, approver: "manual", store, sessionId: "s" });
    const asked = await (await open()).propose({ tool: "pay", args: { n: 600 }, callKey: "k" });
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    const guard = await open();
    expect(await guard.approve(approvalId, { by: "ann" })).toMatchObject({ kind: "recorded" });
    const sent: unknown[] = [];
    const call = guard.wrap(async (_, args) => sent.push(args));
    const reserved = idOf(await guard.resume(approvalId));
    const other = call("pay", { n: 601 }, { callKey: "k", reserved });
    await expect(other).rejects.toMatchObject(refused("call_key_mismatch"));
    await call("pay", { n: 600 }, { callKey: "k", reserved });
    await expect(call("pay", { n: 600 }, { callKey: "k", reserved })).rejects.toMatchObject(refused("call_key_used"));
    expect(sent).toEqual([{ n: 600 }]);
  });

  it.each([
    [{ reserved: 5, callKey: "k" }, "must be the id"],
    [{ reserved: "call_1" }, "needs the `callKey`"],
  ])("refuses options that mean nothing: %j", async (options, text) => {
    const { sent, call } = await played();
    await expect(Reflect.apply(call, undefined, ["pay", { n: 10 }, options])).rejects.toThrow(text);
    expect(sent).toEqual([]);
  });

  it("is not proposed without a key", async () => {
    const { guard } = await played();
    await expect(guard.propose({ tool: "pay", args: { n: 10 }, wrapped: true })).rejects.toThrow("needs a `callKey`");
    expect(guard.unsettled()).toEqual([]);
  });
});
