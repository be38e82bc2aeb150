import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { createRoleGuard } from "../../src/guard/role-guard.js";
import { openApprovals } from "../../src/sessions/approvals.js";
import { type MigrationOptions, migrateSession } from "../../src/sessions/migration/migrate-session.js";
import { approvalIdOf, callIdOf, memory, recordsOf, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";
import { LossyStore } from "../support/lossy-store.js";
import { ALL_KINDS, closing } from "../support/operated-stores.js";

const SESSION_FILE = `
phases: [{ name: open, initial: true }, { name: paid, terminal: true }]
transitions: { open: [paid] }
session_limits: { max_steps: 50, max_tool_calls: 20, max_calls_per_tool: { pay: 9 }, max_cost_per_session: 5, circuit_breaker: { consecutive_blocks: 9, consecutive_errors: 9 } }
aggregates:
  - { name: paid, metric: sum, tool: pay, path: $.amount, lte: 150, reason: At most 150 }
  - { name: payees, metric: count_distinct, tool: pay, path: $.to, lte: 5, reason: At most 5 }
envelopes:
  - name: quoted
    constraint: lte_ceiling
    reason: Not above the quote
    stages: [{ tool: quote, path: $.amount, role: ceiling, source: output }, { tool: pay, path: $.amount, role: constrained }]
`;
const QUOTE_FILE = `
binds: [{ name: customer, source: output, path: $.customer }]
`;
const PAY_FILE = `
side_effect: financial
transitions: { valid_in_phases: [open, paid] }
preconditions: [{ requires_prior_tool: quote, with_output: [{ path: $.ok, equals: true }] }]
argument_value_invariants: [{ path: $.customer, ref: customer }]
checkpoint: { when: [{ path: $.amount, gte: 100 }], timeout_seconds: 60 }
`;
const CLOSE_FILE = `
transitions: { valid_in_phases: [open, paid], advances_to: paid }
`;

interface Files {
  readonly session: string;
  readonly quote: string;
  readonly pay: string;
  readonly close: string;
  readonly more: string;
}

const FILES: Files = { session: SESSION_FILE, quote: QUOTE_FILE, pay: PAY_FILE, close: CLOSE_FILE, more: "" };

function pack({ session, quote, pay, close, more }: Files): string {
  const files = [
    ["session", session],
    ["quote", quote],
    ["pay", pay],
    ["close", close],
  ];
  return files.map(([name, text]) => `#== ${name}.yaml (with the required fields)${text}`).join("") + more;
}

const OLD = artifactOf(pack(FILES));

/** The pack with a part of a file replaced. */
function changed(file: keyof Files, before: string, after: string) {
  const text = FILES[file].replace(before, after);
  if (text === FILES[file]) throw new Error(`${file} does not hold ${before}`);
  return artifactOf(pack({ ...FILES, [file]: text }));
}

function guardOn(store: DurableStore, artifact = OLD, options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifact, { env: {}, sessionId: SESSION, store, approver: "manual", ...options });
}

const payment = (amount: number, to = "ann") => ({ tool: "pay", args: { amount, to, customer: "c-1" } });
const QUOTED = { kind: "result", output: { ok: true, amount: 90, customer: "c-1" } } as const;
const DONE = { kind: "result", output: {} } as const;

async function quoted(guard: Guard): Promise<void> {
  await guard.settle(callIdOf(await guard.propose({ tool: "quote", args: {} })), QUOTED);
}

async function paid(guard: Guard, amount: number): Promise<void> {
  await guard.settle(callIdOf(await guard.propose(payment(amount))), DONE);
}

/** Quoted, paid 60, and 30 more that nobody settled. */
async function busy(guard: Guard): Promise<void> {
  await quoted(guard);
  await paid(guard, 60);
  await guard.propose(payment(30, "bob"));
  await guard.addLabel("vip");
  await guard.recordCost(1.5);
}

async function begun(prepare: (guard: Guard) => Promise<unknown>, store?: DurableStore) {
  const used = store ?? (await memory());
  const guard = await guardOn(used);
  await prepare(guard);
  return { store: used, guard };
}

async function reasonsFor(
  artifact: typeof OLD,
  prepare: (guard: Guard) => Promise<unknown> = busy,
  options: MigrationOptions = {},
): Promise<readonly string[]> {
  const { store } = await begun(prepare);
  const before = (await recordsOf(store)).length;
  const result = await migrateSession(store, SESSION, artifact, options);
  expect(await recordsOf(store)).toHaveLength(before + (result.ok ? 1 : 0));
  return result.ok ? [] : result.reasons;
}

