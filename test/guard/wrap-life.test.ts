import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import type { ApprovalAnswer, GuardOptions } from "../../src/guard/public.js";
import type { SessionStore } from "../../src/guard/session/store.js";
import type { ProxyCall } from "../../src/guard/wrap/call-options.js";
import { fateOf, payGuard, rejectionOf, revokedProxy, violationOf } from "../support/guard-calls.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";
import { MemoryStore } from "../support/guard-store.js";

const RETRIES = `
retries: { max_attempts: 3, retry_on: ['429', '503'] }
rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 20 } }
timeouts: { total_ms: 60000 }
`;
const MODES = ["enforce", "shadow", "log-only"] as const;

/** A function that keeps what it is sent and answers `{ ok: true }`. */
function recording(): { readonly call: ProxyCall; readonly sent: unknown[] } {
  const sent: unknown[] = [];
  return {
    sent,
    call: async (tool, args) => {
      sent.push({ tool, args });
      return { ok: true };
    },
  };
}

/** Arguments that say something else each time they are read. */
function shifting(...values: readonly unknown[]): object {
  let reads = 0;
  const get = () => values[Math.min(reads++, values.length - 1)];
  return Object.defineProperty({}, "amount", { enumerable: true, get });
}

describe("arguments that could not be copied", () => {
  it.each(MODES)("are refused and never sent in mode %s, whatever they say when they are read again", async (mode) => {
    const guard = await payGuard("", { mode });
    const { call, sent } = recording();
    const refused = await violationOf(guard.wrap(call)("pay", shifting(Number.NaN, 1, 1_000_000)));
    expect(refused.verdict.reason).toBe("arguments_not_json");
    expect({ sent, calls: guard.state().toolCalls }).toEqual({ sent: [], calls: 0 });
  });

  it.each(MODES)("are refused by propose too, in mode %s", async (mode) => {
    const guard = await payGuard("", { mode });
    expect(told(await guard.propose({ tool: "pay", args: { amount: 1n } }))).toBe("arguments_not_json");
    expect(told(await guard.propose({ tool: "pay", args: revokedProxy() }))).toBe("arguments_not_json");
    expect(guard.state().toolCalls).toBe(0);
  });

  it("feed the circuit breaker like every other refused call", async () => {
    const guard = await payGuard("", {}, "session_limits: { circuit_breaker: { consecutive_blocks: 1 } }");
    await violationOf(guard.wrap(recording().call)("pay", { amount: Number.NaN }));
    expect(guard.state().killed).toBe(true);
  });

  it("are no other than those that were copied: JSON that is no object is sent as a copy where nothing is blocked", async () => {
    const guard = await payGuard("", { mode: "shadow" });
    const args = [{ amount: 1 }];
    const seen: unknown[] = [];
    await guard.wrap(async (_, given) => {
      seen.push(given, given === args);
      return {};
    })("pay", args);
    expect(seen).toEqual([[{ amount: 1 }], false]);
  });
});

const NAMES: readonly (readonly [string, () => unknown])[] = [
  ["a list", () => ["pay"]],
  ["a boxed text", () => Object("pay")],
  ["a symbol", () => Symbol("pay")],
  ["an object that turns into the name", () => ({ toString: () => "pay" })],
  [
    "an object that fails to turn into a name",
    () => ({
      toString: () => {
        throw new Error("a trap");
      },
    }),
  ],
  ["a revoked proxy", revokedProxy],
  ["nothing", () => undefined],
  ["null", () => null],
  ["a number", () => 1],
];

describe("a tool name that is no text", () => {
  const breaker = "session_limits: { circuit_breaker: { consecutive_blocks: 1 } }";

  it.each(NAMES)("is refused, and nothing is counted: %s", async (_, name) => {
    for (const mode of MODES) {
      for (const unmatched of ["block", "allow"] as const) {
        const guard = await payGuard("gate: block", { mode, unmatched }, breaker);
        const { call, sent } = recording();
        const refused = { kind: "block", reason: "unmatched_tool" };
        expect(await Reflect.apply(guard.propose, guard, [{ tool: name(), args: {} }])).toMatchObject(refused);
        expect(Reflect.apply(guard.explain, guard, [{ tool: name(), args: {} }])).toMatchObject([refused]);
        const wrapped = guard.wrap(call);
        expect((await violationOf(Reflect.apply(wrapped, null, [name(), {}]))).verdict).toMatchObject(refused);
        expect(sent).toEqual([]);
        expect(guard.state()).toMatchObject({ toolCalls: 0, steps: 0, killed: false });
      }
    }
  });

  it("is read once from a proposal", async () => {
    const guard = await payGuard("gate: block", { unmatched: "allow" });
    const names: unknown[] = ["other", ["pay"]];
    const call = Object.defineProperty({ args: {} }, "tool", { get: () => names.shift() });
    expect(told(await Reflect.apply(guard.propose, guard, [call]))).toBe("allow");
    expect(guard.state().unsettled).toMatchObject([{ tool: "other" }]);
  });
});

