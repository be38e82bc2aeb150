import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardEvents, GuardOptions } from "../../src/guard/public.js";
import { memoryStore } from "../../src/stores/memory.js";
import { artifactOf } from "../support/guard-artifact.js";
import { revokedProxy } from "../support/guard-calls.js";
import { told } from "../support/guard-steps.js";

const NAMES = ["decision", "settled", "killed", "approval_requested", "approval_answered"] as const;

const PACK = `
#== session.yaml (with the required fields)
session_limits: { circuit_breaker: { consecutive_blocks: 2, consecutive_errors: 3 } }
policy: { rules: [{ deny: { principal: { path: $.role, equals: guest } } }] }
#== look.yaml (with the required fields)
assertions:
  input_invariants: [{ path: $.q, length_lte: 20 }]
  output_invariants: [{ path: $.status, one_of: [ok] }]
binds: [{ name: slot, source: output, path: $.secret }]
#== ask.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 60, context: [{ path: $.q, label: Question }] }
#== free.yaml (with the required fields)
`;

const SECRET = "s3cret";
const PRINCIPAL = { role: "clerk", name: `${SECRET} clerk` };

interface Heard {
  readonly name: keyof GuardEvents;
  readonly event: GuardEvents[keyof GuardEvents];
}

async function heardBy(options: GuardOptions = {}): Promise<{ guard: Guard; heard: Heard[] }> {
  const guard = await createGuard(artifactOf(PACK), { env: {}, principal: PRINCIPAL, ...options });
  const heard: Heard[] = [];
  for (const name of NAMES) guard.on(name, (event) => heard.push({ name, event }));
  return { guard, heard };
}

async function allowed(guard: Guard, tool: string, args: object): Promise<string> {
  const verdict = await guard.propose({ tool, args });
  return verdict.kind === "allow" ? verdict.callId : told(verdict);
}

describe("a listener", () => {
  it.each([
    ["of a misspelt event", "decison", () => {}, /no event "decison"; did you mean `decision`\?/],
    ["of an event that the prototype has", "constructor", () => {}, /it may have decision, settled, killed/],
    ["of no event", Symbol("killed"), () => {}, TypeError],
    ["that is no function", "killed", null, /a listener must be a function/],
  ])("%s is a TypeError", async (_, name, listener, message) => {
    const { guard } = await heardBy();
    expect(() => Reflect.apply(guard.on, guard, [name, listener])).toThrow(message);
  });
});

