import { context, type Meter, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { instrumentGuard, type TelemetryOptions } from "../../src/otel/instrument-guard.js";
import { instrumentStore } from "../../src/otel/instrument-store.js";
import { openApprovals } from "../../src/sessions/approvals.js";
import { approvalIdOf, callIdOf, memory, pay, paymentGuard } from "../support/durable-guard.js";
import { violationOf } from "../support/guard-calls.js";
import { eventually } from "../support/store-writes.js";

const spans = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: exported, exportIntervalMillis: 1_000_000 });
const meters = new MeterProvider({ readers: [reader] });

let guards = 0;

beforeAll(() => provider.register());
beforeEach(() => spans.reset());

async function observed(options: GuardOptions = {}, telemetry: TelemetryOptions = {}) {
  const meter = meters.getMeter(`test ${++guards}`);
  const store = instrumentStore(await memory(), { meter });
  const guard = instrumentGuard(await paymentGuard(store, options), { meter, ...telemetry });
  return { guard, store };
}

/** The values of a metric, by its attributes. */
async function valuesOf(name: string): Promise<ReadonlyMap<string, unknown>> {
  exported.reset();
  await reader.forceFlush();
  const all = exported.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  const points = all
    .filter(({ descriptor }) => descriptor.name === name)
    .flatMap(({ dataPoints }): readonly DataPoint<unknown>[] => dataPoints);
  return new Map(points.map(({ attributes, value }) => [JSON.stringify(attributes), value]));
}

describe("the span of a wrapped call", () => {
  it("says what was called and allowed, and is the parent of what the tool does", async () => {
    const { guard } = await observed();
    const call = guard.wrap(async () => {
      provider.getTracer("tool").startSpan("inside").end();
      return { ok: true };
    });
    expect(await call("pay", pay(20).args)).toEqual({ ok: true });
    const [inside, span] = spans.getFinishedSpans();
    expect(span?.name).toBe("execute_tool pay");
    expect(inside?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
    expect(span?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "pay",
      "gen_ai.tool.call.id": "call_1",
      "contract_guard.session": guard.sessionId,
      "contract_guard.artifact": guard.artifactHash,
      "contract_guard.verdict": "allow",
    });
  });

  it("is the one of its proposal, where it was proposed before", async () => {
    const { guard } = await observed();
    const call = guard.wrap(async () => ({ ok: true }));
    const reserved = callIdOf(await guard.propose({ ...pay(20), callKey: "k", wrapped: true }));
    expect(spans.getFinishedSpans()).toEqual([]);
    await call("pay", pay(20).args, { callKey: "k", reserved });
    const again = await violationOf(call("pay", pay(20).args, { callKey: "k", reserved }));
    expect(again.verdict.reason).toBe("call_key_used");
    expect(spans.getFinishedSpans().map(({ attributes }) => attributes)).toMatchObject([
      { "gen_ai.tool.call.id": "call_1", "contract_guard.verdict": "allow" },
      { "contract_guard.verdict": "block", "contract_guard.reason": "call_key_used" },
    ]);
  });

  it("says why a call was refused, without its arguments", async () => {
    const { guard } = await observed();
    await violationOf(guard.wrap(async () => ({}))("pay", pay(5, { to: 7_770_001 }).args));
    const [span] = spans.getFinishedSpans();
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(span?.attributes).toMatchObject({
      "contract_guard.verdict": "block",
      "contract_guard.reason": "argument_invariant_failed",
      "error.type": "argument_invariant_failed",
      "contract_guard.rule": expect.stringMatching(/^pay\.yaml:\d+$/),
    });
    expect(JSON.stringify([span?.attributes, span?.events])).not.toContain("7770001");
  });

  it("has the class of an error, not its message, and says that the call was allowed", async () => {
    const { guard } = await observed();
    const call = guard.wrap(async () => {
      throw new RangeError("card 4111");
    });
    await expect(call("pay", pay(5).args)).rejects.toThrow("card 4111");
    const [span] = spans.getFinishedSpans();
    expect(span?.attributes).toMatchObject({ "error.type": "RangeError", "contract_guard.verdict": "allow" });
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain("4111");
  });

  it("does not take any text that an error has for its name for that of a class", async () => {
    const { guard } = await observed();
    const call = guard.wrap(async () => {
      throw Object.assign(new Error("refused"), { name: "card 4111 of ann" });
    });
    await expect(call("pay", pay(5).args)).rejects.toThrow("refused");
    expect(spans.getFinishedSpans()[0]?.attributes["error.type"]).toBe("unknown");
  });

  it("has the arguments where that is asked for", async () => {
    const { guard } = await observed({}, { arguments: true });
    await guard.wrap(async () => ({}))("pay", pay(5).args);
    expect(spans.getFinishedSpans()[0]?.attributes["gen_ai.tool.call.arguments"]).toBe('{"amount":5,"to":"ann"}');
  });

  it.each([
    ["argument_invariant_failed", { amount: 5, to: 7 }],
    ["approval_required", pay(120).args],
  ])("says what enforcing would have done, in shadow mode: %s", async (would, args) => {
    const { guard } = await observed({ mode: "shadow" });
    await guard.wrap(async () => ({}))("pay", args);
    expect(spans.getFinishedSpans()[0]?.attributes).toMatchObject({
      "contract_guard.verdict": "allow",
      "contract_guard.would": would,
    });
  });

  it("has no longer name than a tool may have, whatever a model writes", async () => {
    const { guard } = await observed();
    await violationOf(guard.wrap(async () => ({}))("x".repeat(10_000), {}));
    expect(spans.getFinishedSpans()[0]?.name).toBe(`execute_tool ${"x".repeat(128)}`);
  });

  it("keeps its id where the tool proposes calls itself", async () => {
    const { guard } = await observed();
    const call = guard.wrap(async () => guard.settle(callIdOf(await guard.propose(pay(7))), { kind: "timeout" }));
    await call("pay", pay(5).args);
    const ids = spans.getFinishedSpans().map(({ attributes }) => attributes["gen_ai.tool.call.id"]);
    expect(ids).toEqual(["call_2", "call_1"]);
  });

  it("belongs to its own call where several run at once", async () => {
    const { guard } = await observed();
    const call = guard.wrap(async (_, args) => args);
    await Promise.all([1, 2, 3].map((amount) => call("pay", pay(amount).args)));
    const ids = spans.getFinishedSpans().map(({ attributes }) => attributes["gen_ai.tool.call.id"]);
    expect(new Set(ids)).toEqual(new Set(["call_1", "call_2", "call_3"]));
  });
});

