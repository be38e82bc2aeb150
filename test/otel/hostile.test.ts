import { INVALID_SPAN_CONTEXT, type Meter, type Span, type Tracer, trace } from "@opentelemetry/api";
import { describe, expect, it, onTestFinished } from "vitest";
import { instrumentGuard } from "../../src/otel/instrument-guard.js";
import { instrumentStore } from "../../src/otel/instrument-store.js";
import { approvalIdOf, callIdOf, memory, pay, paymentGuard, recordsOf } from "../support/durable-guard.js";
import { violationOf } from "../support/guard-calls.js";
import { told } from "../support/guard-steps.js";

const SECRET = "card 4111";

function fail(): never {
  throw new Error(SECRET);
}

/** A thing of which every method fails from its first use on, but for those that are given. */
function broken<T extends object>(working: T): T {
  return new Proxy(working, {
    get: (target, name) => (Object.hasOwn(target, name) ? Reflect.get(target, name) : fail),
  });
}

const none = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
const TRACERS: readonly (readonly [string, Tracer])[] = [
  ["startSpan", broken({} as Tracer)],
  ["every method of a span", broken({ startSpan: () => broken({} as Span) } as unknown as Tracer)],
  ["no span at all", { startSpan: () => undefined } as unknown as Tracer],
  ["the end of a span", { startSpan: () => Object.assign(Object.create(none), { end: fail }) } as unknown as Tracer],
];
const METER = new Proxy({} as Meter, { get: () => () => broken({}) });
const BROKEN_METER = broken({} as Meter);

/** The warnings of this process until the end of the test. */
function warnings(): readonly string[] {
  const heard: string[] = [];
  const listener = ({ message }: Error) => heard.push(message);
  process.on("warning", listener);
  onTestFinished(() => {
    process.off("warning", listener);
  });
  return heard;
}

describe.each(TRACERS)("telemetry that fails: %s", (_what, tracer) => {
  it.each([METER, BROKEN_METER])("changes no verdict, settlement or output", async (meter) => {
    const heard = warnings();
    const sound = await memory();
    const store = instrumentStore(sound, { meter });
    const guard = instrumentGuard(await paymentGuard(store), { tracer, meter });
    const first = callIdOf(await guard.propose(pay(10)));
    expect(await guard.settle(first, { kind: "result", output: {} })).toEqual({ accepted: true });
    expect(told(await guard.propose(pay(5, { to: 7 })))).toBe("argument_invariant_failed");
    let sent = 0;
    const call = guard.wrap(async () => {
      sent += 1;
      if (sent === 2) throw new RangeError("of the tool");
      return "sent";
    });
    expect(await call("pay", pay(10).args)).toBe("sent");
    await expect(call("pay", pay(10).args)).rejects.toThrow("of the tool");
    expect(told((await violationOf(call("pay", pay(5, { to: 7 }).args))).verdict)).toBe("argument_invariant_failed");
    const asked = approvalIdOf(await guard.propose(pay(110)));
    expect(await guard.approve(asked, { by: "ann" })).toMatchObject({ kind: "allow" });
    expect(sent).toBe(2);
    expect(guard.state().toolCalls).toBe(4);
    expect(await recordsOf(sound)).not.toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard.join()).not.toContain(SECRET);
  });
});

describe("what is no call", () => {
  it("is refused as without telemetry", async () => {
    const guard = await paymentGuard(await memory());
    const observed = instrumentGuard(guard);
    const refusal = async (one: typeof guard, call: unknown) =>
      one.propose(call as ReturnType<typeof pay>).then(
        (verdict) => told(verdict),
        (cause: Error) => `${cause.name}: ${cause.message}`,
      );
    const thrower = Object.defineProperty({ tool: "pay" }, "args", { get: fail, enumerable: true });
    for (const call of [null, undefined, 7, "pay", thrower]) {
      expect(await refusal(observed, call)).toBe(await refusal(guard, call));
    }
  });
});
