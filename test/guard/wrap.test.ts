import { createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { ApprovalAnswer, ApprovalRequest, GuardOptions } from "../../src/guard/public.js";
import type { ProxyCall } from "../../src/guard/wrap/call-options.js";
import { ContractViolation } from "../../src/guard/wrap/contract-violation.js";
import { NotExecuted } from "../../src/guard/wrap/not-executed.js";
import { artifactOf } from "../support/guard-artifact.js";
import { TestClock } from "../support/guard-clock.js";
import { type Answer, json, startServer, type ToolServer } from "../support/guard-http.js";
import { FailingStore, MemoryStore } from "../support/guard-store.js";

interface Setting {
  readonly retries?: string;
  readonly totalMs?: number;
  readonly sleep?: number;
  readonly respects?: boolean;
  readonly more?: string;
  readonly session?: string;
}

/** A pack with a tool that pays and one that reads, with the same limits on time and attempts. */
function packOf(setting: Setting = {}): string {
  const { retries = "1, retry_on: []", totalMs = 2000, sleep = 0.01, respects = true } = setting;
  const { more = "", session = "" } = setting;
  const common = `
timeouts: { total_ms: ${totalMs} }
retries: { max_attempts: ${retries} }
rate_limits: { on_429: { respect_retry_after: ${respects}, max_sleep_seconds: ${sleep} } }
${more}`;
  return `
#== session.yaml (with the required fields)
aggregates: [{ name: total, metric: sum, tool: pay, path: $.n, lte: 5, reason: At most five }]
${session}
#== pay.yaml (with the required fields)
side_effect: financial
${common}
#== look.yaml (with the required fields)
${common}
`;
}

function guardOf(setting: Setting = {}, options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(packOf(setting)), { env: {}, ...options });
}

/** A function that ends as given, one ending per call, the last one repeated; it keeps what it was sent. */
function scripted(...endings: readonly (() => unknown)[]) {
  const sent: unknown[] = [];
  const call: ProxyCall = async (_, args) => {
    const ending = endings[Math.min(sent.length, endings.length - 1)];
    sent.push(structuredClone(args));
    return ending?.();
  };
  return { call, sent };
}

function fails(error: unknown): () => never {
  return () => {
    throw error;
  };
}

const statusError = (status: number, more: object = {}) => Object.assign(new Error(`${status}`), { status, ...more });
const codeError = (code: string) => Object.assign(new Error("failed"), { code });
const never = () => new Promise<never>(() => {});

/** What the guard believes became of the only call. */
function fateOf(guard: Guard): string {
  const { toolCalls, unsettled } = guard.state();
  if (toolCalls === 0) return "released";
  return unsettled[0]?.status ?? "committed";
}

async function violationOf(call: Promise<unknown>): Promise<ContractViolation> {
  const error = await call.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof ContractViolation) return error;
  throw new Error(`no violation, but ${String(error)}`);
}

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serverOf(...answers: readonly Answer[]): Promise<ToolServer> {
  const server = await startServer(...answers);
  servers.push(server);
  return server;
}

describe("an allowed call", () => {
  it("goes out with its arguments and hands back the response", async () => {
    const server = await serverOf(json(200, { paid: 3 }));
    const guard = await guardOf();
    expect(await guard.wrap(server.call)("pay", { n: 3 })).toEqual({ paid: 3 });
    expect(server.received).toEqual([{ n: 3 }]);
    expect(fateOf(guard)).toBe("committed");
    expect(guard.state().aggregates).toEqual({ total: 3 });
  });

  it("hands on every option, with a signal of the guard", async () => {
    const guard = await guardOf();
    const seen: unknown[] = [];
    const call: ProxyCall = async (tool, _, options) => {
      seen.push(tool, options?.trace, options?.signal instanceof AbortSignal);
      return {};
    };
    await guard.wrap(call)("look", {}, { trace: "t-1" });
    expect(seen).toEqual(["look", "t-1", true]);
  });

  it("that answers nothing hands back nothing, and is committed", async () => {
    const guard = await guardOf();
    expect(await guard.wrap(scripted(() => undefined).call)("pay", { n: 1 })).toBeUndefined();
    expect(fateOf(guard)).toBe("committed");
  });

  it("of a tool without a contract has no time limit, and is settled too", async () => {
    const guard = await guardOf({}, { unmatched: "allow" });
    expect(await guard.wrap(scripted(() => "done").call)("anything", {})).toBe("done");
    expect(guard.state().unsettled).toEqual([]);
  });

  it("may have a time limit longer than a timer can hold", async () => {
    const guard = await guardOf({ totalMs: 2 ** 31 });
    const call: ProxyCall = () => new Promise((resolve) => setTimeout(resolve, 20, { ok: true }));
    expect(await guard.wrap(call)("pay", { n: 1 })).toEqual({ ok: true });
  });
});