describe("the span of a proposed call", () => {
  it.each(["approve", "resume"] as const)("that was approved ends when it is settled: %s", async (how) => {
    const { guard, store } = await observed();
    const id = approvalIdOf(await guard.propose(pay(120)));
    if (how === "resume") await openApprovals(store).approve(id, { by: "ann", why: "fits" });
    const callId = callIdOf(await (how === "resume" ? guard.resume(id) : guard.approve(id, { by: "ann" })));
    expect(spans.getFinishedSpans()).toHaveLength(1);
    await guard.settle(callId, { kind: "timeout" });
    const [, span, none] = spans.getFinishedSpans();
    expect([span?.name, none]).toEqual(["execute_tool pay", undefined]);
    expect(span?.attributes).toMatchObject({
      "gen_ai.tool.call.id": callId,
      "contract_guard.verdict": "allow",
      "error.type": "timeout",
    });
  });

  it("ends when the call is settled, below the span that was active", async () => {
    const { guard } = await observed();
    const parent = provider.getTracer("agent").startSpan("turn");
    const id = await context.with(trace.setSpan(context.active(), parent), async () =>
      callIdOf(await guard.propose(pay(5))),
    );
    expect(spans.getFinishedSpans()).toEqual([]);
    await guard.settle(id, { kind: "timeout" });
    const [span] = spans.getFinishedSpans();
    expect(span?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
    expect(span?.attributes).toMatchObject({ "gen_ai.tool.call.id": "call_1", "error.type": "timeout" });
  });

  it("ends at once where nothing is to be settled", async () => {
    const { guard } = await observed();
    await guard.propose(pay(500));
    await guard.propose(pay(120));
    const verdicts = spans.getFinishedSpans().map(({ attributes }) => attributes["contract_guard.verdict"]);
    expect(verdicts).toEqual(["block", "approval_required"]);
  });
});

describe("metrics", () => {
  it("count verdicts and refusals by reason, and pending approvals", async () => {
    const { guard } = await observed();
    await guard.propose(pay(20));
    await guard.propose(pay(500));
    const id = approvalIdOf(await guard.propose(pay(120)));
    expect([...(await valuesOf("contract_guard.approvals.pending")).values()].at(-1)).toBe(1);
    await guard.deny(id, { by: "ann" });
    expect([...(await valuesOf("contract_guard.approvals.pending")).values()].at(-1)).toBe(0);
    expect(
      (await valuesOf("contract_guard.decisions")).get('{"gen_ai.tool.name":"pay","contract_guard.verdict":"allow"}'),
    ).toBe(1);
    const refusals = await valuesOf("contract_guard.refusals");
    expect(refusals.get('{"gen_ai.tool.name":"pay","contract_guard.reason":"aggregate_exceeded"}')).toBe(1);
    expect(refusals.get('{"contract_guard.reason":"approval_denied"}')).toBe(1);
  });

  it.each([
    ["arguments that are no object", (guard: Guard) => guard.propose({ tool: "pay", args: null })],
    ["the approval of another call", (guard: Guard) => guard.resume("approval_99")],
    ["an approval by who asked", (guard: Guard, id: string) => guard.approve(id, { by: "agent" })],
    ["the first approval of two", (guard: Guard, id: string) => guard.approve(id, { by: "ann" })],
  ])("still count an approval as pending after %s", async (_, act) => {
    const { guard } = await observed({ requester: "agent", approvals: { quorum: 2, notRequester: true } });
    const id = approvalIdOf(await guard.propose(pay(120)));
    await act(guard, id);
    expect([...(await valuesOf("contract_guard.approvals.pending")).values()].at(-1)).toBe(1);
    await guard.approve(id, { by: "ben" });
    await guard.approve(id, { by: "cid" });
    expect([...(await valuesOf("contract_guard.approvals.pending")).values()].at(-1)).toBe(0);
  });

  it("have no names of tools that no contract covers, which models may invent", async () => {
    const { guard } = await observed();
    for (const tool of ["pay_4111", "pay_4222"]) await guard.propose({ tool, args: {} });
    await guard.kill("enough");
    await guard.propose({ tool: "pay_4333", args: {} });
    await guard.propose(pay(20));
    const names = [
      ...(await valuesOf("contract_guard.decisions")).keys(),
      ...(await valuesOf("contract_guard.refusals")).keys(),
    ];
    expect(names.join("\n")).not.toMatch(/pay_4/);
    const refusals = await valuesOf("contract_guard.refusals");
    expect(refusals.get('{"contract_guard.reason":"unmatched_tool"}')).toBe(2);
    expect(refusals.get('{"contract_guard.reason":"session_killed"}')).toBe(1);
    expect(refusals.get('{"gen_ai.tool.name":"pay","contract_guard.reason":"session_killed"}')).toBe(1);
  });

  it("count one pending approval where the one before expired", async () => {
    let now = 0;
    const clock = { now: () => now };
    const { guard } = await observed({ clock });
    approvalIdOf(await guard.propose(pay(120)));
    now = 61_000;
    approvalIdOf(await guard.propose(pay(121)));
    expect([...(await valuesOf("contract_guard.approvals.pending")).values()].at(-1)).toBe(1);
  });

  it("count a request as pending no longer than to its deadline, also where nobody asks about it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let behind = 0;
    let total = 0;
    const counter = {
      add(count: number) {
        total += count;
      },
    };
    const meter: Meter = Object.assign(Object.create(meters.getMeter("pending")), {
      createUpDownCounter: () => counter,
    });
    const clock = { now: () => Date.now() - behind };
    const guard = instrumentGuard(await paymentGuard(await memory(), { clock }), { meter });
    await guard.propose(pay(120));
    behind = 5_000;
    await vi.advanceTimersByTimeAsync(61_000);
    expect(total).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(total).toBe(0);
  });

  it("count a verdict once that is given again", async () => {
    const { guard } = await observed();
    await Promise.all([1, 2].map(() => guard.propose({ ...pay(5), callKey: "a" })));
    let approvalId = "";
    guard.on("approval_requested", (event) => {
      approvalId = event.approvalId;
    });
    const sent = guard.wrap(async () => ({}))("pay", pay(120).args);
    await eventually(async () => approvalId !== "");
    await guard.approve(approvalId, { by: "ann" });
    await sent;
    const decisions = await valuesOf("contract_guard.decisions");
    expect(decisions.get('{"contract_guard.verdict":"allow"}')).toBe(1);
    expect(decisions.get('{"gen_ai.tool.name":"pay","contract_guard.verdict":"allow"}')).toBe(1);
  });

  it("have the time that the store takes", async () => {
    const { guard } = await observed();
    await guard.propose(pay(20));
    const durations = await valuesOf("contract_guard.store.duration");
    const append = durations.get('{"contract_guard.store.operation":"append","contract_guard.store.kind":"memory"}');
    expect(append).toMatchObject({ count: expect.any(Number) });
  });
});

describe("a guard with telemetry", () => {
  it("is otherwise the same guard", async () => {
    const { guard, store } = await observed();
    expect(guard.state()).toMatchObject({ toolCalls: 0 });
    await guard.addLabel("hot");
    expect(guard.state().labels).toEqual(["hot"]);
    expect(guard.visibleTools().visible).toEqual(["look"]);
    await guard.kill("stop");
    expect((await paymentGuard(store)).state().killed).toBe(true);
  });
});