describe("an output of a call that another process settled meanwhile", () => {
  const judged = "assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true }] }";
  const settlements = [
    { kind: "happened" },
    { kind: "did_not_happen" },
    { kind: "timeout" },
    { kind: "result", output: { ok: true } },
    { kind: "error", sent: false },
  ] as const;

  async function outputAfter(guard: Guard, settlement: (typeof settlements)[number], output: unknown) {
    return guard.wrap(async () => {
      const callId = guard.state().unsettled[0]?.callId ?? "";
      expect(await guard.settle(callId, settlement)).toMatchObject({ accepted: true });
      return output;
    })("pay", { amount: 1 });
  }

  it.each(settlements)("is not handed on where it breaks a rule: $kind", async (settlement) => {
    const guard = await payGuard(judged);
    const { verdict } = await violationOf(outputAfter(guard, settlement, { ok: false }));
    expect(verdict).toMatchObject({ reason: "output_invariant_failed", rule: { file: "pay.yaml" } });
  });

  it.each(settlements)("is not handed on where it is no JSON: $kind", async (settlement) => {
    const guard = await payGuard();
    const { verdict } = await violationOf(outputAfter(guard, settlement, new Date(0)));
    expect(verdict).toMatchObject({ reason: "output_not_json", found: "an instance of a class" });
  });

  it.each(settlements)("is handed on where it holds: $kind", async (settlement) => {
    const guard = await payGuard(judged);
    expect(await outputAfter(guard, settlement, { ok: true })).toEqual({ ok: true });
  });

  it("is not judged in log-only mode", async () => {
    const guard = await payGuard(judged, { mode: "log-only" });
    expect(await outputAfter(guard, { kind: "happened" }, { ok: false })).toEqual({ ok: false });
  });

  it.each(settlements)("is handed on in shadow mode: $kind", async (settlement) => {
    const guard = await payGuard(judged, { mode: "shadow" });
    expect(await outputAfter(guard, settlement, { ok: false })).toEqual({ ok: false });
  });

  it("is compared with the values before it, also where the settlement has made it one of them", async () => {
    const stages = `
envelopes:
  - name: price
    constraint: monotonic_decrease
    stages:
      - { tool: pay, source: output, path: $.price, role: constrained }
      - { tool: pay, path: $.start, role: initial }
    reason: Prices only fall
`;
    const guard = await payGuard("", {}, stages);
    const start = await guard.propose({ tool: "pay", args: { amount: 1, start: 100 } });
    if (start.kind === "allow") await guard.settle(start.callId, { kind: "result", output: { price: 90 } });
    const call = guard.wrap(async () => {
      const callId = guard.state().unsettled[0]?.callId ?? "";
      await guard.settle(callId, { kind: "happened", output: { price: 150 } });
      return { price: 150 };
    });
    const { verdict } = await violationOf(call("pay", { amount: 1, start: 100 }));
    expect(verdict.reason).toBe("output_stage_violated");
  });

  it("that says something else when it is read again is handed on as it was judged", async () => {
    const guard = await payGuard(judged);
    let reads = 0;
    const output = Object.defineProperty({}, "ok", { enumerable: true, get: () => reads++ === 0 });
    expect(await guard.wrap(async () => output)("pay", { amount: 1 })).toEqual({ ok: true });
  });
});