describe("a refused call", () => {
  it("throws a violation and never calls the function", async () => {
    const guard = await guardOf();
    const { call, sent } = scripted(() => ({}));
    const error = await violationOf(guard.wrap(call)("pay", { n: 6 }));
    expect(error.name).toBe("ContractViolation");
    expect(error.verdict).toMatchObject({ kind: "block", reason: "aggregate_exceeded" });
    expect(sent).toEqual([]);
    expect(fateOf(guard)).toBe("released");
  });

  it("keeps the verdict where a log does not find it, and the values out of the message", async () => {
    const pack = `
#== pay.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.card, regex: '^[a-z]+$' }], output_invariants: [] }
`;
    const guard = await createGuard(artifactOf(pack), { env: {} });
    const error = await violationOf(guard.wrap(scripted(() => ({})).call)("pay", { card: "4111-1111" }));
    expect(Object.keys(error)).not.toContain("verdict");
    expect(JSON.stringify(error)).not.toContain("4111");
    expect(error.message).toContain("pay: input_invariant_failed");
    expect(error.message).toContain("pay.yaml:1");
    expect(error.message).not.toContain("4111");
    expect(error.verdict.found).toContain("4111");
  });

  it("of arguments that are not JSON never calls the function", async () => {
    const guard = await guardOf();
    const { call, sent } = scripted(() => ({}));
    const error = await violationOf(guard.wrap(call)("pay", { n: 1, when: new Date(0) }));
    expect(error.verdict.reason).toBe("arguments_not_json");
    expect(sent).toEqual([]);
  });

  it("by a store that fails never calls the function", async () => {
    const store = new FailingStore(new MemoryStore());
    const guard = await guardOf({}, { store });
    const { call, sent } = scripted(() => ({}));
    store.fails = "before writing";
    expect((await violationOf(guard.wrap(call)("pay", { n: 1 }))).verdict.reason).toBe("store_unavailable");
    expect(sent).toEqual([]);
  });
});

