import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import { waitingApprovals } from "../../src/sessions/approvals.js";
import { type OperatedSession, operate } from "../../src/sessions/operated-session.js";
import { acknowledgeResult, killSession, labelSession, settleCall } from "../../src/sessions/operations.js";
import { listedSessions, sessionView, unsettledIn } from "../../src/sessions/session-view.js";
import { Skipped } from "../../src/sessions/skipped.js";
import { StoreAccess } from "../../src/sessions/store-access.js";
import { approvalIdOf, callIdOf, memory, pay, paymentGuard, recordsOf, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";
import { LossyStore } from "../support/lossy-store.js";
import { ALL_KINDS, closing } from "../support/operated-stores.js";

const ANN = { by: "ann", why: "the bank says so" };
const RESULT = { kind: "result", output: {} } as const;

const STAMPS = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== stamp.yaml (with the required fields)
ensures:
  - that: timestamp(output.at) <= now
    reason: Nothing is stamped in the future
`;

function operated<T>(store: DurableStore, work: (session: OperatedSession) => Promise<T>, id = SESSION): Promise<T> {
  return operate(new StoreAccess(store, {}), id, work);
}

async function lastNote(store: DurableStore) {
  return (await recordsOf(store)).at(-1);
}

/** A store on which others write before each of the first appends. */
class BusyStore extends LossyStore {
  others: (() => Promise<void>)[] = [];

  override async append(...given: Parameters<DurableStore["append"]>): ReturnType<DurableStore["append"]> {
    await this.others.shift()?.();
    return super.append(...given);
  }
}

describe("an operator", () => {
  it("is not kept out by guards that decide without a pause", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    const busy = new BusyStore(store);
    busy.others = Array.from({ length: 30 }, () => () => guard.addLabel("busy"));
    await operated(busy, (session) => killSession(session, ANN));
    expect(busy.others).toEqual([]);
    expect(told(await guard.propose(pay(1)))).toBe("session_killed");
  });

  it("settles a call at the time that it is, where a rule on its output asks for that", async () => {
    const store = await memory();
    const clock = new TestClock();
    const guard = await createGuard(artifactOf(STAMPS), { store, sessionId: SESSION, clock });
    const settled = async (at: string) => {
      const callId = callIdOf(await guard.propose({ tool: "stamp", args: {} }));
      const found = { as: "happened", output: { at } } as const;
      return operate(new StoreAccess(store, { clock }), SESSION, (session) => settleCall(session, callId, found, ANN));
    };
    expect(await settled("2025-12-31T23:00:00Z")).toEqual({ accepted: true });
    expect(await settled("2026-01-01T01:00:00Z")).toMatchObject({ accepted: true, reason: "guarantee_failed" });
  });
});

const QUOTES = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== quote.yaml (with the required fields)
binds: [{ name: quoted, source: output, path: $.amount }]
ensures: [{ that: timestamp(output.until) > now, reason: A quote is valid when it arrives }]
#== own.yaml (with the required fields)
ensures: [{ that: output.owner == principal.id, reason: People see what is theirs }]
#== here.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: $.region, equals_env: REGION }] }
`;

describe("an operator who settles a call with its output", () => {
  async function left(tool: string) {
    const store = await memory();
    const options = { env: { REGION: "EU" }, sessionId: SESSION, store, principal: { id: "u1" } };
    const guard = await createGuard(artifactOf(QUOTES), options);
    return { store, guard, callId: callIdOf(await guard.propose({ tool, args: {} })) };
  }

  it.each([
    ["2001-01-01T00:00:00Z", { accepted: true, reason: "guarantee_failed" }, {}],
    ["9999-01-01T00:00:00Z", { accepted: true }, { quoted: 5 }],
  ])("has it judged at the time of the settlement: %s", async (until, settled, bindings) => {
    const { store, guard, callId } = await left("quote");
    const finding = { as: "happened", output: { amount: 5, until } } as const;
    expect(await operated(store, (session) => settleCall(session, callId, finding, ANN))).toMatchObject(settled);
    await guard.addLabel("read");
    expect(guard.state().bindings).toEqual(bindings);
  });

  it.each([
    ["own", { owner: "u1" }, "rules read the principal, which only its guards know"],
    ["here", { region: "EU" }, "rules compare it with the variable `REGION`, which is not set here"],
  ])("is told where that cannot be judged, and nothing changes: %s", async (tool, output, why) => {
    const { store, guard, callId } = await left(tool);
    const settle = operated(store, (session) => settleCall(session, callId, { as: "happened", output }, ANN));
    const message = `the output of \`${callId}\` cannot be judged: ${why}; settle the call through a guard, or without its output`;
    await expect(settle).rejects.toMatchObject({ code: "output_unjudgeable", message });
    expect(await guard.settle(callId, { kind: "happened", output })).toEqual({ accepted: true });
  });
});

describe.each(ALL_KINDS)("an operator on a %s store", (_, newUrl) => {
  it("settles a call that a worker left behind, and the next guard goes on with it", async () => {
    const store = await closing(await newUrl());
    const guard = await paymentGuard(store);
    const [happened, not] = [callIdOf(await guard.propose(pay(60))), callIdOf(await guard.propose(pay(50)))];
    const settle = (callId: string, as: "happened" | "did_not_happen") =>
      operated(store, (session) => settleCall(session, callId, { as }, ANN));
    expect(await settle(happened, "happened")).toEqual({ accepted: true });
    expect(await settle(not, "did_not_happen")).toEqual({ accepted: true });
    expect(await lastNote(store)).toMatchObject({ guard: "operator", note: { operator: ANN } });
    expect(await settle(not, "happened")).toEqual({ accepted: false, reason: "already_settled" });
    expect(await lastNote(store)).toMatchObject({
      note: { operator: ANN, settlement: { callId: not, accepted: false, reason: "already_settled" } },
    });
    expect(await settle("call_9", "happened")).toEqual({ accepted: false, reason: "unknown_call" });
    expect(told(await guard.propose(pay(91)))).toBe("aggregate_exceeded");
    expect(guard.state()).toMatchObject({ unsettled: [], aggregates: { paid: 60 }, toolCalls: 1 });
  });

  it("ends a session and labels one before the next call of a living guard is allowed", async () => {
    const store = await closing(await newUrl());
    const guard = await paymentGuard(store);
    await guard.propose(pay(1));
    await operated(store, (session) => labelSession(session, "hot", ANN));
    expect(told(await guard.propose(pay(1)))).toBe("label_gated");
    await operated(store, (session) => killSession(session, ANN));
    expect(await guard.propose({ tool: "look", args: {} })).toMatchObject({ reason: "session_killed", found: ANN.why });
    await operated(store, (session) => killSession(session, { by: "bob", why: "again" }));
    expect((await recordsOf(store)).flatMap(({ note }) => note?.operator ?? [])).toEqual([
      ...[ANN, ANN],
      { by: "bob", why: "again" },
    ]);
    expect((await recordsOf(store)).filter(({ event }) => event?.kind === "killed")).toHaveLength(1);
  });

  it("acknowledges a late result", async () => {
    const store = await closing(await newUrl());
    const guard = await paymentGuard(store);
    const callId = callIdOf(await guard.propose(pay(90)));
    await operated(store, (session) => settleCall(session, callId, { as: "did_not_happen" }, ANN));
    expect(await guard.settle(callId, RESULT)).toEqual({ accepted: false, reason: "already_settled" });
    expect(told(await guard.propose(pay(1)))).toBe("late_result_unacknowledged");
    const acknowledge = () =>
      operated(store, (session) => acknowledgeResult(session, callId, { ...ANN, happened: true }));
    expect(await acknowledge()).toEqual({ accepted: true });
    expect(await acknowledge()).toEqual({ accepted: false, reason: "no_late_result" });
    expect(await lastNote(store)).toMatchObject({ note: { operator: ANN } });
    expect(told(await guard.propose(pay(61)))).toBe("aggregate_exceeded");
    expect(told(await guard.propose(pay(60)))).toBe("allow");
  });
});

const LOOKUPS = `
#== session.yaml (with the required fields)
#== find.yaml (with the required fields)
binds: [{ name: found, source: output, path: $.id }]
assertions: { input_invariants: [], output_invariants: [{ path: $.id, type: string }] }
#== act.yaml (with the required fields)
preconditions: [{ requires_prior_tool: find, with_output: [{ path: $.region, equals_env: REGION }] }]
`;

describe("what an operator says a tool answered", () => {
  const start = async () => {
    const store = await memory();
    const options = { env: { REGION: "eu" }, sessionId: SESSION, store };
    const guard = await createGuard(artifactOf(LOOKUPS), options);
    return { store, guard, callId: callIdOf(await guard.propose({ tool: "find", args: {} })) };
  };

  it("is judged and bound like an answer that came in time", async () => {
    const { store, guard, callId } = await start();
    const output = { id: "o-1", region: "eu", secret: "s3cret" };
    const settled = await operated(store, (session) => settleCall(session, callId, { as: "happened", output }, ANN));
    expect(settled).toEqual({ accepted: true });
    // The operator has no REGION; the guard that replays the record has.
    expect(told(await guard.propose({ tool: "act", args: {} }))).toBe("allow");
    expect(guard.state().bindings).toEqual({ found: "o-1" });
    expect(JSON.stringify(await recordsOf(store))).not.toContain("s3cret");
  });

  it("counts and binds nothing where it breaks a rule", async () => {
    const { store, guard, callId } = await start();
    const work = (session: OperatedSession) => settleCall(session, callId, { as: "happened", output: { id: 7 } }, ANN);
    expect(await operated(store, work)).toMatchObject({ accepted: true, reason: "output_invariant_failed" });
    expect(told(await guard.propose({ tool: "act", args: {} }))).toBe("prior_tool_missing");
    expect(guard.state()).toMatchObject({ toolCalls: 1, bindings: {} });
  });

  it("is never judged for good without the variables of the guards: operators write no snapshots", async () => {
    const { store, guard, callId } = await start();
    await guard.settle(callId, { kind: "result", output: { id: "o-1", region: "eu" } });
    await operated(store, async (session) => {
      for (let n = 0; n < 300; n++) await labelSession(session, `l${n}`, ANN);
    });
    const next = await createGuard(artifactOf(LOOKUPS), { env: { REGION: "eu" }, sessionId: SESSION, store });
    expect(told(await next.propose({ tool: "act", args: {} }))).toBe("allow");
  });

  it("is no output where the call did not happen", async () => {
    const { store, callId } = await start();
    const work = (session: OperatedSession) => settleCall(session, callId, { as: "did_not_happen", output: 1 }, ANN);
    await expect(operated(store, work)).rejects.toThrow(TypeError);
  });
});

describe("a session that cannot be opened", () => {
  it.each(["nobody", "", "a\0b", "\ud800", "x".repeat(600)])("is unknown: %.20j", async (id) => {
    const store = await memory();
    await paymentGuard(store, { sessionId: "nobody-else" });
    await expect(operated(store, async () => 1, id)).rejects.toMatchObject({
      name: "SessionError",
      code: "unknown_session",
    });
  });

  it("is sealed, and says so, unless the store has the pair that opens it", async () => {
    const seal = (text: string) => Buffer.from(text).toString("base64");
    const open = (text: string) => Buffer.from(text, "base64").toString();
    const url = (ALL_KINDS[1] ?? ALL_KINDS[0])?.[1];
    const place = (await url?.()) ?? "";
    const sealing = await closing(place, { seal, open });
    const guard = await paymentGuard(sealing);
    await guard.propose(pay(60));
    const plain = await closing(place);
    await expect(operated(plain, async () => 1)).rejects.toMatchObject({
      code: "session_sealed",
      message: expect.stringContaining("openStore(url, { seal, open })"),
    });
    await operated(sealing, (session) => labelSession(session, "hot", ANN));
    expect(told(await guard.propose(pay(1)))).toBe("label_gated");
    expect((await recordsOf(plain)).every(({ sealed }) => typeof sealed === "string")).toBe(true);
    const view = await sessionView(new StoreAccess(sealing, {}), SESSION);
    expect(view.records.at(-1)).toMatchObject({ note: { verdict: { reason: "label_gated" } } });
    const skipped = new Skipped();
    expect(await unsettledIn(new StoreAccess(plain, {}), null, skipped)).toEqual([]);
    expect([...skipped.all.values()]).toMatchObject([{ code: "session_sealed" }]);
  });

  it("has no artifact in the store, or one that was changed", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    const { artifact } = await sessionView(new StoreAccess(store, {}), SESSION);
    const other = await memory();
    const { records, head } = {
      records: (await store.read(`session/${SESSION}`, 0, 9)).map(({ data }) => data),
      head: (await store.load(`session/${SESSION}`)).head ?? "",
    };
    await other.append("1", [{ stream: `session/${SESSION}`, expectedRevision: 0, records, head }]);
    await expect(operated(other, async () => 1)).rejects.toMatchObject({ code: "session_unreadable" });
    await other.append("2", [{ stream: `artifact/${artifact}`, expectedRevision: 0, records: ["{}"], head: "{}" }]);
    await expect(operated(other, async () => 1)).rejects.toMatchObject({ code: "session_unreadable" });
    expect(guard.state().toolCalls).toBe(0);
  });

  it("has a head with a role that its artifact does not have", async () => {
    const store = await memory();
    await (await paymentGuard(store)).propose(pay(1));
    const { revision, head } = await store.load(`session/${SESSION}`);
    const [last] = await store.read(`session/${SESSION}`, revision - 1, 1);
    const other = JSON.stringify({ ...JSON.parse(head ?? ""), role: "none" });
    const write = {
      stream: `session/${SESSION}`,
      expectedRevision: revision,
      records: [last?.data ?? ""],
      head: other,
    };
    await store.append("1", [write]);
    await expect(operated(store, async () => 1)).rejects.toMatchObject({ code: "session_unreadable" });
  });

  it("says what the store said, also where it is silent afterwards", async () => {
    const store = await memory();
    const guard = await paymentGuard(store, { storeTimeoutMs: 500 });
    const failures = [Object.assign(new Error("may not"), { code: "store_read_only" })];
    store.append = () => {
      const failure = failures.pop();
      return failure === undefined ? new Promise(() => undefined) : Promise.reject(failure);
    };
    await expect(guard.addLabel("hot")).rejects.toMatchObject({
      reason: "store_unavailable",
      thrown: "store_read_only",
    });
  });

  it("waits no longer for the store than it may", async () => {
    const store = await memory();
    await paymentGuard(store);
    const lossy = new LossyStore(store);
    lossy.loads = () => "request lost";
    const access = new StoreAccess(lossy, { storeTimeoutMs: 50 });
    await expect(operate(access, SESSION, async () => 1)).rejects.toMatchObject({ reason: "store_unavailable" });
    const silent: DurableStore = Object.assign(new LossyStore(store), {
      list: () => new Promise<never>(() => undefined),
    });
    await expect(new StoreAccess(silent, { storeTimeoutMs: 20 }).head(SESSION)).rejects.toMatchObject({
      name: "StoreUnavailable",
    });
  });
});

