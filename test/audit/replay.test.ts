import { describe, expect, it } from "vitest";
import { type Replayed, replayStore } from "../../src/audit/replay/replay-store.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import { contentHash } from "../../src/base/canonical-json.js";
import { principalDigest } from "../../src/guard/durable/recording.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { approvalIdOf, callIdOf, memory, recordsOf, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { LossyStore } from "../support/lossy-store.js";
import { randomFrom } from "../support/random.js";
import { inStream, relinked, rewritten, type StreamContent } from "../support/rewritten-store.js";
import { seedOf } from "../support/seed.js";
import { approvalPack, type PlayedPack, playedPack, RandomSession } from "./random-session.js";

const SEED = seedOf("AUDIT_SEED", 20_261_118);
const STEPS = 90;

const PACKS: readonly PlayedPack[] = [
  playedPack("minimal"),
  playedPack("refunds"),
  playedPack("trading"),
  playedPack("code-review", "orchestrator"),
  playedPack("code-review", "worker"),
  approvalPack(),
];

const OPTIONS: readonly GuardOptions[] = [
  {},
  { storeArguments: "all" },
  { approvals: { quorum: 2 } },
  { mode: "log-only" },
];

async function played(pack: PlayedPack, run: number, options: GuardOptions = {}): Promise<DurableStore> {
  const store = await memory();
  await new RandomSession(pack, store, randomFrom(SEED, run), options).play(SESSION, STEPS);
  return store;
}

async function replayed(
  { artifact, principal }: Pick<PlayedPack, "artifact" | "principal">,
  store: DurableStore,
): Promise<Replayed> {
  const principals = new Map([[principalDigest(principal), principal]]);
  return (await replayStore(store, { artifact, principals, env: {}, session: null })).result;
}

/** What a record is about, and what came of it. */
function kindsOf(store: DurableStore): Promise<readonly string[]> {
  return recordsOf(store).then((records) =>
    records.flatMap(({ event, note }) => {
      const { call, answer, resumed, step, verdict, settlement }: Notes = { ...note };
      const about =
        call !== undefined ? "call" : answer !== undefined ? "answer" : resumed !== undefined ? "resume" : "step";
      return [
        ...(event === undefined ? [] : [event.kind]),
        ...(verdict === undefined
          ? []
          : [`${step === true ? "step" : about} ${verdict.kind}${verdict.would === undefined ? "" : " would"}`]),
        ...(settlement === undefined ? [] : [`settlement ${settlement.accepted}`]),
      ];
    }),
  );
}

interface Notes {
  readonly call?: unknown;
  readonly answer?: unknown;
  readonly resumed?: unknown;
  readonly step?: unknown;
  readonly verdict?: { readonly kind: string; readonly reason?: string; readonly would?: unknown };
  readonly settlement?: { readonly accepted: boolean };
}

/** Another verdict than the one that was recorded. */
function altered({ verdict, settlement, ...rest }: Notes): Notes | null {
  if (settlement !== undefined) return { ...rest, settlement: { ...settlement, accepted: !settlement.accepted } };
  if (verdict === undefined) return null;
  if (verdict.kind !== "block") return { ...rest, verdict: { kind: "block", reason: "label_gated" } };
  return {
    ...rest,
    verdict: { ...verdict, reason: verdict.reason === "label_gated" ? "loop_detected" : "label_gated" },
  };
}

function withNote({ records, head, snapshot }: StreamContent, at: number, note: object): StreamContent {
  const changed = records.map((record, index) =>
    index === at ? { ...record, data: JSON.stringify({ ...JSON.parse(record.data), note }) } : record,
  );
  return relinked({ records: changed, head, snapshot });
}