describe("a call that runs out of time", () => {
  it("is aborted by its signal, and leaves a payment open", async () => {
    const server = await serverOf(() => {});
    const guard = await guardOf({ totalMs: 400 });
    await expect(guard.wrap(server.call)("pay", { n: 1 })).rejects.toThrow("timed out");
    expect(fateOf(guard)).toBe("indeterminate");
    expect(server.received).toHaveLength(1);
  });

  it("releases a read", async () => {
    const server = await serverOf(() => {});
    const guard = await guardOf({ totalMs: 50 });
    await expect(guard.wrap(server.call)("look", {})).rejects.toThrow("timed out");
    expect(fateOf(guard)).toBe("released");
  });

  it("ends also where the function does not listen to its signal", async () => {
    const guard = await guardOf({ totalMs: 30 });
    await expect(guard.wrap(never)("pay", { n: 1 })).rejects.toThrow("timed out");
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("has one time for all attempts, waits included", async () => {
    const guard = await guardOf({ totalMs: 60, retries: "100, retry_on: ['503']", sleep: 0.02 });
    const { call, sent } = scripted(fails(statusError(503)));
    const started = performance.now();
    await expect(guard.wrap(call)("look", {})).rejects.toThrow();
    expect(performance.now() - started).toBeLessThan(1000);
    expect(sent.length).toBeLessThan(20);
  });

  it("does not wait for the time limit once it has its answer", async () => {
    const guard = await guardOf({ totalMs: 20_000 });
    const started = performance.now();
    await guard.wrap(scripted(() => ({})).call)("pay", { n: 1 });
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

const ANSWERS: readonly (readonly [string, Answer, string])[] = [
  ["a refusal with 400", json(400, {}), "released"],
  ["a refusal with 404", json(404, {}), "released"],
  ["a refusal with 429", json(429, {}), "released"],
  ["a 408", json(408, {}), "indeterminate"],
  ["a 500", json(500, {}), "indeterminate"],
  ["a 503", json(503, {}), "indeterminate"],
  ["a connection reset before the answer", (_, request) => void request.socket.resetAndDestroy(), "indeterminate"],
  [
    "a connection reset in the middle of the answer",
    (response, request) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      setTimeout(() => request.socket.resetAndDestroy(), 20);
    },
    "indeterminate",
  ],
  ["a connection closed without an answer", (_, request) => void request.socket.end(), "indeterminate"],
  ["an answer that is no JSON", (response) => void response.end("<html>"), "indeterminate"],
];

const UNREADABLE: readonly (readonly [string, Answer])[] = [
  ["an answer that is no HTTP", (_, request) => void request.socket.end("garbage\r\n\r\n")],
  [
    "an answer whose compression is broken",
    (response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip"),
  ],
  [
    "an answer with headers out of all proportion",
    (response) => void response.writeHead(200, { big: "x".repeat(100_000) }).end("{}"),
  ],
];

const FAILURES = [...ANSWERS.map(([what, answer]) => [what, answer] as const), ...UNREADABLE];

describe("over HTTP", () => {
  it.each(ANSWERS)("%s makes a payment what it may have become", async (_, answer, fate) => {
    const server = await serverOf(answer);
    const guard = await guardOf();
    await expect(guard.wrap(server.call)("pay", { n: 1 })).rejects.toThrow();
    expect(fateOf(guard)).toBe(fate);
    expect(server.received).toHaveLength(1);
  });

  it.each(UNREADABLE)("%s leaves a payment open", async (_, answer) => {
    const server = await serverOf(answer);
    const guard = await guardOf();
    await expect(guard.wrap(server.call)("pay", { n: 1 })).rejects.toThrow();
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it.each(FAILURES)("%s releases a read", async (_, answer) => {
    const server = await serverOf(answer);
    const guard = await guardOf();
    await expect(guard.wrap(server.call)("look", {})).rejects.toThrow();
    expect(fateOf(guard)).toBe("released");
  });

  it("a refused connection leaves a payment open: it may have come after a redirect", async () => {
    const server = await startServer(json(200, {}));
    await server.close();
    const guard = await guardOf();
    await expect(guard.wrap(server.call)("pay", { n: 1 })).rejects.toThrow();
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("a refused connection releases a payment where no redirect is followed", async () => {
    const server = await startServer(json(200, {}));
    await server.close();
    const guard = await guardOf();
    await expect(guard.wrap(server.call, { followsRedirects: false })("pay", { n: 1 })).rejects.toThrow();
    expect(fateOf(guard)).toBe("released");
  });

  it("a connection that is dropped at once leaves a payment open", async () => {
    const dropping = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => dropping.listen(0, "127.0.0.1", resolve));
    servers.push({ close: () => new Promise((resolve) => dropping.close(() => resolve())) });
    const address = dropping.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const guard = await guardOf();
    const call: ProxyCall = async (_, args) => fetch(`http://127.0.0.1:${port}`, { method: "POST", body: `${args}` });
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toThrow();
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("retries a 429 after the time it asks for, and commits once", async () => {
    const server = await serverOf(json(429, {}, { "retry-after": "0" }), json(200, { ok: true }));
    const guard = await guardOf({ retries: "3, retry_on: ['429']", sleep: 5 });
    expect(await guard.wrap(server.call)("pay", { n: 3 })).toEqual({ ok: true });
    expect(server.received).toEqual([{ n: 3 }, { n: 3 }]);
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { total: 3 }, unsettled: [] });
  });
});

describe("an error that says whether it was sent", () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["that it was not", Object.assign(new Error("x"), { sent: false }), "released"],
    [
      "that it was, though the connection was refused",
      Object.assign(codeError("ECONNREFUSED"), { sent: true }),
      "indeterminate",
    ],
    ["that the tool refused", Object.assign(codeError("insufficient_funds"), { answered: true }), "released"],
    ["that it was not, in a word that is no boolean", Object.assign(new Error("x"), { sent: 0 }), "indeterminate"],
    [
      "that the tool refused, in a word that is no boolean",
      Object.assign(new Error("x"), { answered: 1 }),
      "indeterminate",
    ],
    ["a status that is no number", Object.assign(new Error("x"), { status: "404" }), "indeterminate"],
    ["a status between two", Object.assign(new Error("x"), { status: 404.5 }), "indeterminate"],
    ["a host that was not found", codeError("ENOTFOUND"), "indeterminate"],
    ["a connection that timed out", codeError("ETIMEDOUT"), "indeterminate"],
    ["a connection that never came about", codeError("UND_ERR_CONNECT_TIMEOUT"), "indeterminate"],
    ["a broken pipe", codeError("EPIPE"), "indeterminate"],
    ["a code that may be anybody's", codeError("insufficient_funds"), "indeterminate"],
    ["a code in its cause", new Error("x", { cause: codeError("ECONNREFUSED") }), "indeterminate"],
    ["that nothing was executed", new NotExecuted("no funds", "insufficient_funds"), "released"],
    ["a failure of a platform in between", codeError("transport_error"), "indeterminate"],
    ["no more than a message", new Error("x"), "indeterminate"],
    ["nothing at all", undefined, "indeterminate"],
    ["a text", "boom", "indeterminate"],
  ];

  it.each(cases)("%s", async (_, error, fate) => {
    const guard = await guardOf();
    const thrown = await guard
      .wrap(scripted(fails(error)).call)("pay", { n: 1 })
      .catch((cause: unknown) => ({ cause }));
    expect(thrown).toEqual({ cause: error });
    expect(fateOf(guard)).toBe(fate);
  });

  it("may be thrown before there is a promise", async () => {
    const guard = await guardOf();
    const call: ProxyCall = () => fails(statusError(404))();
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toThrow("404");
    expect(fateOf(guard)).toBe("released");
  });
});

describe("retries", () => {
  const timeout = Object.assign(new Error("x"), { name: "TimeoutError" });
  const cases: readonly (readonly [string, string, unknown, number])[] = [
    ["a status by itself", "['429']", statusError(429), 3],
    ["a status by its class", "['5xx']", statusError(599), 3],
    ["no other status", "['429', '5xx']", statusError(409), 1],
    ["no number that is no status", "['5xx']", statusError(5001), 1],
    ["a timeout", "[timeout]", timeout, 3],
    ["a timeout by its code", "[timeout]", codeError("ETIMEDOUT"), 3],
    ["a lost connection", "[network]", codeError("ECONNRESET"), 3],
    ["a connection that could not be made", "[network]", codeError("ECONNREFUSED"), 3],
    ["a failure of a platform in between", "[transport_error]", codeError("transport_error"), 3],
    ["a code of the tool", "[busy]", codeError("busy"), 3],
    ["no other code", "[busy]", codeError("closed"), 1],
    ["nothing that has no name", "[network, timeout, '5xx', busy]", new Error("x"), 1],
    ["nothing where nothing is named", "[]", statusError(503), 1],
  ];

  it.each(cases)("try again %s", async (_, retryOn, error, attempts) => {
    const guard = await guardOf({ retries: `3, retry_on: ${retryOn}` });
    const { call, sent } = scripted(fails(error));
    await expect(guard.wrap(call)("look", {})).rejects.toBe(error);
    expect(sent).toHaveLength(attempts);
    expect(fateOf(guard)).toBe("released");
  });

  it("share one reservation, and fill no limit twice", async () => {
    const guard = await guardOf({ retries: "3, retry_on: ['429']" });
    const { call, sent } = scripted(fails(statusError(429)), fails(statusError(429)), () => ({ ok: true }));
    expect(await guard.wrap(call)("pay", { n: 5 })).toEqual({ ok: true });
    expect(sent).toHaveLength(3);
    expect(guard.state()).toMatchObject({ toolCalls: 1, steps: 1, aggregates: { total: 5 } });
  });

  it("end with max_attempts, and the last error is the caller's", async () => {
    const guard = await guardOf({ retries: "2, retry_on: ['429']" });
    const last = statusError(429);
    const { call, sent } = scripted(fails(statusError(429)), fails(last), () => ({}));
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toBe(last);
    expect(sent).toHaveLength(2);
    expect(fateOf(guard)).toBe("released");
  });

  it("leave a payment open when a first attempt may have worked, though the last was refused", async () => {
    const guard = await guardOf({ retries: "3, retry_on: ['5xx', '429']" });
    const { call } = scripted(fails(statusError(503)), fails(statusError(429)), fails(statusError(409)));
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toThrow("409");
    expect(fateOf(guard)).toBe("indeterminate");
    expect(guard.state().aggregates).toEqual({ total: 1 });
  });

  it("commit when a later attempt succeeds, though an earlier one may have worked", async () => {
    const guard = await guardOf({ retries: "2, retry_on: ['5xx']" });
    const { call } = scripted(fails(statusError(503)), () => ({ ok: true }));
    expect(await guard.wrap(call)("pay", { n: 1 })).toEqual({ ok: true });
    expect(fateOf(guard)).toBe("committed");
  });

  it("send the same arguments each time, whatever the function did to them", async () => {
    const guard = await guardOf({ retries: "2, retry_on: ['429']" });
    const sent: unknown[] = [];
    const call: ProxyCall = async (_, args) => {
      sent.push(structuredClone(args));
      if (typeof args === "object" && args !== null) Reflect.set(args, "n", 500);
      throw statusError(429);
    };
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toThrow("429");
    expect(sent).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it("do not repeat a call that succeeded because its settlement could not be stored", async () => {
    const store = new FailingStore(new MemoryStore(), () => codeError("ECONNRESET"));
    const guard = await guardOf({ retries: "3, retry_on: [network]" }, { store, settleTimeoutMs: 200 });
    const { call, sent } = scripted(() => {
      store.fails = "before writing";
      return {};
    });
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toThrow();
    expect(sent).toHaveLength(1);
    store.fails = "never";
    expect(guard.state().toolCalls).toBe(1);
  });
});

describe("waiting for a retry", () => {
  const totalMs = 60_000;
  const later = (header: string) => statusError(429, { headers: { "retry-after": header } });
  const inSeconds = (seconds: number) => later(new Date(new TestClock().now() + seconds * 1000).toUTCString());

  /** How long the guard wants to wait after this error, in milliseconds. */
  async function waitAfter(error: unknown, setting: Setting): Promise<number> {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const guard = await guardOf(
      { retries: "2, retry_on: ['429', '503']", totalMs, ...setting },
      { clock: new TestClock() },
    );
    const { call } = scripted(fails(error), () => ({}));
    await guard
      .wrap(call)("look", {}, { signal: AbortSignal.timeout(60) })
      .catch(() => null);
    const delays = timers.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms !== totalMs);
    timers.mockRestore();
    return delays[0] ?? Number.NaN;
  }

  it("takes as many seconds as the answer asks for", async () => {
    expect(await waitAfter(later("0"), { sleep: 5 })).toBe(0);
    expect(await waitAfter(later("2"), { sleep: 5 })).toBe(2000);
    expect(await waitAfter(statusError(429, { retryAfter: 0.02 }), { sleep: 5 })).toBe(20);
  });

  it("takes until the date that the answer names", async () => {
    expect(await waitAfter(inSeconds(3), { sleep: 5 })).toBe(3000);
    expect(await waitAfter(inSeconds(-3), { sleep: 5 })).toBe(0);
  });

  it("never takes longer than max_sleep_seconds", async () => {
    expect(await waitAfter(later("3600"), { sleep: 0.02 })).toBe(20);
    expect(await waitAfter(inSeconds(3600), { sleep: 0.02 })).toBe(20);
    expect(await waitAfter(statusError(429), { sleep: 0.02 })).toBe(20);
    expect(await waitAfter(later("3600"), { sleep: 0 })).toBe(0);
  });

  const OWN_CHOICE: readonly (readonly [string, unknown, Setting])[] = [
    ["asks for nothing", statusError(429), { sleep: 5 }],
    ["asks in unknown words", later("soon"), { sleep: 5 }],
    ["is no 429", statusError(503, { retryAfter: 4 }), { sleep: 5 }],
    ["need not be respected", later("4"), { sleep: 5, respects: false }],
  ];
  it.each(OWN_CHOICE)("is the choice of the guard where the answer %s", async (_, error, setting) => {
    const wait = await waitAfter(error, setting);
    expect(wait).toBeGreaterThanOrEqual(250);
    expect(wait).toBeLessThanOrEqual(500);
  });

  it("is not begun where it would outlast the call", async () => {
    const clock = new TestClock();
    const guard = await guardOf({ totalMs: 60_000, retries: "2, retry_on: ['429']", sleep: 90 }, { clock });
    const { call, sent } = scripted(fails(later("60")));
    const started = performance.now();
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toThrow("429");
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(sent).toHaveLength(1);
    expect(fateOf(guard)).toBe("released");
  });

  it("is left to the guard: the function that sends the call gets no retries and the time limit", async () => {
    const guard = await guardOf({ totalMs: 60_000 }, { unmatched: "allow" });
    const seen: unknown[] = [];
    const call = guard.wrap(async (_tool, _args, options) => {
      seen.push({ ...options, signal: undefined });
      return {};
    });
    await call("look", {}, { actorId: "a", retry: { maxAttempts: 9 } });
    await call("unknown_tool", {}, { actorId: "b" });
    expect(seen).toEqual([
      { actorId: "a", retry: false, timeoutMs: 60_000, signal: undefined },
      { actorId: "b", signal: undefined },
    ]);
  });

  it("ends when the time of the call does", async () => {
    const guard = await guardOf({ totalMs: 50, retries: "2, retry_on: ['429']", sleep: 20 });
    const { call, sent } = scripted(fails(later("10")));
    await expect(guard.wrap(call)("pay", { n: 1 })).rejects.toThrow();
    expect(sent).toHaveLength(1);
    expect(fateOf(guard)).toBe("released");
  });
});

describe("errors that the contract expects", () => {
  const session = "session_limits: { circuit_breaker: { consecutive_errors: 1 } }";
  const more = 'allowed_errors: ["404", "503"]';

  it("do not feed the circuit breaker when the tool refused", async () => {
    const guard = await guardOf({ session, more });
    await expect(guard.wrap(scripted(fails(statusError(404))).call)("pay", { n: 1 })).rejects.toThrow("404");
    expect(guard.state().killed).toBe(false);
  });

  it("do not feed the circuit breaker when the outcome of the call is unknown", async () => {
    const guard = await guardOf({ session, more });
    await expect(guard.wrap(scripted(fails(statusError(503))).call)("pay", { n: 1 })).rejects.toThrow("503");
    expect(guard.state().killed).toBe(false);
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("do not feed the circuit breaker when the last attempt met one after an earlier one", async () => {
    const guard = await guardOf({ session, more, retries: "2, retry_on: ['503']" });
    const { call } = scripted(fails(statusError(503)), fails(statusError(404)));
    await expect(guard.wrap(call)("look", {})).rejects.toThrow("404");
    expect(guard.state().killed).toBe(false);
  });

  it.each([
    ["the code of a timeout", "[ETIMEDOUT]", codeError("ETIMEDOUT"), "indeterminate"],
    ["the message of one", "[{ message_regex: slow }]", new DOMException("too slow", "TimeoutError"), "indeterminate"],
    ["its outcome", "[{ code: ETIMEDOUT, outcome: not_executed }]", codeError("ETIMEDOUT"), "released"],
  ])("may be named by %s", async (_, entries, error, fate) => {
    const guard = await guardOf({ session, more: `allowed_errors: ${entries}` });
    await expect(guard.wrap(scripted(fails(error)).call)("pay", { n: 1 })).rejects.toBe(error);
    expect(guard.state().killed).toBe(false);
    expect(fateOf(guard)).toBe(fate);
  });

  it("feed it when they are others", async () => {
    const guard = await guardOf({ session, more });
    await expect(guard.wrap(scripted(fails(statusError(400))).call)("look", {})).rejects.toThrow("400");
    expect(guard.state().killed).toBe(true);
  });
});

describe("the signal of the caller", () => {
  it("aborts the call, and leaves a payment open", async () => {
    const server = await serverOf(() => {});
    const guard = await guardOf();
    const caller = new AbortController();
    const call = guard.wrap(server.call)("pay", { n: 1 }, { signal: caller.signal });
    setTimeout(() => caller.abort(new Error("changed my mind")), 30);
    await expect(call).rejects.toThrow("changed my mind");
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("releases a read", async () => {
    const guard = await guardOf();
    const signal = AbortSignal.timeout(20);
    await expect(guard.wrap(never)("look", {}, { signal })).rejects.toThrow();
    expect(fateOf(guard)).toBe("released");
  });

  it("aborts the call also where its reason is a trap", async () => {
    const guard = await guardOf();
    const caller = new AbortController();
    const get = () => {
      throw new Error("a trap");
    };
    Object.defineProperty(caller.signal, "reason", { get });
    const call = guard.wrap(never)("pay", { n: 1 }, { signal: caller.signal });
    setTimeout(() => caller.abort(), 10);
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(fateOf(guard)).toBe("indeterminate");
    await expect(guard.wrap(never)("pay", { n: 1 }, { signal: caller.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("that is aborted already leaves nothing running", async () => {
    const guard = await guardOf();
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(guard.wrap(never)("pay", { n: 1 }, { signal })).rejects.toThrow("too late");
    expect(fateOf(guard)).not.toBe("running");
  });

  it("ends the wait for a retry", async () => {
    const guard = await guardOf({ retries: "2, retry_on: ['429']", sleep: 20 });
    const { call, sent } = scripted(fails(statusError(429, { retryAfter: 20 })));
    const caller = new AbortController();
    const pending = guard.wrap(call)("pay", { n: 1 }, { signal: caller.signal });
    setTimeout(() => caller.abort(new Error("changed my mind")), 30);
    await expect(pending).rejects.toThrow();
    expect(sent).toHaveLength(1);
    expect(fateOf(guard)).toBe("released");
  });

  it("ends the wait for an approval, and the call never goes out", async () => {
    const guard = await guardOf({ more: "checkpoint: { when: always, timeout_seconds: 60 }" }, { approver: "manual" });
    const { call, sent } = scripted(() => ({}));
    const caller = new AbortController();
    const pending = guard.wrap(call)("pay", { n: 1 }, { signal: caller.signal });
    setTimeout(() => caller.abort(new Error("changed my mind")), 30);
    await expect(pending).rejects.toThrow("changed my mind");
    expect(sent).toEqual([]);
    expect(guard.state().toolCalls).toBe(0);
  });
});

describe("an output that breaks a rule", () => {
  const more = "assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true }] }";

  it("is kept from the caller, and the effect counted", async () => {
    const guard = await guardOf({ more });
    const error = await violationOf(guard.wrap(scripted(() => ({ ok: "s3cret" })).call)("pay", { n: 1 }));
    expect(error.verdict).toMatchObject({ reason: "output_invariant_failed", rule: { file: "pay.yaml" } });
    expect(error.message).not.toContain("s3cret");
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { total: 1 }, unsettled: [] });
  });

  it.each(["shadow", "log-only"] as const)("is given to the caller in %s mode, as the tool gave it", async (mode) => {
    const guard = await guardOf({ more }, { mode });
    const heard: unknown[] = [];
    guard.on("settled", (event) => heard.push(event));
    const noJson = { ok: true, at: new Date(0), note: undefined };
    const outputs: unknown[] = [{ ok: false }, noJson, { ok: true }];
    const call = guard.wrap(scripted(() => outputs.shift()).call);
    expect(await call("pay", { n: 1 })).toEqual({ ok: false });
    expect(await call("pay", { n: 1 })).toBe(noJson);
    expect(await call("pay", { n: 1 })).toEqual({ ok: true });
    // It is recorded what enforcing would have done.
    const broken = { ending: "violated", reason: "output_invariant_failed" };
    if (mode === "shadow") expect(heard[0]).toMatchObject(broken);
    expect(heard[1]).toMatchObject({ ending: "violated", reason: "output_not_json" });
  });

  it("is not tried again", async () => {
    const guard = await guardOf({ more, retries: "3, retry_on: ['5xx', network, output_invariant_failed]" });
    const { call, sent } = scripted(() => ({ ok: false }));
    await violationOf(guard.wrap(call)("pay", { n: 1 }));
    expect(sent).toHaveLength(1);
  });

  it("may be one that is not JSON", async () => {
    const guard = await guardOf();
    const error = await violationOf(guard.wrap(scripted(() => new Date(0)).call)("pay", { n: 1 }));
    expect(error.verdict.reason).toBe("output_not_json");
    expect(guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
  });
});

describe("a call that needs an approval", () => {
  const checkpoint = "checkpoint: { when: always, timeout_seconds: 60, context: [{ path: $.n, label: Amount }] }";

  async function waiting(options: GuardOptions, more = checkpoint) {
    const guard = await guardOf({ more }, options);
    const asked = new Promise<string>((resolve) =>
      guard.on("approval_requested", (event) => resolve(event.approvalId)),
    );
    const { call, sent } = scripted(() => ({ ok: true }));
    return { guard, asked, sent, wrapped: guard.wrap(call) };
  }

  it("is sent once another process approved it", async () => {
    const { guard, asked, sent, wrapped } = await waiting({ approver: "manual" });
    const pending = wrapped("pay", { n: 1 });
    const approvalId = await asked;
    expect(sent).toEqual([]);
    expect(await guard.approve(approvalId, { by: "ann" })).toMatchObject({ kind: "allow" });
    expect(await pending).toEqual({ ok: true });
    expect(sent).toHaveLength(1);
    expect(fateOf(guard)).toBe("committed");
  });

  it("is never sent once another process denied it", async () => {
    const { guard, asked, sent, wrapped } = await waiting({ approver: "manual" });
    const pending = violationOf(wrapped("pay", { n: 1 }));
    await guard.deny(await asked, { by: "ann" });
    expect((await pending).verdict.reason).toBe("approval_denied");
    expect(sent).toEqual([]);
  });

  it("is never sent without an answer in time", async () => {
    const clock = new TestClock();
    const { asked, sent, wrapped } = await waiting({ approver: "manual", clock });
    const pending = violationOf(wrapped("pay", { n: 1 }));
    await asked;
    clock.advance(60_000);
    expect((await pending).verdict.reason).toBe("approval_expired");
    expect(sent).toEqual([]);
  });

  it("is sent without an answer in time if `on_timeout` allows it", async () => {
    const clock = new TestClock();
    const more = checkpoint.replace("60,", "60, on_timeout: allow,");
    const { asked, sent, wrapped } = await waiting({ approver: "manual", clock }, more);
    const pending = wrapped("pay", { n: 1 });
    await asked;
    clock.advance(60_000);
    expect(await pending).toEqual({ ok: true });
    expect(sent).toHaveLength(1);
  });

  it("is shown to an approver that is a function, and goes out when that approves", async () => {
    const requests: ApprovalRequest[] = [];
    const approver = async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
      requests.push(request);
      return { decision: "approve", by: "ann", note: "fine" };
    };
    const { guard, sent, wrapped } = await waiting({ approver, sessionId: "s-1" });
    expect(await wrapped("pay", { n: 4 })).toEqual({ ok: true });
    expect(sent).toEqual([{ n: 4 }]);
    expect(requests).toMatchObject([
      { sessionId: "s-1", tool: "pay", args: { n: 4 }, context: [{ label: "Amount", value: 4 }] },
    ]);
    expect(guard.state().unsettled).toEqual([]);
  });

  it("never goes out when that denies", async () => {
    const approver = async (): Promise<ApprovalAnswer> => ({ decision: "deny", by: "ann" });
    const { sent, wrapped } = await waiting({ approver });
    expect((await violationOf(wrapped("pay", { n: 1 }))).verdict.reason).toBe("approval_denied");
    expect(sent).toEqual([]);
  });

  const broken: readonly (readonly [string, () => Promise<ApprovalAnswer>])[] = [
    ["throws", async () => fails(new Error("out of office"))()],
    ["throws before there is a promise", () => fails(new Error("out of office"))()],
    ["answers something else", async () => JSON.parse('{ "decision": "whatever" }')],
    ["answers nothing", async () => JSON.parse("null")],
  ];
  it.each(broken)("never goes out when that %s", async (_, approver) => {
    const { guard, sent, wrapped } = await waiting({ approver });
    expect((await violationOf(wrapped("pay", { n: 1 }))).verdict.reason).toBe("approval_denied");
    expect(sent).toEqual([]);
    expect(guard.visibleTools().visible).toEqual(["look", "pay"]);
  });

  it("shows the approver what was judged, whatever the caller did to it meanwhile", async () => {
    const shown: unknown[] = [];
    const approver = async ({ args }: ApprovalRequest): Promise<ApprovalAnswer> => {
      shown.push(structuredClone(args));
      return { decision: "approve", by: "ann" };
    };
    const store = new MemoryStore(() => new Promise((resolve) => setImmediate(resolve)));
    const { sent, wrapped } = await waiting({ approver, store });
    const args = { n: 4 };
    const pending = wrapped("pay", args);
    args.n = 1;
    await new Promise((resolve) => setImmediate(resolve));
    args.n = 2;
    await pending;
    expect({ shown, sent }).toEqual({ shown: [{ n: 4 }], sent: [{ n: 4 }] });
  });

  it("is not changed by an approver that changes what it is shown", async () => {
    const approver = async ({ args }: ApprovalRequest): Promise<ApprovalAnswer> => {
      if (typeof args === "object" && args !== null) Reflect.set(args, "n", 500);
      return { decision: "approve", by: "ann" };
    };
    const { guard, sent, wrapped } = await waiting({ approver });
    await wrapped("pay", { n: 4 });
    expect(sent).toEqual([{ n: 4 }]);
    expect(guard.state().aggregates).toEqual({ total: 4 });
  });
});

describe("what was judged is what is sent", () => {
  it("though the caller changes its object at once", async () => {
    const guard = await guardOf();
    const { call, sent } = scripted(() => ({}));
    const args = { n: 5 };
    const pending = guard.wrap(call)("pay", args);
    args.n = 500;
    await pending;
    expect(sent).toEqual([{ n: 5 }]);
    expect(guard.state().aggregates).toEqual({ total: 5 });
  });

  it("though the caller changes its object while the store is slow", async () => {
    const store = new MemoryStore(() => new Promise((resolve) => setTimeout(resolve, 5)));
    const guard = await guardOf({}, { store });
    const { call, sent } = scripted(() => ({}));
    const args = { n: 500 };
    const pending = violationOf(guard.wrap(call)("pay", args));
    args.n = 1;
    expect((await pending).verdict.reason).toBe("aggregate_exceeded");
    expect(sent).toEqual([]);
  });

  it("though the object says something else each time it is read", async () => {
    const guard = await guardOf();
    const { call, sent } = scripted(() => ({}));
    let reads = 0;
    const get = () => {
      reads += 1;
      return reads === 1 ? 5 : 4;
    };
    await guard.wrap(call)("pay", Object.defineProperty({}, "n", { enumerable: true, get }));
    expect(sent).toEqual([{ n: guard.state().aggregates.total }]);
  });
});
