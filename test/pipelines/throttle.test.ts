import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sharedThrottle, Throttle } from "../../src/pipelines/proxy/throttle.js";
import { respond, status } from "./platform/behaviour.js";
import { clientOf, errorOf, Platforms, until } from "./proxy-fixture.js";

const clock = { now: () => Date.now() };

/** Requests through one throttle; each writes down its name, and the moment, when it goes. */
function requests(throttle: Throttle) {
  const gone: string[] = [];
  const moments: number[] = [];
  const go = (name: string) => {
    gone.push(name);
    moments.push(Date.now());
  };
  const enter = (name: string, { token = "t", perMinute = 60, signal = new AbortController().signal } = {}) => {
    const turn = throttle.enter({ token, perMinute, clock, signal });
    if (turn === undefined) go(name);
    return turn?.then(() => go(name));
  };
  const many = (count: number, options = {}) => {
    for (let index = 0; index < count; index++) enter(String(index), options);
  };
  return { gone, moments, enter, many };
}

describe("a throttle", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("44: lets 60 requests of a token go at once and the next one a minute after the first", async () => {
    const { gone, many } = requests(new Throttle());
    many(61);
    expect(gone.length).toBe(60);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(gone.length).toBe(60);
    await vi.advanceTimersByTimeAsync(1);
    expect(gone.length).toBe(61);
  });

  it("44: holds in any minute, not only in those of the calendar", async () => {
    const { moments, many } = requests(new Throttle());
    for (let second = 0; second < 300; second++) {
      many(3);
      await vi.advanceTimersByTimeAsync(1000);
    }
    const busiest = moments.map((end) => moments.filter((at) => at > end - 60_000 && at <= end).length);
    expect(Math.max(...busiest)).toBe(60);
    expect(moments.length).toBeGreaterThanOrEqual(300);
  });

  it("44: counts tokens separately", () => {
    const { gone, many } = requests(new Throttle());
    many(61, { token: "a" });
    many(61, { token: "b" });
    expect(gone.length).toBe(120);
  });

  it("keeps the order of those that wait, also when one comes late or leaves", async () => {
    const { gone, enter } = requests(new Throttle());
    const leaving = new AbortController();
    enter("first", { perMinute: 1 });
    enter("second", { perMinute: 1 });
    const left = enter("left", { perMinute: 1, signal: leaving.signal });
    enter("third", { perMinute: 1 });
    leaving.abort("enough");
    await expect(left).rejects.toBe("enough");
    await vi.advanceTimersByTimeAsync(60_000);
    enter("fourth", { perMinute: 1 });
    expect(gone).toEqual(["first", "second"]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(gone).toEqual(["first", "second", "third", "fourth"]);
  });

  it("lets the next one go when the one that held it up leaves", async () => {
    const { gone, enter } = requests(new Throttle());
    const leaving = new AbortController();
    enter("first");
    const left = enter("slow", { perMinute: 1, signal: leaving.signal });
    enter("fast");
    expect(gone).toEqual(["first"]);
    leaving.abort("enough");
    await expect(left).rejects.toBe("enough");
    expect(gone).toEqual(["first", "fast"]);
  });

  it("does not count a request that left the queue", async () => {
    const { gone, enter } = requests(new Throttle());
    enter("first", { perMinute: 1 });
    await expect(enter("gone", { perMinute: 1, signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    await vi.advanceTimersByTimeAsync(60_000);
    enter("second", { perMinute: 1 });
    expect(gone).toEqual(["first", "second"]);
  });

  it("waits no longer than a minute when the clock is put back", async () => {
    const { gone, enter } = requests(new Throttle());
    enter("first", { perMinute: 1 });
    vi.setSystemTime(Date.now() - 3_600_000);
    enter("second", { perMinute: 1 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(gone).toEqual(["first", "second"]);
  });

  it("forgets a token once nothing of it counts or waits", async () => {
    const throttle = new Throttle();
    const { many } = requests(throttle);
    for (let token = 0; token < 500; token++) many(1, { token: String(token) });
    many(150, { token: "busy" });
    expect(throttle.size).toBe(501);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(throttle.size).toBe(1);
    await vi.advanceTimersByTimeAsync(180_000);
    expect(throttle.size).toBe(0);
  });

  it("stays right over very many requests", async () => {
    const { gone, many } = requests(new Throttle());
    for (let minute = 0; minute < 5; minute++) {
      many(5000, { perMinute: 4000 });
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(gone.length).toBe(24_000);
  });
});

describe("the throttle of clients", () => {
  const platforms = new Platforms();
  afterEach(() => platforms.close());

  it("44: is on, 60 a minute, and shared by all clients of a token", async () => {
    const platform = await platforms.start();
    const run = platform.openRun({ tools: { act: respond("done") } });
    const clients = [clientOf(run), clientOf(run), clientOf(run)];
    const ending = new AbortController();
    const calls = Array.from({ length: 63 }, (_, index) => clients[index % 3]?.("act", {}, { signal: ending.signal }));
    expect(await Promise.all(calls.slice(0, 60))).toEqual(Array(60).fill("done"));
    expect(run.calls.length).toBe(60);
    const waiting = calls.slice(60).map((call) => errorOf(Promise.resolve(call)));
    ending.abort();
    for (const error of await Promise.all(waiting)) {
      expect(error).toMatchObject({ code: "ERR_ABORTED", attempt: 1, sent: false });
    }
    expect(run.calls.every(({ reply }) => reply === "respond")).toBe(true);
  });

  it("44: of other tokens is another", async () => {
    const platform = await platforms.start();
    const tools = { act: respond("done") };
    const [one, other] = [platform.openRun({ tools }), platform.openRun({ tools })];
    const throttle = { perMinute: 1 };
    expect(await clientOf(one, { throttle })("act", {})).toBe("done");
    expect(await clientOf(other, { throttle })("act", {})).toBe("done");
  });

  it("counts retries, and the time of a call goes on in the queue", async () => {
    const { run, call } = await platforms.client([status(429), respond("done")], { throttle: { perMinute: 1 } });
    expect(await errorOf(call("act", {}, { timeoutMs: 500 }))).toMatchObject({
      code: "ETIMEDOUT",
      attempt: 2,
      sent: false,
    });
    expect(run.calls.length).toBe(1);
  });

  it("knows, in the queue, that an earlier attempt may have had its effect", async () => {
    const { call } = await platforms.client([status(503), respond("done")], { throttle: { perMinute: 1 } });
    expect(await errorOf(call("act", {}, { timeoutMs: 500 }))).toMatchObject({
      code: "ETIMEDOUT",
      attempt: 2,
      sent: true,
    });
  });

  it("can be switched off", async () => {
    const platform = await platforms.start({ requestsPerMinute: 1000 });
    const run = platform.openRun({ tools: { act: respond("done") } });
    const call = clientOf(run, { throttle: false });
    const before = sharedThrottle.size;
    await Promise.all(Array.from({ length: 70 }, () => call("act", {})));
    await until(() => run.calls.length === 70);
    expect(sharedThrottle.size).toBe(before);
  });
});