describe("a call that waits for its next attempt", () => {
  const status = (code: number) => Object.assign(new Error(`${code}`), { status: code, retryAfter: 10 });

  /** Fails each attempt, and lets something happen while the guard waits for the next one. */
  async function waiting(guard: Guard, error: unknown, meanwhile: () => unknown) {
    const sent: unknown[] = [];
    const call = guard.wrap(async (_tool, args) => {
      sent.push(args);
      // Before any timer: a busy machine must not let the next attempt come first.
      setImmediate(meanwhile);
      throw error;
    });
    const cause = await rejectionOf(call("pay", { amount: 1 }));
    return { sent: sent.length, cause };
  }

  it("is not sent after a kill, and nothing that was refused stays counted", async () => {
    const guard = await payGuard(RETRIES);
    const { sent, cause } = await waiting(guard, status(429), () => guard.kill("enough"));
    expect(cause).toMatchObject({ name: "ContractViolation", verdict: { reason: "session_killed" } });
    expect({ sent, fate: fateOf(guard) }).toEqual({ sent: 1, fate: "released" });
  });

  it("stays counted after a kill where an attempt may have had its effect", async () => {
    const guard = await payGuard(RETRIES);
    const { sent, cause } = await waiting(guard, status(503), () => guard.kill("enough"));
    expect(cause).toMatchObject({ verdict: { reason: "session_killed" } });
    expect({ sent, fate: fateOf(guard) }).toEqual({ sent: 1, fate: "indeterminate" });
  });

  it("is not sent after a kill by another process", async () => {
    const store = new MemoryStore();
    const guard = await payGuard(RETRIES, { store, sessionId: "shared" });
    const other = await payGuard(RETRIES, { store, sessionId: "shared" });
    const short = Object.assign(new Error("429"), { status: 429, retryAfter: 0.1 });
    const { sent, cause } = await waiting(guard, short, () => other.kill("enough"));
    expect(cause).toMatchObject({ verdict: { reason: "session_killed" } });
    expect({ sent, fate: fateOf(guard) }).toEqual({ sent: 1, fate: "released" });
  });

  it("is not sent once a label gates its tool", async () => {
    const session = "policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Too hot }] }";
    const guard = await payGuard(RETRIES, {}, session);
    const short = Object.assign(new Error("429"), { status: 429, retryAfter: 0.1 });
    const { sent, cause } = await waiting(guard, short, () => guard.addLabel("hot"));
    expect(cause).toMatchObject({ verdict: { reason: "label_gated" } });
    expect({ sent, fate: fateOf(guard) }).toEqual({ sent: 1, fate: "released" });
  });

  it.each(["decision", "approval_answered"] as const)(
    "is not sent at all where the label comes with %s",
    async (when) => {
      const session = "policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Too hot }] }";
      const checkpoint = when === "decision" ? "" : "checkpoint: { when: always, timeout_seconds: 60 }";
      const guard = await payGuard(checkpoint, { approver: async () => ({ decision: "approve", by: "ann" }) }, session);
      guard.on(when, () => void guard.addLabel("hot"));
      const { call, sent } = recording();
      const { verdict } = await violationOf(guard.wrap(call)("pay", { amount: 1 }));
      expect({ reason: verdict.reason, sent, fate: fateOf(guard) }).toEqual({
        ...{ reason: "label_gated", sent: [], fate: "released" },
      });
    },
  );

  it("is not sent after an approval where another process added the label meanwhile", async () => {
    const session = "policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Too hot }] }";
    const checkpoint = "checkpoint: { when: always, timeout_seconds: 60 }";
    const store = new MemoryStore();
    const adding: Promise<void>[] = [];
    const options = { store, sessionId: "shared", approver: "manual" } as const;
    // Its look before sending comes after the label.
    const late: SessionStore = {
      load: (...asked) => Promise.all(adding).then(() => store.load(...asked)),
      append: (...asked) => store.append(...asked),
    };
    const guard = await payGuard(checkpoint, { ...options, store: late }, session);
    const other = await payGuard(checkpoint, options, session);
    guard.on("approval_requested", ({ approvalId }) => void guard.approve(approvalId, { by: "ann" }));
    guard.on("decision", ({ kind }) => kind === "allow" && adding.push(other.addLabel("hot")));
    const { call, sent } = recording();
    const { verdict } = await violationOf(guard.wrap(call)("pay", { amount: 1 }));
    expect({ reason: verdict.reason, sent }).toEqual({ reason: "label_gated", sent: [] });
  });

  it("is not sent once another process settled it: its reservation is gone", async () => {
    const guard = await payGuard(RETRIES);
    const short = Object.assign(new Error("429"), { status: 429, retryAfter: 0.1 });
    const { sent, cause } = await waiting(guard, short, () =>
      guard.settle(guard.state().unsettled[0]?.callId ?? "", { kind: "did_not_happen" }),
    );
    expect({ sent, cause, fate: fateOf(guard) }).toEqual({ sent: 1, cause: short, fate: "released" });
  });

  it("was never sent where the kill comes with the verdict", async () => {
    const guard = await payGuard(RETRIES);
    const killed: Promise<void>[] = [];
    guard.on("decision", () => killed.push(guard.kill("enough")));
    const { call, sent } = recording();
    const { verdict } = await violationOf(guard.wrap(call)("pay", { amount: 1 }));
    await Promise.all(killed);
    expect({ reason: verdict.reason, sent, fate: fateOf(guard) }).toEqual({
      reason: "session_killed",
      sent: [],
      fate: "released",
    });
  });
});

