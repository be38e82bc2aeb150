import { afterEach, describe, expect, it, vi } from "vitest";
import { backoff } from "../../src/base/backoff.js";
import { createProxyCall } from "../../src/pipelines/proxy/proxy-call.js";
import { TestClock } from "../support/guard-clock.js";
import { drop, hang, respond, status } from "./platform/behaviour.js";
import { refusedUrl } from "./platform/raw-socket.js";
import { clientOf, errorOf, factsOf, Platforms, until } from "./proxy-fixture.js";

const platforms = new Platforms();
afterEach(async () => {
  vi.restoreAllMocks();
  await platforms.close();
});

/** The waits that clients begin from now on; other timers of the process are not looked at. */
function waits(): readonly number[] {
  const begun: number[] = [];
  const start = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((callback, ms) => {
    if (new Error("where").stack?.includes("src/guard/wrap/pause.ts") === true && ms !== undefined) begun.push(ms);
    return start(callback, ms);
  });
  return begun;
}

describe("a call that is tried again", () => {
  it("40: 429 is retried, and the same request is sent", async () => {
    const { run, call } = await platforms.client([status(429), status(429), respond("done")], { actorId: "a" });
    expect(await call("act", { n: 1 })).toBe("done");
    const [first, ...others] = run.calls.map(({ path, rawHeaders, text }) => ({ path, rawHeaders, text }));
    expect(others).toEqual([first, first]);
  });

  it.each([502, 503, 504])("40: %i is retried by default", async (code) => {
    const { call } = await platforms.client([status(code), respond("done")]);
    expect(await call("act", {})).toBe("done");
  });

  it("41: at most four attempts are made in all, and the error has the number of the last one", async () => {
    const { run, call } = await platforms.client(status(429, { body: { code: "rate_limited" }, retryAfter: 0 }));
    const facts = { status: 429, code: "rate_limited", retryAfter: "0", attempt: 4, sent: true };
    expect(await factsOf(call("act", {}))).toEqual(facts);
    expect(run.calls.length).toBe(4);
  });

  it("41: a connection that was never made is tried four times too", async () => {
    const call = createProxyCall({ proxyUrl: await refusedUrl(), runToken: "token", retry: { maxWaitMs: 1 } });
    expect(await factsOf(call("act", {}))).toEqual({ code: "ECONNREFUSED", attempt: 4, sent: false });
  });

  it("42: no wait exceeds 4 s, the first is about 0.5 s, and waits vary", () => {
    const waits = { firstMs: 500, longestMs: 4000 };
    const least = [1, 2, 3, 4, 9].map((attempt) => backoff(attempt, waits, () => 0));
    const most = [1, 2, 3, 4, 9].map((attempt) => backoff(attempt, waits, () => 1));
    expect([least, most]).toEqual([
      [375, 750, 1500, 2400, 2400],
      [625, 1250, 2500, 4000, 4000],
    ]);
    expect(new Set(Array.from({ length: 20 }, () => backoff(1, waits))).size).toBeGreaterThan(1);
  });

  it("42: the wait of a client is that of the backoff, and a Retry-After is clamped to 4 s", async () => {
    const platform = await platforms.start();
    const run = platform.openRun({ tools: { plain: status(429), asking: status(429, { retryAfter: 3600 }) } });
    const call = clientOf(run, { retry: {} });
    const begun = waits();
    for (const [count, tool] of ["plain", "asking"].entries()) {
      const ending = new AbortController();
      const pending = errorOf(call(tool, {}, { signal: ending.signal }));
      await until(() => begun.length > count);
      ending.abort();
      expect((await pending).code).toBe("ERR_ABORTED");
    }
    const [plain = 0, asking] = begun;
    expect(plain).toBeGreaterThanOrEqual(375);
    expect(plain).toBeLessThanOrEqual(625);
    expect(asking).toBe(4000);
  });

  it.each([400, 401, 403, 404, 408, 409, 413, 422, 500, 501])("43: %i is sent once", async (code) => {
    const { run, call } = await platforms.client(status(code));
    expect(await factsOf(call("act", {}))).toEqual({ status: code, attempt: 1, sent: true });
    expect(run.calls.length).toBe(1);
  });

  it("43: a lost connection is sent once, because the tool may have run", async () => {
    const { run, call } = await platforms.client([drop("before_reply"), respond("twice")]);
    expect((await errorOf(call("act", {}))).sent).toBe(true);
    expect(run.calls.length).toBe(1);
  });

  it.each(["error", "transport_error"] as const)("43: source %s is sent once", async (source) => {
    const { run, call } = await platforms.client(respond(null, { source }));
    expect((await errorOf(call("act", {}))).source).toBe(source);
    expect(run.calls.length).toBe(1);
  });
});