describe("deciding a log again", () => {
  it.each(PACKS)("agrees with random sessions of $name $role", async (pack) => {
    for (const [run, options] of OPTIONS.entries()) {
      const store = await played(pack, run, options);
      const { problems, replayed: count } = await replayed(pack, store);
      expect({ run, problems }).toEqual({ run, problems: [] });
      expect(count).toBeGreaterThan(STEPS / 3);
      expect((await verifyStore(store)).problems).toEqual([]);
    }
  });

  it("agrees where the order of members decides what a wildcard reads first", async () => {
    const artifact = artifactOf(`
#== session.yaml (with the required fields)
aggregates: [{ name: kinds, metric: count_distinct, tool: look, path: "$.items.*", lte: 100, reason: Kinds }]
#== look.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: look, with_output: [{ path: "$.checks.*", equals: ok }] }]
`);
    for (const storeArguments of ["needed", "all"] as const) {
      const store = await memory();
      const guard = await createGuard(artifact, { store, sessionId: SESSION, env: {}, storeArguments });
      const args = { items: { b: { y: 1, x: 2 }, a: 2, 10: 3, 9: 4 } };
      const callId = callIdOf(await guard.propose({ tool: "look", args }));
      await guard.settle(callId, { kind: "result", output: { checks: { b: "bad", a: "worse" } } });
      // As many records as lead to a snapshot.
      for (let step = 0; step < 250; step += 1) await guard.beginStep();
      expect((await store.load(`session/${SESSION}`)).snapshot).not.toBeNull();
      expect((await replayed({ artifact, principal: {} }, store)).problems).toEqual([]);
    }
  });

  it.each([
    ["all", "needed"],
    ["needed", "all"],
  ] as const)(
    "agrees where one guard asks and stores %s, and another one resumes and stores %s",
    async (ask, resume) => {
      const pack = approvalPack();
      const store = await memory();
      const guard = (storeArguments: "all" | "needed") =>
        createGuard(pack.artifact, { store, sessionId: SESSION, env: {}, approver: "manual", storeArguments });
      const [asking, resuming] = [await guard(ask), await guard(resume)];
      const args = { amount: 200, to: "ann", memo: "x" };
      const id = approvalIdOf(await asking.propose({ tool: "pay", args }));
      await resuming.approve(id, { by: "bob" });
      callIdOf(await resuming.resume(id));
      expect((await replayed(pack, store)).problems).toEqual([]);
    },
  );

  it("finds a grant that nobody gave", async () => {
    const pack = approvalPack();
    const store = await memory();
    const options = { store, sessionId: SESSION, env: {}, approver: "manual" } as const;
    const guard = await createGuard(pack.artifact, options);
    const asked = approvalIdOf(await guard.propose({ tool: "pay", args: { amount: 130, to: "ann" } }));
    await (await createGuard(pack.artifact, options)).approve(asked, { by: "ann" });
    const bodies = (await recordsOf(store)).filter(({ event }) => event?.kind !== "approval_given");
    const forged = await rewritten(
      store,
      inStream(`session/${SESSION}`, (content) => {
        const records = bodies.map(({ note, ...body }) =>
          body.event?.kind === "approval_ended" ? body : { ...body, ...(note === undefined ? {} : { note }) },
        );
        return relinked({
          ...content,
          records: records.map((body, at) => ({ appendId: `forged-${at}`, data: JSON.stringify(body) })),
        });
      }),
    );
    expect((await replayed(pack, forged)).problems).toMatchObject([{ index: 3, what: "has no verdict" }]);
  });

  it("was tried with every kind of record", async () => {
    const kinds = new Set<string>();
    for (const pack of [approvalPack(), playedPack("refunds")]) {
      for (let run = 0; run < 6; run += 1) {
        const store = await played(pack, 100 + run, OPTIONS[run % 3]);
        for (const kind of await kindsOf(store)) kinds.add(kind);
        expect((await replayed(pack, store)).problems).toEqual([]);
      }
    }
    expect([...kinds].sort()).toEqual([
      "answer allow",
      "answer block",
      "answer recorded",
      "approval_ended",
      "approval_given",
      "approval_requested",
      "blocked",
      "call allow",
      "call allow would",
      "call approval_required",
      "call block",
      "cost_recorded",
      "killed",
      "label_added",
      "late_result",
      "late_result_acknowledged",
      "reserved",
      "resume allow",
      "resume block",
      "settled",
      "settlement false",
      "settlement true",
      "step allow",
      "step block",
      "step_begun",
    ]);
  });

  it.each(PACKS)("finds a verdict of $name $role that was altered, with hashes that fit", async (pack) => {
    const random = randomFrom(SEED, 7);
    const store = await played(pack, 7);
    const records = await recordsOf(store);
    const notes = records.flatMap(({ note }, at) => {
      const other = altered({ ...note });
      return other === null ? [] : [{ at, other }];
    });
    for (const { at, other } of random.shuffled(notes).slice(0, 12)) {
      const forged = await rewritten(
        store,
        inStream(`session/${SESSION}`, (content) => withNote(content, at, other)),
      );
      expect((await verifyStore(forged)).problems).toEqual([]);
      const { ok, problems } = await replayed(pack, forged);
      expect({ ok, at: problems.map(({ session, index }) => ({ session, index })) }).toEqual({
        ok: false,
        at: [{ session: SESSION, index: at + 1 }],
      });
    }
  });

  it.each(["reserved", "blocked"])("finds the verdict of an event that was left out: %s", async (kind) => {
    const pack = approvalPack();
    const store = await played(pack, 8);
    const at = (await recordsOf(store)).findIndex(({ event }) => event?.kind === kind);
    const forged = await rewritten(
      store,
      inStream(`session/${SESSION}`, (content) => withNote(content, at, {})),
    );
    expect((await replayed(pack, forged)).problems).toEqual([
      { session: SESSION, index: at + 1, what: "has no verdict" },
    ]);
  });
});