describe("options of a call", () => {
  const wrong: readonly (readonly [string, () => unknown])[] = [
    ["a signal that is a text", () => ({ signal: "abort" })],
    ["a signal that is an object", () => ({ signal: { aborted: false } })],
    ["a signal that is a controller", () => ({ signal: new AbortController() })],
    ["a signal by its prototype only", () => ({ signal: Object.create(AbortSignal.prototype) })],
    ["a signal that is a revoked proxy", () => ({ signal: revokedProxy() })],
    ["null", () => null],
    ["a text", () => "options"],
  ];
  it.each(wrong)("of a wrong kind are a TypeError before anything is reserved: %s", async (_, options) => {
    const guard = await payGuard();
    const { call, sent } = recording();
    const wrapped = guard.wrap(call);
    for (let time = 0; time < 2; time++) {
      const thrown = rejectionOf(Reflect.apply(wrapped, null, ["pay", { amount: 1 }, options()]));
      expect(await thrown).toBeInstanceOf(TypeError);
    }
    expect({ sent, calls: guard.state().toolCalls }).toEqual({ sent: [], calls: 0 });
  });

  it("may have a signal that is null, which is none", async () => {
    const guard = await payGuard();
    const wrapped = guard.wrap(recording().call);
    expect(await Reflect.apply(wrapped, null, ["pay", { amount: 1 }, { signal: null }])).toEqual({ ok: true });
  });

  it("are read once", async () => {
    const guard = await payGuard();
    const seen: unknown[] = [];
    let reads = 0;
    const options = Object.defineProperty({ trace: "t" }, "signal", {
      enumerable: true,
      get: () => {
        reads += 1;
        return reads === 1 ? undefined : "no signal";
      },
    });
    const call: ProxyCall = async (_tool, _args, given) =>
      seen.push(given?.trace, given?.signal instanceof AbortSignal);
    await Reflect.apply(guard.wrap(call), null, ["pay", { amount: 1 }, { ...options }]);
    expect(seen).toEqual(["t", true]);
  });

  it("of wrap are checked when the function is wrapped", async () => {
    const guard = await payGuard();
    const { call } = recording();
    for (const options of [null, "no", { followsRedirects: "false" }, { followRedirects: false }]) {
      expect(() => Reflect.apply(guard.wrap, guard, [call, options])).toThrow(TypeError);
    }
    expect(() => Reflect.apply(guard.wrap, guard, [null])).toThrow(TypeError);
  });
});