describe("views", () => {
  it("list sessions by their heads", async () => {
    const store = await memory();
    const clock = new TestClock();
    for (const id of ["a", "b", "c"]) {
      const guard = await paymentGuard(store, { sessionId: id, clock });
      await guard.propose(pay(id === "b" ? 120 : 10));
      if (id === "c") await guard.kill("done");
    }
    const access = new StoreAccess(store, { clock });
    const list = (status: "active" | "killed" | null, limit = 10) =>
      listedSessions(access, { status, limit }, new Skipped());
    expect(await list(null)).toMatchObject([
      { id: "a", agent: "example", phase: null, killed: false, toolCalls: 1, unsettled: 1, pendingApprovals: 0 },
      { id: "b", toolCalls: 0, unsettled: 0, pendingApprovals: 1 },
      { id: "c", killed: true },
    ]);
    expect((await list("active")).map(({ id }) => id)).toEqual(["a", "b"]);
    expect((await list("killed")).map(({ id }) => id)).toEqual(["c"]);
    expect((await list(null, 2)).map(({ id }) => id)).toEqual(["a", "b"]);
    // Nobody lived at the deadline.
    clock.advance(60_000);
    expect((await list(null)).map(({ pendingApprovals }) => pendingApprovals)).toEqual([0, 0, 0]);
  });

  it("reach the last of many sessions", async () => {
    const store = await memory();
    const { head } = await store.load("session/none");
    expect(head).toBeNull();
    const write = (id: string) => ({
      stream: `session/${id}`,
      expectedRevision: 0,
      records: ["{}"],
      head: JSON.stringify({ artifact: "h", unsettled: 0 }),
    });
    const ids = Array.from({ length: 250 }, (_, at) => `s-${String(at).padStart(3, "0")}`);
    for (const id of ids) await store.append(id, [write(id)]);
    await store.append("bad", [{ ...write("s-100x"), head: "[]" }]);
    const skipped = new Skipped();
    const rows = await listedSessions(new StoreAccess(store, {}), { status: null, limit: 1_000 }, skipped);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect([...skipped.all.keys()]).toEqual(["s-100x"]);
  });

  it("show a session and its last 20 records, without arguments", async () => {
    const store = await memory();
    const guard = await paymentGuard(store, { requester: "carl" });
    for (let n = 0; n < 12; n++) {
      await guard.settle(callIdOf(await guard.propose(pay(1, { to: "secret-payee" }))), RESULT);
    }
    const asked = await guard.propose(pay(120, { to: "secret-payee" }));
    const view = await sessionView(new StoreAccess(store, {}), SESSION);
    expect(view).toMatchObject({ ...guard.state(), id: SESSION, artifact: expect.stringMatching(/^sha256-/) });
    expect(view.approvals).toMatchObject([{ id: approvalIdOf(asked), tool: "pay", requester: "carl" }]);
    expect(view.records).toHaveLength(20);
    expect(view.records.at(-1)).toMatchObject({ event: { kind: "approval_requested", request: { tool: "pay" } } });
    expect(view.records.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, at) => at + 7));
    expect(JSON.stringify(view.records)).not.toMatch(/secret-payee|amount/);
  });

  it("list unsettled calls of one session or of all", async () => {
    const store = await memory();
    for (const id of ["a", "b"]) await (await paymentGuard(store, { sessionId: id })).propose(pay(5, { card: "x" }));
    await paymentGuard(store, { sessionId: "quiet" });
    const access = new StoreAccess(store, {});
    const calls = await unsettledIn(access, null, new Skipped());
    expect(calls).toMatchObject([
      {
        session: "a",
        callId: "call_1",
        tool: "pay",
        status: "running",
        origin: "proposed",
        fields: { amount: 5, to: "ann" },
      },
      { session: "b", since: expect.any(Number) },
    ]);
    expect(calls[0]?.fields).toEqual({ amount: 5, to: "ann" });
    expect(await unsettledIn(access, "b", new Skipped())).toHaveLength(1);
    await expect(unsettledIn(access, "ghost", new Skipped())).rejects.toMatchObject({ code: "unknown_session" });
  });
});