describe("events", () => {
  it("report every decision, settlement, approval and kill", async () => {
    const { guard, heard } = await heardBy({ approver: "manual" });
    const callId = await allowed(guard, "look", { q: "x" });
    await guard.settle(callId, { kind: "result", output: { status: "ok" } });
    await guard.settle(callId, { kind: "happened" });
    const asked = await guard.propose({ tool: "ask", args: { q: "x" } });
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    await guard.deny(approvalId, { by: "ann", note: "no" });
    await guard.propose({ tool: "look", args: { q: "x".repeat(21) } });
    expect(heard).toMatchObject([
      { name: "decision", event: { tool: "look", kind: "allow", callId } },
      { name: "settled", event: { callId, accepted: true, ending: "committed" } },
      { name: "settled", event: { callId, accepted: false, reason: "already_settled" } },
      { name: "decision", event: { tool: "ask", kind: "approval_required" } },
      { name: "approval_requested", event: { approvalId, tool: "ask", rules: [{ file: "ask.yaml", line: 1 }] } },
      { name: "decision", event: { tool: null, kind: "block", reason: "approval_denied" } },
      { name: "approval_answered", event: { approvalId, end: "denied", by: "ann", note: "no" } },
      { name: "decision", event: { tool: "look", kind: "block", reason: "input_invariant_failed", rule: { line: 2 } } },
      { name: "killed", event: { why: "2 blocks in a row", cause: "consecutive_blocks" } },
    ]);
  });

  it("report the rule that an output broke, and none if it broke none", async () => {
    const { guard, heard } = await heardBy();
    const settled = async (output: unknown) =>
      guard.settle(await allowed(guard, "look", { q: "x" }), { kind: "result", output });
    await settled({ status: "no" });
    await settled({ status: "ok", when: new Date(0) });
    await settled({ status: "ok" });
    expect(heard.filter(({ name }) => name === "settled").map(({ event }) => event)).toEqual([
      {
        callId: "call_1",
        accepted: true,
        ending: "violated",
        reason: "output_invariant_failed",
        rule: { file: "look.yaml", line: 3 },
      },
      { callId: "call_2", accepted: true, ending: "violated", reason: "output_not_json", rule: null },
      { callId: "call_3", accepted: true, ending: "committed" },
    ]);
  });

  it("of the store keep who answered an approval, and why", async () => {
    const store = memoryStore();
    const { guard } = await heardBy({ approver: "manual", store, sessionId: "kept" });
    const asked = await guard.propose({ tool: "ask", args: { q: "x" } });
    await guard.deny(asked.kind === "approval_required" ? asked.approvalId : "", { by: "ann", note: "no" });
    const { events } = await store.load("kept", 0);
    expect(events).toContainEqual(expect.objectContaining({ kind: "approval_ended", by: "ann", note: "no" }));
  });

  it("carry no arguments, outputs or principals", async () => {
    const { guard, heard } = await heardBy({ approver: "manual" });
    const good = await allowed(guard, "look", { q: SECRET });
    await guard.settle(good, { kind: "result", output: { status: "ok", secret: SECRET } });
    const bad = await allowed(guard, "look", { q: SECRET });
    await guard.settle(bad, { kind: "result", output: { status: SECRET } });
    const lost = await allowed(guard, "look", { q: SECRET });
    await guard.settle(lost, { kind: "error", sent: true, code: SECRET, message: SECRET });
    const asked = await guard.propose({ tool: "ask", args: { q: SECRET, [SECRET]: SECRET } });
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    await guard.approve(approvalId, { by: "ann" });
    await guard.propose({ tool: "look", args: { q: `${SECRET} that is much too long` } });
    await guard.propose({ tool: "look", args: { q: SECRET, when: new Date(0) } });
    expect(heard.map(({ name }) => name)).toEqual(expect.arrayContaining([...NAMES]));
    expect(JSON.stringify(heard)).not.toContain(SECRET);
  });

  it("carry no arguments in shadow mode either, where they report the verdict of enforce mode", async () => {
    const { guard, heard } = await heardBy({ mode: "shadow" });
    await guard.propose({ tool: "look", args: { q: `${SECRET} that is much too long` } });
    expect(heard).toMatchObject([{ event: { kind: "allow", would: "input_invariant_failed" } }]);
    expect(JSON.stringify(heard)).not.toContain(SECRET);
  });

  it("name the rules by which enforcing would have refused or asked, in shadow mode", async () => {
    const { guard, heard } = await heardBy({ mode: "shadow", approver: "manual" });
    for (const [tool, q] of [
      ["look", `${SECRET} that is much too long`],
      ["ask", SECRET],
      ["other", SECRET],
      ["free", SECRET],
    ]) {
      await guard.propose({ tool: tool ?? "", args: { q } });
    }
    expect(heard.map(({ event }) => event)).toEqual([
      {
        tool: "look",
        kind: "allow",
        callId: "call_1",
        would: "input_invariant_failed",
        rule: { file: "look.yaml", line: 2 },
      },
      { tool: "ask", kind: "allow", callId: "call_2", rules: [{ file: "ask.yaml", line: 1 }] },
      { tool: "other", kind: "allow", callId: "call_3", would: "unmatched_tool", rule: null },
      { tool: "free", kind: "allow", callId: "call_4" },
    ]);
  });

  it("report a kill once, however it came about", async () => {
    const { guard, heard } = await heardBy();
    await guard.kill("by hand");
    await guard.kill("again");
    await guard.propose({ tool: "free", args: {} });
    expect(heard.filter(({ name }) => name === "killed")).toEqual([
      { name: "killed", event: { why: "by hand", cause: "kill" } },
    ]);
  });

  it("report that errors ended a session, also to a guard that takes it over", async () => {
    const store = memoryStore();
    const { guard, heard } = await heardBy({ store, sessionId: "ended" });
    for (let time = 0; time < 3; time++) {
      await guard.settle(await allowed(guard, "free", {}), { kind: "error", sent: true, status: 400 });
    }
    const { guard: next, heard: later } = await heardBy({ store, sessionId: "ended" });
    await next.propose({ tool: "free", args: {} });
    const killed = { name: "killed", event: { why: "3 errors in a row", cause: "consecutive_errors" } };
    for (const told of [heard, later]) expect(told.filter(({ name }) => name === "killed")).toEqual([killed]);
  });

  it("report a call that could not be judged", async () => {
    const store = {
      load: async () => ({ revision: 0, events: [] }),
      append: async () => Promise.reject(new Error(SECRET)),
    };
    const { guard, heard } = await heardBy({ store });
    await guard.propose({ tool: "free", args: {} });
    expect(heard).toMatchObject([{ event: { tool: "free", kind: "block", reason: "store_unavailable" } }]);
    expect(JSON.stringify(heard)).not.toContain(SECRET);
  });

  it("stop once there is no listener", async () => {
    const { guard } = await heardBy();
    const heard: string[] = [];
    const stop = guard.on("decision", ({ kind }) => heard.push(kind));
    await guard.propose({ tool: "free", args: {} });
    stop();
    stop();
    await guard.propose({ tool: "free", args: {} });
    expect(heard).toEqual(["allow"]);
  });
});