describe("a function that sends calls", () => {
  /** A function as one without types may be: it gives whatever it likes. */
  function giving(answer: unknown): ProxyCall {
    return new Proxy<ProxyCall>(async () => undefined, { apply: () => answer });
  }

  function thenable(descriptor: PropertyDescriptor): object {
    const name = "then";
    return Object.defineProperty({}, name, descriptor);
  }

  it("may answer without a promise", async () => {
    const guard = await payGuard();
    expect(await guard.wrap(giving({ ok: 1 }))("pay", { amount: 1 })).toEqual({ ok: 1 });
    expect(fateOf(guard)).toBe("committed");
  });

  it("may answer with a promise of another kind that cannot be read", async () => {
    const guard = await payGuard();
    const get = () => {
      throw new Error("a trap");
    };
    expect(await rejectionOf(guard.wrap(giving(thenable({ get })))("pay", { amount: 1 }))).toBeInstanceOf(Error);
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("may answer with a promise of another kind that settles twice: its first word counts", async () => {
    const guard = await payGuard();
    const value = (resolve: (value: unknown) => void, reject: (cause: unknown) => void) => {
      resolve({ ok: 1 });
      reject(Object.assign(new Error("x"), { sent: false }));
      throw new Error("a trap");
    };
    expect(await guard.wrap(giving(thenable({ value })))("pay", { amount: 1 })).toEqual({ ok: 1 });
    expect(fateOf(guard)).toBe("committed");
  });

  it("may abort its own call before it gives a promise", async () => {
    const guard = await payGuard("timeouts: { total_ms: 20000 }");
    const caller = new AbortController();
    const call: ProxyCall = () => {
      caller.abort(new Error("changed my mind"));
      return new Promise(() => {});
    };
    const thrown = await rejectionOf(guard.wrap(call)("pay", { amount: 1 }, { signal: caller.signal }));
    expect(thrown).toMatchObject({ message: "changed my mind" });
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("is not called, and nothing proposed, where the signal has aborted before", async () => {
    const guard = await payGuard("", {}, "session_limits: { loop_detection: { window: 5, threshold: 2 } }");
    const decisions: unknown[] = [];
    guard.on("decision", (event) => decisions.push(event));
    const reason = { status: 400 };
    const signal = AbortSignal.abort(reason);
    const { call, sent } = recording();
    expect(await rejectionOf(guard.wrap(call)("pay", { amount: 1 }, { signal }))).toBe(reason);
    expect({ sent, decisions, fate: fateOf(guard) }).toEqual({ sent: [], decisions: [], fate: "released" });
  });
});

describe("a caller who gives up while the store is slow", () => {
  it.each(["", "checkpoint: { when: always, timeout_seconds: 60 }"])(
    "is not kept waiting, and what is reserved after that is given back (%s)",
    async (contract) => {
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      let isSlow = false;
      const store = new MemoryStore(() => (isSlow ? gate : Promise.resolve()));
      const guard = await payGuard(contract, { store, approver: "manual" });
      const { call, sent } = recording();
      const caller = new AbortController();
      isSlow = true;
      const pending = rejectionOf(guard.wrap(call)("pay", { amount: 1 }, { signal: caller.signal }));
      await delay(5);
      caller.abort(new Error("changed my mind"));
      expect(await pending).toMatchObject({ message: "changed my mind" });
      open();
      await delay(50);
      expect({ sent, fate: fateOf(guard) }).toEqual({ sent: [], fate: "released" });
      expect(guard.explain({ tool: "pay", args: { amount: 1 } })).toEqual([]);
    },
  );
});

describe("a clock that fails", () => {
  class BrokenClock extends TestClock {
    broken: "no" | "throws" | "gives no number" = "no";

    override now(): number {
      if (this.broken === "throws") throw new Error("no battery");
      return this.broken === "no" ? super.now() : Number.NaN;
    }
  }

  it.each(["throws", "gives no number"] as const)("leaves no call running when it %s", async (how) => {
    const clock = new BrokenClock();
    const guard = await payGuard(RETRIES, { clock });
    clock.broken = how;
    const { call, sent } = recording();
    await rejectionOf(guard.wrap(call)("pay", { amount: 1 }));
    expect({ sent, fate: fateOf(guard) }).toEqual({ sent: [], fate: "released" });
    clock.broken = "no";
    const failing = guard.wrap(async () => {
      clock.broken = how;
      throw Object.assign(new Error("503"), { status: 503 });
    });
    await rejectionOf(failing("pay", { amount: 1 }));
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it.each(["throws", "gives no number"] as const)("lets no waiting call pass when it %s", async (how) => {
    const clock = new BrokenClock();
    const guard = await payGuard("checkpoint: { when: always, timeout_seconds: 60, on_timeout: allow }", {
      clock,
      approver: "manual",
    });
    const asked = await guard.propose({ tool: "pay", args: { amount: 1 } });
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    clock.broken = how;
    expect(told(await guard.propose({ tool: "pay", args: { amount: 1 } }))).toBe("guard_fault");
    expect(told(await guard.resume(approvalId))).toBe("guard_fault");
    expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("guard_fault");
    expect(guard.visibleTools().visible).toEqual([]);
    expect(guard.explain({ tool: "pay", args: { amount: 1 } }).map(told)).toEqual(["session_paused"]);
    expect(guard.state().toolCalls).toBe(0);
    clock.broken = "no";
    expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("allow");
  });
});

describe("a clock that throws what cannot be looked at", () => {
  it("lets nothing pass", async () => {
    const clock = new TestClock();
    const guard = await payGuard("checkpoint: { when: always, timeout_seconds: 60 }", { clock, approver: "manual" });
    await guard.propose({ tool: "pay", args: { amount: 1 } });
    clock.now = () => {
      throw revokedProxy();
    };
    expect(told(await guard.propose({ tool: "pay", args: { amount: 1 } }))).toBe("guard_fault");
  });
});

describe("aborting while a person is asked", () => {
  const checkpoint = "checkpoint: { when: always, timeout_seconds: 60 }";

  async function asked(options: GuardOptions, contract = checkpoint) {
    const guard = await payGuard(contract, options);
    const request = new Promise<string>((resolve) => guard.on("approval_requested", (e) => resolve(e.approvalId)));
    const { call, sent } = recording();
    const caller = new AbortController();
    const pending = rejectionOf(guard.wrap(call)("pay", { amount: 1 }, { signal: caller.signal }));
    return { guard, sent, caller, pending, approvalId: await request };
  }

  const paused = (guard: Guard) => guard.explain({ tool: "pay", args: { amount: 1 } }).map(told);

  it.each([checkpoint, checkpoint.replace("60", "60, on_timeout: allow")])(
    "withdraws the request: the session goes on, and a late approval reserves nothing (%s)",
    async (contract) => {
      const clock = new TestClock();
      const { guard, sent, caller, pending, approvalId } = await asked({ approver: "manual", clock }, contract);
      expect(paused(guard)).toEqual(["session_paused"]);
      caller.abort(new Error("changed my mind"));
      expect(await pending).toMatchObject({ message: "changed my mind" });
      expect(paused(guard)).toEqual([]);
      expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("approval_withdrawn");
      expect(told(await guard.deny(approvalId, { by: "ann" }))).toBe("approval_withdrawn");
      clock.advance(120_000);
      expect(told(await guard.resume(approvalId))).toBe("approval_withdrawn");
      expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
      expect(sent).toEqual([]);
    },
  );

  it("is reported to listeners and to the store", async () => {
    const store = new MemoryStore();
    const { guard, caller, pending, approvalId } = await asked({ approver: "manual", store, sessionId: "s" });
    const heard: unknown[] = [];
    guard.on("approval_answered", (event) => heard.push(event));
    caller.abort();
    await pending;
    expect(heard).toEqual([{ approvalId, end: "withdrawn", by: "the caller" }]);
    expect(store.log("s")).toContainEqual({ kind: "approval_ended", approvalId, end: "withdrawn" });
    const next = await payGuard(checkpoint, { approver: "manual", store, sessionId: "s" });
    expect(told(await next.approve(approvalId, { by: "ann" }))).toBe("approval_withdrawn");
  });

  it("withdraws the request of an approver that is a function, whose late answer reserves nothing", async () => {
    let answer: (given: ApprovalAnswer) => void = () => undefined;
    const approver = () => new Promise<ApprovalAnswer>((resolve) => (answer = resolve));
    const { guard, sent, caller, pending, approvalId } = await asked({ approver });
    caller.abort(new Error("changed my mind"));
    expect(await pending).toMatchObject({ message: "changed my mind" });
    expect(paused(guard)).toEqual([]);
    answer({ decision: "approve", by: "ann" });
    await delay(20);
    expect(told(await guard.resume(approvalId))).toBe("approval_withdrawn");
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
    expect(sent).toEqual([]);
  });

  it("in the moment of the approval leaves no reserved call behind", async () => {
    for (const order of ["approve first", "abort first"]) {
      const { guard, sent, caller, pending, approvalId } = await asked({ approver: "manual" });
      if (order === "abort first") caller.abort();
      const approved = guard.approve(approvalId, { by: "ann" });
      if (order === "approve first") caller.abort();
      await Promise.all([pending, approved]);
      expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
      expect(sent).toEqual([]);
    }
  });

  it("is no matter where the clock fails instead: the request is withdrawn as well", async () => {
    const clock = new TestClock();
    const { guard, pending } = await asked({ approver: "manual", clock });
    clock.now = () => Number.NaN;
    expect(await pending).toBeInstanceOf(Error);
    expect(paused(guard)).toEqual([]);
  });
});