/** Higher bounds, another label, one more tool, places that moved. */
const NEXT = artifactOf(
  pack({
    ...FILES,
    session: FILES.session.replace("lte: 150", "lte: 200").replace("max_tool_calls: 20", "max_tool_calls: 30"),
    quote: `\n# a comment${FILES.quote}`,
    more: "\n#== refund.yaml (with the required fields)\nside_effect: financial\n",
  }),
);

describe.each(ALL_KINDS)("a session in a %s store", (_, newUrl) => {
  it("goes on under another artifact with all that it remembers", async () => {
    const { store, guard } = await begun(busy, await closing(await newUrl()));
    const before = guard.state();
    expect(await migrateSession(store, SESSION, NEXT, { by: "ann", why: "higher limit" })).toEqual({ ok: true });
    expect((await recordsOf(store)).at(-1)).toMatchObject({
      artifact: NEXT.hash,
      guard: "operator",
      note: { migrated: { from: OLD.hash }, operator: { by: "ann", why: "higher limit" } },
    });
    // The guard that is still open under the old artifact does nothing more.
    expect(told(await guard.propose(payment(1)))).toBe("artifact_changed");
    expect(await createGuard(OLD, { env: {}, sessionId: SESSION, store }).catch((cause) => cause)).toMatchObject({
      verdict: { reason: "artifact_changed" },
    });
    const next = await guardOn(store, NEXT);
    expect(next.state()).toEqual(before);
    expect(told(await next.propose(payment(91)))).toBe("envelope_violated");
    expect(await next.settle("call_3", DONE)).toEqual({ accepted: true });
    await paid(next, 80);
    expect(next.state()).toMatchObject({ aggregates: { paid: 170, payees: 2 }, toolCalls: 4 });
    expect((await guardOn(store, NEXT)).state()).toEqual(next.state());
    expect(await migrateSession(store, SESSION, NEXT)).toEqual({ ok: true });
  });
});