describe("a session that cannot be read", () => {
  const refused = "its version 2 is later than 1, the latest known one";

  it.each<[string, (store: DurableStore) => Promise<void>, string]>([
    [
      "a record of a later version",
      async (store) => {
        const stream = "session/b";
        const { revision, head } = await store.load(stream);
        await store.append("x", [{ stream, expectedRevision: revision, records: ['{"v":2}'], head: head ?? "" }]);
      },
      `a record or its snapshot is refused: ${refused}`,
    ],
    [
      "a damaged record",
      async (store) => {
        const load = store.load.bind(store);
        store.load = async (stream, options) => {
          if (stream === "session/b") throw Object.assign(new Error("flipped"), { code: "store_damaged" });
          return load(stream, options);
        };
      },
      "its records are not what was written",
    ],
  ])("hides no other: %s", async (_, spoil, why) => {
    const store = await memory();
    for (const sessionId of ["a", "b", "c"]) {
      const guard = await paymentGuard(store, { sessionId });
      await guard.propose(pay(20));
      await guard.propose(pay(120));
    }
    await spoil(store);
    const skipped = new Skipped();
    const access = new StoreAccess(store, { env: {} });
    expect((await waitingApprovals(access, skipped)).map(({ session }) => session)).toEqual(["a", "c"]);
    expect((await unsettledIn(access, null, skipped)).map(({ session }) => session)).toEqual(["a", "c"]);
    expect([...skipped.all].map(([id, { code, message }]) => [id, code, message])).toEqual([
      ["b", "session_unreadable", expect.stringContaining(why)],
    ]);
  });
});