describe("events that do not fit their verdict", () => {
  const { artifact } = approvalPack();

  async function asked(): Promise<DurableStore> {
    const store = await memory();
    const guard = await createGuard(artifact, { store, sessionId: SESSION, env: {}, approver: "manual" });
    await guard.propose({ tool: "pay", args: { amount: 200, to: "ann" } });
    return store;
  }

  it("are found: a deadline that was put off", async () => {
    const forged = await rewritten(
      await asked(),
      inStream(`session/${SESSION}`, (content) => {
        const records = content.records.map((record) => ({
          ...record,
          data: record.data.replace(/"deadline":(\d+)/, (_all, time) => `"deadline":${Number(time) + 1}`),
        }));
        const head = content.head.replace(/"deadline":(\d+)/, (_all, time) => `"deadline":${Number(time) + 1}`);
        return relinked({ ...content, records, head });
      }),
    );
    expect(await verifyStore(forged)).toMatchObject({ ok: true });
    const { result } = await replayStore(forged, { artifact, principals: new Map(), env: {}, session: null });
    const what = "has the right verdict, and records something else than deciding it again";
    expect(result.problems).toEqual([{ session: SESSION, index: 2, what }]);
  });

  it("are found: a verdict that was hidden in the append of what follows it", async () => {
    const store = await memory();
    const guard = await createGuard(artifact, { store, sessionId: SESSION, env: {}, approver: "manual" });
    await guard.propose({ tool: "pay", args: { amount: 200, to: "ann" } });
    await guard.propose({ tool: "look", args: {} });
    await guard.addLabel("seen");
    const forged = await rewritten(
      store,
      inStream(`session/${SESSION}`, (content) => {
        const records = content.records.map(({ appendId, data }, at) => ({
          appendId: at > 1 ? "one" : appendId,
          data: data.replace('"session_paused"', '"policy_denied"'),
        }));
        return relinked({ ...content, records });
      }),
    );
    expect(await verifyStore(forged)).toMatchObject({ ok: true });
    const { result } = await replayStore(forged, { artifact, principals: new Map(), env: {}, session: null });
    const what = "was block (policy_denied), and is block (session_paused) when decided again";
    expect(result.problems).toEqual([{ session: SESSION, index: 3, what }]);
  });

  it.each([
    { settlement: { callId: "call_9", outcome: "result", accepted: false, reason: "unknown_call" } },
    { answer: { approvalId: "approval_9", end: "denied" } },
    { step: true },
  ])("are found: a note that is about something else too, %j", async (more) => {
    const store = await judged({});
    const records = await recordsOf(store);
    const at = records.findIndex(({ note }) => note?.call !== undefined);
    const forged = await rewritten(
      store,
      inStream(`session/${SESSION}`, (content) => withNote(content, at, { ...records[at]?.note, ...more })),
    );
    const setting = { artifact: artifactOf(SCHEMA), principals: new Map(), env: { PAYEE: "ann" }, session: null };
    const { problems } = (await replayStore(forged, setting)).result;
    expect(problems).toEqual([{ session: SESSION, index: at + 1, what: "has a note that no guard writes" }]);
  });

  it("are found: a reservation under a refusal that cannot be judged", async () => {
    const store = await judged({});
    const at = (await recordsOf(store)).findIndex(({ event }) => event?.kind === "reserved");
    const call = { tool: "pay", digest: "", fields: {} };
    const note = { verdict: { kind: "block", reason: "schema_mismatch" }, call };
    const forged = await rewritten(
      store,
      inStream(`session/${SESSION}`, (content) => withNote(content, at, note)),
    );
    const setting = { artifact: artifactOf(SCHEMA), principals: new Map(), env: { PAYEE: "ann" }, session: null };
    const { problems } = (await replayStore(forged, setting)).result;
    expect(problems).toEqual([{ session: SESSION, index: at + 1, what: "records something else than its verdict" }]);
  });
});