describe("a session is not moved", () => {
  it.each<[string, typeof OLD, string]>([
    [
      "into a pack without its phase",
      artifactOf(
        pack({
          ...FILES,
          session: FILES.session
            .replace("name: open,", "name: start,")
            .replace("{ open: [paid] }", "{ start: [paid] }"),
          pay: FILES.pay.replace("[open, paid]", "[start, paid]"),
          close: FILES.close.replace("[open, paid]", "[start, paid]"),
        }),
      ),
      "the session is in phase `open`, which the pack does not have",
    ],
    [
      "below the steps it has made",
      changed("session", "max_steps: 50", "max_steps: 2"),
      "the session has 3 steps, and may have 2",
    ],
    [
      "below the calls it has made",
      changed("session", "max_tool_calls: 20", "max_tool_calls: 2"),
      "the session has 3 calls, and may have 2",
    ],
    [
      "below the calls of a tool",
      changed("session", "{ pay: 9 }", "{ pay: 1 }"),
      "the session has 2 calls of `pay`, and may have 1",
    ],
    [
      "below its cost",
      changed("session", "max_cost_per_session: 5", "max_cost_per_session: 1"),
      "the session cost 1.5, and may cost 1",
    ],
    [
      "out of the bounds of an aggregate, unsettled calls included",
      changed("session", "lte: 150", "lte: 80"),
      "the aggregate `paid` is outside of its bounds: `paid` would be 90, above 80",
    ],
    [
      "where a bound slot is bound from elsewhere",
      changed("quote", "path: $.customer", "path: $.client"),
      "the slot `customer` has a value, and is bound by other tools, sources or paths",
    ],
    [
      "where bounds depend on a slot that its calls would have bound",
      artifactOf(
        pack({
          ...FILES,
          session: FILES.session.replace(
            "lte: 150,",
            "lte: 150, when: [{ binding: tier, equals: new, then_lte: 95 }],",
          ),
          quote: FILES.quote.replace("binds: [", "binds: [{ name: tier, source: output, path: $.tier }, "),
        }),
      ),
      "the slot `tier` decides which bounds hold, and the calls made so far did not bind it",
    ],
    [
      "where an aggregate counts other values",
      changed("session", "path: $.amount, lte: 150", "path: $.total, lte: 150"),
      "the aggregate `paid` counts something else than before",
    ],
    [
      "where an aggregate is new",
      changed(
        "session",
        "aggregates:",
        "aggregates:\n  - { name: all, metric: count, tool: pay, lte: 9, reason: Few }",
      ),
      "the aggregate `all` is new, and does not count the calls made so far",
    ],
    [
      "where an envelope has other stages",
      changed("session", "path: $.amount, role: ceiling", "path: $.most, role: ceiling"),
      "the envelope `quoted` has values, and has other stages or another constraint",
    ],
    [
      "where calls would have to be counted that were not",
      changed("session", "{ pay: 9 }", "{ pay: 9, quote: 9 }"),
      "a rule asks how often `quote` was called, which was not counted so far",
    ],
    [
      "while a call is unsettled that would end differently",
      changed("pay", "valid_in_phases: [open, paid]", "valid_in_phases: [open, paid], advances_to: paid"),
      "the call `call_3` of `pay` is unsettled, and settling it means something else; settle it first",
    ],
  ])("%s", async (_, artifact, reason) => {
    expect(await reasonsFor(artifact)).toEqual([reason]);
  });

  it("while a call of a tool is unsettled that the pack does not have", async () => {
    const prepare = (guard: Guard) => guard.propose({ tool: "close", args: {} });
    const { close, ...files } = FILES;
    const artifact = artifactOf(
      `#== session.yaml (with the required fields)${files.session}
#== quote.yaml (with the required fields)${files.quote}
#== pay.yaml (with the required fields)${files.pay.replace("[open, paid]", "[open, paid], advances_to: paid")}`,
    );
    expect(await reasonsFor(artifact, prepare)).toEqual([
      "the call `call_1` of `close` is unsettled, and the pack does not have the tool",
    ]);
  });

  it("where loops are looked for further back than calls are remembered", async () => {
    const within = (window: number) =>
      changed("session", "{ max_steps: 50,", `{ max_steps: 50, loop_detection: { window: ${window}, threshold: 3 },`);
    const reason = (window: number) => `loops are looked for among the last ${window} calls, and fewer are remembered`;
    expect(await reasonsFor(within(5))).toEqual([reason(5)]);
    expect(await reasonsFor(within(5), async () => undefined)).toEqual([]);
    const store = await memory();
    const guard = await guardOn(store, within(4));
    await quoted(guard);
    expect(await migrateSession(store, SESSION, within(5))).toEqual({ ok: true });
    const next = await guardOn(store, within(5));
    for (const amount of [1, 2, 3]) await paid(next, amount);
    expect(await migrateSession(store, SESSION, within(6))).toEqual({ ok: false, reasons: [reason(6)] });
    expect(await migrateSession(store, SESSION, within(4))).toEqual({ ok: true });
  });

  it("into a pack with phases where it has none, or the other way round", async () => {
    const plain = artifactOf("#== session.yaml (with the required fields)\n#== look.yaml (with the required fields)\n");
    expect(await reasonsFor(plain, async () => undefined)).toEqual([
      "the session is in phase `open`, and the pack has no phases",
    ]);
    const store = await memory();
    await guardOn(store, plain);
    expect(await migrateSession(store, SESSION, OLD)).toEqual({
      ok: false,
      reasons: ["the session has no phase, and the pack has phases"],
    });
  });

  it("while an approval is pending", async () => {
    const clock = new TestClock();
    const store = await memory();
    const guard = await guardOn(store, OLD, { clock });
    const output = { ...QUOTED.output, amount: 140 };
    await guard.settle(callIdOf(await guard.propose({ tool: "quote", args: {} })), { kind: "result", output });
    const id = approvalIdOf(await guard.propose(payment(120)));
    const move = () => migrateSession(store, SESSION, NEXT, { clock });
    expect(await move()).toEqual({
      ok: false,
      reasons: [`the approval \`${id}\` is pending; answer it, or wait until it expires`],
    });
    clock.advance(60_000);
    expect(await move()).toEqual({ ok: true });
  });

  it("where it would have been killed", async () => {
    const prepare = async (guard: Guard) => {
      for (let n = 0; n < 3; n++) await guard.propose({ tool: "ghost", args: {} });
    };
    expect(await reasonsFor(changed("session", "consecutive_blocks: 9", "consecutive_blocks: 3"), prepare)).toEqual([
      "3 calls in a row were refused",
    ]);
  });

  it("into a role that the workflow of the artifact does not have", async () => {
    const workflow = artifactOf(`
#== workflow.yaml (with the required fields)
roles: [{ name: clerk, session_contract: clerk/session.yaml }]
#== clerk/session.yaml (with the required fields)
#== clerk/look.yaml (with the required fields)
`);
    const store = await memory();
    await createRoleGuard(workflow, { env: {}, sessionId: SESSION, store, role: "clerk" });
    const result = await migrateSession(store, SESSION, OLD);
    expect(result).toEqual({ ok: false, reasons: ["the artifact has no role `clerk`"] });
  });

  it("into a workflow, which nothing could open it in", async () => {
    const role = "#== clerk/session.yaml (with the required fields)\n#== clerk/look.yaml (with the required fields)\n";
    const workflow =
      "#== workflow.yaml (with the required fields)\nroles: [{ name: clerk, session_contract: clerk/session.yaml }]\n";
    const own = "#== session.yaml (with the required fields)\n#== look.yaml (with the required fields)\n";
    const store = await memory();
    await createGuard(artifactOf(own), { env: {}, sessionId: SESSION, store });
    for (const text of [workflow + role, own + workflow + role]) {
      const result = await migrateSession(store, SESSION, artifactOf(text));
      expect(result).toEqual({ ok: false, reasons: [expect.stringContaining("start one with `openWorkflow`")] });
    }
  });

  it("without the variables that outputs were compared with", async () => {
    const [old, next] = ["", "# later\n"].map((text) =>
      artifactOf(`#== session.yaml (with the required fields)
#== find.yaml (with the required fields)
#== act.yaml (with the required fields)
${text}preconditions: [{ requires_prior_tool: find, with_output: [{ path: $.region, equals_env: REGION }] }]
`),
    );
    const store = await memory();
    const env = { REGION: "eu" };
    const guard = await createGuard(old ?? null, { env, sessionId: SESSION, store });
    const found = { kind: "result", output: { region: "eu" } } as const;
    await guard.settle(callIdOf(await guard.propose({ tool: "find", args: {} })), found);
    const target = next ?? null;
    expect(await migrateSession(store, SESSION, target, { env: {} })).toEqual({
      ok: false,
      reasons: ["outputs are compared with the variable `REGION`, which is not set here; pass it in `env`"],
    });
    expect(await migrateSession(store, SESSION, target, { env })).toEqual({ ok: true });
    const later = await createGuard(target, { env, sessionId: SESSION, store });
    expect(told(await later.propose({ tool: "act", args: {} }))).toBe("allow");
  });

  it("for several reasons at once, all of which are named", async () => {
    const artifact = artifactOf(
      pack({
        ...FILES,
        session: FILES.session.replace("max_tool_calls: 20", "max_tool_calls: 1").replace("{ pay: 9 }", "{ pay: 1 }"),
        quote: FILES.quote.replace("path: $.customer", "path: $.client"),
      }),
    );
    expect(await reasonsFor(artifact)).toHaveLength(3);
  });

  it.each<[string, MigrationOptions]>([
    ["by somebody without a reason", { by: "ann" }],
    ["for a reason by nobody", { by: "", why: "x" }],
    ["with a time limit that is none", { storeTimeoutMs: -1 }],
  ])("%s", async (_, options) => {
    const { store } = await begun(busy);
    await expect(migrateSession(store, SESSION, NEXT, options)).rejects.toThrow(TypeError);
  });

  it("if there is no such session, or no artifact", async () => {
    const store = await memory();
    await expect(migrateSession(store, "ghost", NEXT)).rejects.toMatchObject({ code: "unknown_session" });
    await expect(migrateSession(store, SESSION, null)).rejects.toThrow(TypeError);
  });
});

