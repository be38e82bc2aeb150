import { afterEach, describe, expect, it } from "vitest";
import { sharedThrottle } from "../../src/pipelines/proxy/throttle.js";
import { createTracer, type Tracer, type TracerSetting } from "../../src/pipelines/proxy/traces.js";
import { TestClock } from "../support/guard-clock.js";
import { respond } from "./platform/behaviour.js";
import { refusedUrl } from "./platform/raw-socket.js";
import type { Run, TraceMode } from "./platform/run.js";
import { clientOf, Platforms, until } from "./proxy-fixture.js";

const platforms = new Platforms();
afterEach(() => platforms.close());

type TracerOptions = Omit<TracerSetting, "proxyUrl" | "runToken">;

async function traced(
  options: TracerOptions = {},
  traces: TraceMode = "accept",
): Promise<{ run: Run; tracer: Tracer }> {
  const platform = await platforms.start();
  const run = platform.openRun({ traces, tools: { act: respond("done") } });
  const { proxyUrl, runToken } = run;
  return { run, tracer: createTracer({ proxyUrl, runToken, ...options }) };
}

describe("a tracer", () => {
  const TYPES = [
    "assistant_message",
    "thinking",
    "system_prompt",
    "custom",
    "handoff",
    "subagent_message",
    "subagent_final",
  ];

  it.each(TYPES)("posts %s to {proxy_url}/traces/{type}", async (type) => {
    const { run, tracer } = await traced();
    tracer.trace(type, { text: "hello" });
    await tracer.flush();
    expect(run.traces).toMatchObject([
      {
        method: "POST",
        path: `${new URL(run.proxyUrl).pathname}/traces/${type}`,
        headers: { authorization: `Bearer ${run.runToken}`, "content-type": "application/json" },
        body: { text: "hello" },
        sequence: 1,
      },
    ]);
    expect([tracer.failures, tracer.lastFailure]).toEqual([0, null]);
  });

  it.each(["", "message", "__proto__", "../tools/act", "Handoff"])("refuses the type %j at once", async (type) => {
    const { run, tracer } = await traced();
    expect(() => tracer.trace(type, {})).toThrow(TypeError);
    await tracer.flush();
    expect(run.traces).toEqual([]);
  });

  it("has the time of its clock unless one is given", async () => {
    const clock = new TestClock();
    const { run, tracer } = await traced({ clock });
    tracer.trace("custom", { n: 1 });
    clock.advance(1500);
    tracer.handoff({ from: "a", to: "b" });
    tracer.trace("custom", { __occurred_at: "2020-02-02T02:02:02Z" });
    await tracer.flush();
    expect(run.traces.map(({ eventType, body }) => [eventType, body])).toEqual([
      ["custom", { __occurred_at: "2026-01-01T00:00:00.000Z", n: 1 }],
      ["handoff", { __occurred_at: "2026-01-01T00:00:01.500Z", from: "a", to: "b" }],
      ["custom", { __occurred_at: "2020-02-02T02:02:02Z" }],
    ]);
  });

  it("keeps the order of many events, and their content when they were added", async () => {
    const { run, tracer } = await traced();
    const payload = { n: 0 };
    for (payload.n = 0; payload.n < 50; payload.n++) tracer.trace("thinking", payload);
    await tracer.flush();
    expect(run.traces.map(({ body }) => body?.n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it("sends what comes after a flush", async () => {
    const { run, tracer } = await traced();
    await tracer.flush();
    tracer.trace("custom", { n: 1 });
    await tracer.flush();
    tracer.trace("custom", { n: 2 });
    await until(() => run.traces.length === 2);
  });

  it("counts events that the platform refuses, and goes on", async () => {
    const { run, tracer } = await traced({}, "fail");
    tracer.trace("custom", {});
    tracer.trace("custom", {});
    await tracer.flush();
    expect([run.traces.length, tracer.failures, tracer.lastFailure]).toEqual([2, 2, "answered 500"]);
  });

  it("counts events that get no answer in time", async () => {
    const { tracer } = await traced({ timeoutMs: 50 }, "hang");
    tracer.trace("custom", {});
    await tracer.flush();
    expect([tracer.failures, tracer.lastFailure]).toEqual([1, "timed out"]);
  });

  it("counts events that do not arrive", async () => {
    const tracer = createTracer({ proxyUrl: await refusedUrl(), runToken: "token" });
    tracer.trace("custom", {});
    await tracer.flush();
    expect([tracer.failures, tracer.lastFailure]).toEqual([1, "ECONNREFUSED"]);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const throwing = {
    get text() {
      throw null;
    },
  };
  it.each([
    [cyclic, "not JSON"],
    [throwing, "not JSON"],
    [[1], "no JSON object"],
    [{ text: "x".repeat(1_048_576) }, "too large"],
  ])("counts an event that cannot be sent (%#)", async (payload, why) => {
    const { run, tracer } = await traced();
    tracer.trace("custom", payload);
    await tracer.flush();
    expect([run.traces.length, tracer.failures, tracer.lastFailure]).toEqual([0, 1, why]);
  });

  it("gives up, within the time of a flush, what a channel that hangs does not take", async () => {
    const { run, tracer } = await traced({}, "hang");
    for (let n = 0; n < 20; n++) tracer.trace("custom", { n });
    await tracer.flush(50);
    expect([run.traces.length, tracer.failures, tracer.lastFailure]).toEqual([1, 20, "given up"]);
  });

  it("does not fill the memory with what a channel that hangs does not take", async () => {
    const { tracer } = await traced({}, "hang");
    for (let n = 0; n < 1500; n++) tracer.trace("custom", { n });
    expect([tracer.failures, tracer.lastFailure]).toEqual([499, "too many events are queued"]);
    await tracer.flush(20);
    expect(tracer.failures).toBe(1500);
  });

  it("sends nothing after its signal aborted", async () => {
    const ending = new AbortController();
    const { run, tracer } = await traced({ signal: ending.signal }, "hang");
    tracer.trace("custom", {});
    await until(() => run.traces.length === 1);
    ending.abort();
    tracer.trace("custom", {});
    await tracer.flush();
    expect([run.traces.length, tracer.failures, tracer.lastFailure]).toEqual([1, 2, "aborted"]);
  });

  it("takes nothing from the limit of tool calls", async () => {
    const { run, tracer } = await traced();
    const before = sharedThrottle.size;
    for (let n = 0; n < 70; n++) tracer.trace("custom", { n });
    await tracer.flush();
    expect([run.traces.length, sharedThrottle.size]).toEqual([70, before]);
  });

  it("shares the limit of tool calls where it is asked to", async () => {
    const throttle = { perMinute: 1 };
    const { run, tracer } = await traced({ throttle });
    expect(await clientOf(run, { throttle })("act", {})).toBe("done");
    tracer.trace("custom", {});
    await tracer.flush(50);
    expect([run.traces.length, tracer.failures]).toEqual([0, 1]);
  });

  it.each([
    ["proxyUrl", { proxyUrl: "nowhere" }],
    ["runToken", { runToken: "s3cret\n" }],
    ["timeoutMs", { timeoutMs: -1 }],
    ["throttle.perMinute", { throttle: { perMinute: 0 } }],
  ])("refuses a bad `%s` by its name", (name, wrong) => {
    const make = () => createTracer({ proxyUrl: "http://127.0.0.1:1", runToken: "s3cret", ...wrong });
    expect(make).toThrow(`\`${name}\``);
    expect(make).not.toThrow("s3cret");
  });
});