describe("a listener that throws", () => {
  let others: NodeJS.UncaughtExceptionListener[] = [];
  let uncaught: unknown[] = [];

  // What a listener throws is its owner's, and may surface as an uncaught exception; here it must not end the tests.
  beforeEach(() => {
    uncaught = [];
    others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (cause) => uncaught.push(cause));
  });

  afterEach(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners("uncaughtException");
    for (const other of others) process.on("uncaughtException", other);
  });

  async function story(guard: Guard): Promise<readonly unknown[]> {
    const callId = await allowed(guard, "look", { q: "x" });
    const settled = await guard.settle(callId, { kind: "result", output: { status: "ok" } });
    const asked = await guard.propose({ tool: "ask", args: { q: "x" } });
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    const denied = told(await guard.deny(approvalId, { by: "ann" }));
    const blocked = told(await guard.propose({ tool: "look", args: {} }));
    const killed = told(await guard.propose({ tool: "free", args: {} }));
    return [callId, settled, told(asked), denied, blocked, killed, guard.state()];
  }

  it("changes no verdict and no settlement", async () => {
    const { guard: quiet } = await heardBy({ approver: "manual" });
    const { guard: loud, heard } = await heardBy({ approver: "manual" });
    for (const name of NAMES) {
      loud.on(name, () => {
        throw new Error("a listener failed");
      });
    }
    expect(await story(loud)).toEqual(await story(quiet));
    expect(heard.map(({ name }) => name)).toEqual(expect.arrayContaining([...NAMES]));
    for (const cause of uncaught) expect(cause).toMatchObject({ message: "a listener failed" });
  });

  it("does not keep others from hearing", async () => {
    const { guard } = await heardBy();
    const heard: string[] = [];
    guard.on("decision", () => {
      throw new Error("a listener failed");
    });
    guard.on("decision", ({ kind }) => heard.push(kind));
    expect(told(await guard.propose({ tool: "free", args: {} }))).toBe("allow");
    expect(heard).toEqual(["allow"]);
  });

  it("may propose another call, which is judged after the first", async () => {
    const { guard } = await heardBy();
    const later: Promise<string>[] = [];
    const stop = guard.on("decision", () => {
      stop();
      later.push(guard.propose({ tool: "free", args: {} }).then(told));
    });
    expect(told(await guard.propose({ tool: "free", args: {} }))).toBe("allow");
    expect(await Promise.all(later)).toEqual(["allow"]);
    expect(guard.state().toolCalls).toBe(2);
  });
});

describe("a listener that fails later", () => {
  const failures: readonly (readonly [string, () => unknown])[] = [
    ["an async function that throws", () => Promise.reject(new Error(SECRET))],
    ["a promise that is rejected with a trap", () => Promise.reject(revokedProxy())],
    [
      "a promise of another kind",
      () => thenable({ value: (_: unknown, reject: (cause: unknown) => void) => reject(1) }),
    ],
    ["one that cannot be read", () => thenable({ get: () => raise(new Error(SECRET)) })],
    ["one that throws a trap at once", () => raise(revokedProxy())],
  ];

  function thenable(descriptor: PropertyDescriptor): object {
    const name = "then";
    return Object.defineProperty({}, name, descriptor);
  }

  function raise(cause: unknown): never {
    throw cause;
  }

  it.each(failures)("ends no process and changes no verdict: %s", async (_, fail) => {
    const unhandled: unknown[] = [];
    const warnings: string[] = [];
    const hear = (cause: unknown) => unhandled.push(cause);
    const warn = ({ message }: Error) => warnings.push(message);
    process.on("unhandledRejection", hear);
    process.on("warning", warn);
    try {
      const { guard } = await heardBy();
      guard.on("decision", fail);
      expect(told(await guard.propose({ tool: "free", args: {} }))).toBe("allow");
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
      expect(warnings.join()).not.toContain(SECRET);
      expect(warnings.join()).toContain('a listener of "decision" failed');
    } finally {
      process.off("unhandledRejection", hear);
      process.off("warning", warn);
    }
  });
});

describe("listeners", () => {
  it("that add another each time are called once for each event", async () => {
    const { guard } = await heardBy();
    let calls = 0;
    const add = () => {
      calls += 1;
      if (calls < 1000) guard.on("decision", () => add());
    };
    guard.on("decision", () => add());
    await guard.propose({ tool: "free", args: {} });
    expect(calls).toBe(1);
  });

  it("hear what happened, whatever those before them did to the event", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {}, principal: PRINCIPAL, approver: "manual" });
    const heard: unknown[] = [];
    const spoil = (event: object) => {
      for (const value of Object.values(event))
        if (typeof value === "object" && value !== null) Reflect.set(value, "file", "x");
      Reflect.set(event, "kind", "allow");
      Reflect.set(event, "tool", "x");
    };
    guard.on("decision", spoil);
    guard.on("decision", (event) => heard.push(event));
    await guard.propose({ tool: "look", args: { q: "x".repeat(30) } });
    expect(heard).toMatchObject([{ tool: "look", kind: "block", rule: { file: "look.yaml" } }]);
  });
});