describe("what a moved session counts", () => {
  it("is new where nothing had happened yet", async () => {
    const fresh = async () => undefined;
    expect(await reasonsFor(changed("session", "path: $.amount, lte: 150", "path: $.total, lte: 150"), fresh)).toEqual(
      [],
    );
    expect(await reasonsFor(changed("session", "{ pay: 9 }", "{ pay: 9, quote: 9 }"), fresh)).toEqual([]);
  });

  it("keeps history by definition: a new precondition has to be met first", async () => {
    const { store } = await begun(quoted);
    const artifact = changed(
      "close",
      "transitions",
      "preconditions: [{ requires_prior_tool: quote, with_output: [{ path: $.ok, equals: true }] }, { requires_prior_tool: pay }]\ntransitions",
    );
    expect(await migrateSession(store, SESSION, artifact)).toEqual({ ok: true });
    const next = await guardOn(store, artifact);
    expect(told(await next.propose({ tool: "close", args: {} }))).toBe("prior_tool_missing");
    await paid(next, 10);
    expect(told(await next.propose({ tool: "close", args: {} }))).toBe("allow");
  });

  it("keeps what is awaited of calls that were committed when they were sent", async () => {
    const dispatched = (line: string) =>
      artifactOf(`#== session.yaml (with the required fields)
#== find.yaml (with the required fields)
commit_requirement: none
binds: [{ name: found, source: output, path: $.id }]
#== act.yaml (with the required fields)
${line}preconditions: [{ requires_prior_tool: find, with_output: [{ path: $.ok, equals: true }] }]
argument_value_invariants: [{ path: $.id, ref: found }]
`);
    const [old, next] = [dispatched(""), dispatched("# moved\n")];
    const store = await memory();
    const guard = await guardOn(store, old);
    const callId = callIdOf(await guard.propose({ tool: "find", args: {} }));
    expect(await migrateSession(store, SESSION, next)).toEqual({ ok: true });
    const later = await guardOn(store, next);
    const act = { tool: "act", args: { id: "o-1" } };
    expect(told(await later.propose(act))).not.toBe("allow");
    await later.settle(callId, { kind: "result", output: { id: "o-1", ok: true } });
    expect(told(await later.propose(act))).toBe("allow");
  });

  it("still counts a late result that is acknowledged afterwards", async () => {
    const { store, guard } = await begun(quoted);
    const callId = callIdOf(await guard.propose(payment(70)));
    await guard.settle(callId, { kind: "did_not_happen" });
    expect(await migrateSession(store, SESSION, NEXT)).toEqual({ ok: true });
    const next = await guardOn(store, NEXT);
    await next.settle(callId, DONE);
    expect(told(await next.propose(payment(1)))).toBe("late_result_unacknowledged");
    await next.acknowledge(callId, { by: "ann", why: "the bank shows it", happened: true });
    expect(next.state().aggregates).toMatchObject({ paid: 70 });
  });

  it("has no use for an approval that was given under the old artifact", async () => {
    const store = await memory();
    const guard = await guardOn(store);
    const output = { ...QUOTED.output, amount: 140 };
    await guard.settle(callIdOf(await guard.propose({ tool: "quote", args: {} })), { kind: "result", output });
    const id = approvalIdOf(await guard.propose(payment(120)));
    await openApprovals(store).approve(id, { by: "ann", why: "fine" });
    expect(await migrateSession(store, SESSION, NEXT)).toEqual({ ok: true });
    expect(told(await (await guardOn(store, NEXT)).resume(id))).toBe("approval_mismatch");
  });
});