describe("a retry policy", () => {
  it("may name other statuses and fewer attempts", async () => {
    const retry = { statuses: [500], maxAttempts: 2, maxWaitMs: 1 };
    const { run, call } = await platforms.client(status(500), { retry });
    expect((await errorOf(call("act", {}))).attempt).toBe(2);
    const other = await platforms.client(status(429), { retry });
    expect((await errorOf(other.call("act", {}))).attempt).toBe(1);
    expect(run.calls.length).toBe(2);
  });

  it("of a call replaces that of the client; false is exactly one attempt", async () => {
    const { run, call } = await platforms.client(status(429));
    expect((await errorOf(call("act", {}, { retry: false }))).attempt).toBe(1);
    expect((await errorOf(call("act", {}, { retry: { maxAttempts: 3, maxWaitMs: 1 } }))).attempt).toBe(3);
    expect(run.calls.length).toBe(4);
  });

  it("false is one attempt for a connection that was never made, too", async () => {
    const call = createProxyCall({ proxyUrl: await refusedUrl(), runToken: "token" });
    expect((await errorOf(call("act", {}, { retry: false }))).attempt).toBe(1);
  });
});

describe("the wait before an attempt", () => {
  it("is that of a Retry-After date, by the clock of the client", async () => {
    const clock = new TestClock();
    const retryAfter = new Date(clock.now() + 2000);
    const { call } = await platforms.client(status(503, { retryAfter }), { clock, retry: {} });
    const ending = new AbortController();
    const begun = waits();
    const pending = errorOf(call("act", {}, { signal: ending.signal }));
    await until(() => begun.includes(2000));
    ending.abort();
    expect((await pending).code).toBe("ERR_ABORTED");
  });

  it("is not begun where the call has less time left", async () => {
    const { run, call } = await platforms.client(status(429, { retryAfter: 2 }), { retry: {}, timeoutMs: 1500 });
    expect(await factsOf(call("act", {}))).toEqual({ status: 429, retryAfter: "2", attempt: 1, sent: true });
    expect(run.calls.length).toBe(1);
  });

  it("ends at once when the call is aborted; after a 429 nothing was done", async () => {
    const { call } = await platforms.client(status(429, { retryAfter: 3 }), { retry: {} });
    const ending = new AbortController();
    const begun = waits();
    const pending = errorOf(call("act", {}, { signal: ending.signal }));
    await until(() => begun.includes(3000));
    ending.abort();
    expect(await pending).toMatchObject({ code: "ERR_ABORTED", attempt: 1, sent: false });
  });

  it("ends at once when the call is aborted; after a 503 the outcome is unknown", async () => {
    const { call } = await platforms.client(status(503, { retryAfter: 3 }), { retry: {} });
    const ending = new AbortController();
    const begun = waits();
    const pending = errorOf(call("act", {}, { signal: ending.signal }));
    await until(() => begun.includes(3000));
    ending.abort();
    expect(await pending).toMatchObject({ code: "ERR_ABORTED", attempt: 1, sent: true });
  });
});

describe("the error after several attempts", () => {
  it.each([429, 400])(
    "is the doubtful one where a %i came later: that does not undo what may have happened",
    async (code) => {
      const { call } = await platforms.client([status(503), status(code)]);
      expect(await errorOf(call("act", {}))).toMatchObject({ status: 503, attempt: 1, sent: true });
    },
  );

  it("is the last one where all were refusals", async () => {
    const { call } = await platforms.client([status(429), status(400)]);
    expect(await errorOf(call("act", {}))).toMatchObject({ status: 400, attempt: 2 });
  });

  it("is the last one where that is doubtful itself", async () => {
    const { call } = await platforms.client([status(503), hang()], { timeoutMs: 600 });
    expect(await errorOf(call("act", {}))).toMatchObject({ code: "ETIMEDOUT", attempt: 2, sent: true });
  });
});