describe("a guard whose store was away", () => {
  const { artifact } = approvalPack();
  const setting = { artifact, principals: new Map(), env: {}, session: null };

  it("is decided again with a kill that was recorded later", async () => {
    const shared = await memory();
    const store = new LossyStore(shared);
    const options = { store, sessionId: SESSION, env: {}, approver: "manual", storeTimeoutMs: 30 } as const;
    const guard = await createGuard(artifact, options);
    const approvalId = approvalIdOf(await guard.propose({ tool: "pay", args: { amount: 200, to: "ann" } }));
    store.appends = () => "request lost";
    await expect(guard.kill("stop")).rejects.toMatchObject({ reason: "store_unavailable" });
    store.appends = () => "pass";
    expect(await guard.approve(approvalId, { by: "bob" })).toMatchObject({ reason: "session_killed" });
    const events = (await recordsOf(shared)).slice(-2).map(({ event }) => event?.kind);
    expect(events).toEqual(["killed", "approval_ended"]);
    expect((await replayStore(shared, setting)).result).toMatchObject({ ok: true, replayed: 2, skipped: {} });
  });

  it("is decided again with reservations that nobody was told of", async () => {
    const shared = await memory();
    const store = new LossyStore(shared);
    const options = { store, sessionId: SESSION, env: {}, approver: "manual", storeTimeoutMs: 30 } as const;
    const guard = await createGuard(artifact, options);
    store.appends = () => "answer lost";
    for (const amount of [20, 200]) await guard.propose({ tool: "pay", args: { amount, to: "ann" } });
    store.appends = () => "pass";
    await guard.propose({ tool: "look", args: {} });
    expect((await recordsOf(shared)).map(({ event }) => event?.kind)).toContain("unanswered");
    expect((await replayStore(shared, setting)).result).toMatchObject({ ok: true, problems: [] });
    expect(await verifyStore(shared)).toMatchObject({ ok: true, problems: [] });
  });
});

const SCHEMA = `
#== session.yaml (with the required fields)
policy:
  rules: [{ deny: { principal: { path: $.type, equals: guest }, tools: [pay] } }]
#== pay.yaml (with the required fields)
side_effect: financial
execution_constraints: { arguments: [{ path: $.to, equals_env: PAYEE }] }
#== look.yaml (with the required fields)
#== tools.json
[{ "name": "pay", "input_schema": { "type": "object", "properties": { "amount": { "type": "number" }, "to": { "type": "string" } } } },
 { "name": "look", "input_schema": { "type": "object" } }]
`;

const GUEST = { type: "guest", name: "zoe" };
const CLERK = { type: "clerk", name: "ann" };

/** Calls of all kinds under a policy, a schema and a variable. */
async function judged(options: GuardOptions): Promise<DurableStore> {
  const store = await memory();
  const artifact = artifactOf(SCHEMA);
  const common = { store, sessionId: SESSION, env: { PAYEE: "ann" } };
  const clerk = await createGuard(artifact, { ...common, principal: CLERK, ...options });
  const guest = await createGuard(artifact, { ...common, principal: GUEST, ...options });
  const calls = [
    { amount: 1, to: "ann" },
    { amount: "much", to: "ann" },
    { amount: 2, to: "bob" },
  ];
  for (const args of calls) await clerk.propose({ tool: "pay", args });
  await guest.propose({ tool: "pay", args: { amount: 1, to: "ann" } });
  await guest.propose({ tool: "look", args: {} });
  return store;
}