describe("moving a session", () => {
  it("is recorded once where the answer is lost", async () => {
    const { store } = await begun(busy);
    const lossy = new LossyStore(store);
    let appends = 0;
    lossy.appends = () => {
      appends += 1;
      return appends === 2 ? "answer lost" : "pass";
    };
    expect(await migrateSession(lossy, SESSION, NEXT)).toEqual({ ok: true });
    expect((await recordsOf(store)).filter(({ note }) => note?.migrated !== undefined)).toHaveLength(1);
  });

  it("is decided anew where a guard goes on meanwhile", async () => {
    const { store, guard } = await begun(busy);
    const lossy = new LossyStore(store);
    const plainList = lossy.list.bind(lossy);
    let isFirst = true;
    // Between the reading of the session and the move another call is allowed.
    lossy.list = async (options) => {
      const listed = await plainList(options);
      if (isFirst && options?.prefix?.startsWith("artifact/")) {
        isFirst = false;
        await guard.propose(payment(40));
      }
      return listed;
    };
    expect(await migrateSession(lossy, SESSION, NEXT)).toEqual({ ok: true });
    expect((await guardOn(store, NEXT)).state()).toMatchObject({ toolCalls: 4, aggregates: { paid: 130 } });
  });

  it("ends within its time limit where the store is away", async () => {
    const { store } = await begun(busy);
    const lossy = new LossyStore(store);
    lossy.appends = () => "request lost";
    const moving = migrateSession(lossy, SESSION, NEXT, { storeTimeoutMs: 50 });
    await expect(moving).rejects.toMatchObject({ reason: "store_unavailable" });
  });

  it("keeps a sealed session sealed", async () => {
    const seal = (text: string) => Buffer.from(text).toString("base64");
    const open = (text: string) => Buffer.from(text, "base64").toString();
    const { store } = await begun(busy, await closing("memory:", { seal, open }));
    expect(await migrateSession(store, SESSION, NEXT)).toEqual({ ok: true });
    const { snapshot } = await store.load(`session/${SESSION}`);
    expect(snapshot?.data).not.toMatch(/amount|customer/);
    expect((await guardOn(store, NEXT)).state().aggregates).toMatchObject({ paid: 90 });
  });
});