describe("what cannot be decided again", () => {
  const artifact = artifactOf(SCHEMA);
  const both = new Map([CLERK, GUEST].map((principal) => [principalDigest(principal), principal]));
  const setting = { artifact, principals: both, env: { PAYEE: "ann" }, session: null };

  it("is nothing where everything is stored and given", async () => {
    const { result } = await replayStore(await judged({ storeArguments: "all" }), setting);
    expect(result).toMatchObject({ ok: true, replayed: 5, skipped: {} });
  });

  it("is a JSON Schema where only some arguments are stored", async () => {
    const { result } = await replayStore(await judged({}), setting);
    // The refusal by the schema is not decided; of two others the schema is not judged.
    expect(result).toMatchObject({ ok: true, replayed: 4, skipped: { schema: 3 } });
  });

  it("is a policy without its principal", async () => {
    const store = await judged({ storeArguments: "all" });
    const { result, principals } = await replayStore(store, { ...setting, principals: new Map() });
    expect(result).toMatchObject({ ok: true, replayed: 4, skipped: { principal: 4 } });
    expect([...principals].sort()).toEqual([...both.keys()].sort());
  });

  it("is a rule on a variable that is not set", async () => {
    const { result } = await replayStore(await judged({ storeArguments: "all" }), { ...setting, env: {} });
    expect(result).toMatchObject({ ok: true, replayed: 4, skipped: { environment: 2 } });
  });

  it("is a checkpoint without its principal, but not what a key repeats", async () => {
    const guarded = artifactOf(`
#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: [{ that: args.to != principal.name }], timeout_seconds: 60 }
`);
    const store = await memory();
    const options = { store, sessionId: SESSION, env: {}, principal: CLERK, approver: "manual" } as const;
    const guard = await createGuard(guarded, options);
    const pay = { tool: "pay", args: { to: "bob" }, callKey: "first" };
    const asked = await guard.propose(pay);
    expect(await guard.propose(pay)).toMatchObject({ kind: "approval_required", repeated: true });
    await guard.approve(approvalIdOf(asked), { by: "zoe" });
    expect(await guard.propose(pay)).toMatchObject({ kind: "allow", repeated: true });
    const { result } = await replayStore(store, { ...setting, artifact: guarded, principals: new Map() });
    expect(result).toMatchObject({ ok: true, problems: [], replayed: 3, skipped: { principal: 1 } });
  });

  it("is a sealed record and everything after it", async () => {
    const seal = (text: string) => Buffer.from(text).toString("base64");
    const open = (text: string) => Buffer.from(text, "base64").toString();
    const { result } = await replayStore(await judged({ seal, open }), setting);
    expect(result).toMatchObject({ ok: true, records: 6, replayed: 0, skipped: { sealed: 6 } });
  });

  it("is a record of another artifact", async () => {
    const { result } = await replayStore(await judged({}), { ...setting, artifact: approvalPack().artifact });
    expect(result).toMatchObject({ ok: true, replayed: 0, skipped: { artifact: 6 } });
  });
});

describe("the state that a log leads to", () => {
  /** A session with a snapshot. */
  async function long(): Promise<{ readonly pack: PlayedPack; readonly store: DurableStore }> {
    const pack = approvalPack();
    const store = await memory();
    const guard = await createGuard(pack.artifact, { store, sessionId: SESSION, env: {}, approver: "manual" });
    for (let count = 0; count < 130; count += 1) {
      const callId = callIdOf(await guard.propose({ tool: "look", args: {} }));
      await guard.settle(callId, { kind: "result", output: null });
    }
    return { pack, store };
  }

  it("is that of the snapshot and the head", async () => {
    const { pack, store } = await long();
    expect((await store.load(`session/${SESSION}`)).snapshot).not.toBeNull();
    expect(await replayed(pack, store)).toMatchObject({ ok: true, problems: [] });
  });

  it("differs from a snapshot that was replaced, with hashes that fit", async () => {
    const { pack, store } = await long();
    const forged = await rewritten(
      store,
      inStream(`session/${SESSION}`, (content) => {
        const { snapshot } = content;
        if (snapshot === null) throw new Error("there is no snapshot");
        const data = JSON.parse(snapshot.data);
        const state = JSON.stringify({ ...JSON.parse(data.state), toolCalls: 0 });
        const records = content.records.map((record, index) =>
          index + 1 === snapshot.revision
            ? { ...record, data: JSON.stringify({ ...JSON.parse(record.data), state: contentHash(state) }) }
            : record,
        );
        return relinked({ ...content, records, snapshot: { ...snapshot, data: JSON.stringify({ ...data, state }) } });
      }),
    );
    expect((await verifyStore(forged)).problems).toEqual([]);
    const { problems } = await replayed(pack, forged);
    expect(problems.map(({ what }) => what)).toEqual(["has a snapshot with another state than its records lead to"]);
  });

  it("is decided at the time of the record, also just before a deadline", async () => {
    const pack = approvalPack();
    const store = await memory();
    // The deadline passes between the decision and what comes after it.
    let now = 0;
    let step = 0;
    const clock = { now: () => (now += step) };
    const guard = await createGuard(pack.artifact, { store, sessionId: SESSION, env: {}, approver: "manual", clock });
    const approvalId = approvalIdOf(await guard.propose({ tool: "pay", args: { amount: 200, to: "ann" } }));
    now = 59_999 - 1;
    step = 1;
    expect((await guard.approve(approvalId, { by: "bob" })).kind).toBe("allow");
    expect(await replayed(pack, store)).toMatchObject({ ok: true, problems: [] });
  });
});
