import { afterEach, describe, expect, it, vi } from "vitest";
import { ProxyError } from "../../src/pipelines/proxy/proxy-error.js";
import { endless, hang, oversized, respond, slow, status } from "./platform/behaviour.js";
import { clientOf, errorOf, factsOf, Platforms, until } from "./proxy-fixture.js";

const MIB = 1_048_576;
const platforms = new Platforms();
afterEach(async () => {
  vi.useRealTimers();
  await platforms.close();
});

/** Arguments whose JSON text has this many bytes, of a character with as many bytes as given. */
function argsOf(bytes: number, character = "x"): object {
  const left = bytes - '{"t":""}'.length;
  const width = Buffer.byteLength(character);
  return { t: character.repeat(Math.floor(left / width)) + "x".repeat(left % width) };
}

describe("the size of a call", () => {
  it.each(["x", "é", "€", "😀"])("37: arguments of exactly 1 MiB in %s are sent", async (character) => {
    const { run, call } = await platforms.client(respond("done"));
    expect(await call("act", argsOf(MIB, character))).toBe("done");
    expect(run.calls[0]?.bytes).toBe(MIB);
  });

  it.each(["x", "é", "€", "😀"])("37: one byte more in %s is refused before sending", async (character) => {
    const { run, call } = await platforms.client(respond("done"));
    const facts = { code: "ERR_REQUEST_TOO_LARGE", attempt: 1, sent: false };
    expect(await factsOf(call("act", argsOf(MIB + 1, character)))).toEqual(facts);
    expect(run.calls).toEqual([]);
  });

  it.each([true, false])("38: a reply of exactly 1 MiB is read (with its length: %s)", async (contentLength) => {
    const { call } = await platforms.client(oversized(MIB, { contentLength }));
    expect(String(await call("act", {})).length).toBeGreaterThan(MIB - 200);
  });

  it.each([true, false])("38: one byte more is an error (with its length: %s)", async (contentLength) => {
    const { call } = await platforms.client(oversized(MIB + 1, { contentLength }));
    const facts = { status: 200, code: "ERR_RESPONSE_TOO_LARGE", attempt: 1, sent: true };
    expect(await factsOf(call("act", {}))).toEqual(facts);
  });

  it.each([true, false])(
    "38: a huge reply is cut off, not read to its end (with its length: %s)",
    { timeout: 5000 },
    async (contentLength) => {
      const { run, call } = await platforms.client(oversized(200 * MIB, { contentLength }));
      expect((await errorOf(call("act", {}))).code).toBe("ERR_RESPONSE_TOO_LARGE");
      // A connection that was forgotten would be closed too, but only when the garbage is collected.
      const ended = await run.calls[0]?.ended;
      expect(ended?.isWhole).toBe(false);
      expect(ended?.bytes).toBeLessThan(50 * MIB);
    },
  );

  it("38: a reply without end is cut off as soon as it is too large", async () => {
    const { run, call } = await platforms.client(endless({ everyMs: 1, chunkBytes: MIB / 4 }));
    expect((await errorOf(call("act", {}))).code).toBe("ERR_RESPONSE_TOO_LARGE");
    expect((await run.calls[0]?.ended)?.isWhole).toBe(false);
  });

  it("the next call works after one that was cut off", async () => {
    const { call } = await platforms.client([oversized(2 * MIB), respond("done")]);
    await errorOf(call("act", {}));
    expect(await call("act", {})).toBe("done");
  });
});

describe("the time of a call", () => {
  it("39: without a limit of its own an attempt has 120 s, enough for a sandboxed tool", async () => {
    const { run, call } = await platforms.client(hang());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let error: unknown = null;
    const pending = errorOf(call("act", {})).then((cause) => {
      error = cause;
    });
    while (run.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(119_000);
    expect(error).toBeNull();
    await vi.advanceTimersByTimeAsync(1000);
    await pending;
    expect(error).toMatchObject({ code: "ETIMEDOUT", attempt: 1, sent: true });
  });

  it("a limit ends a call that hangs, and its connection", async () => {
    const { run, call } = await platforms.client(hang(), { timeoutMs: 100 });
    expect(await factsOf(call("act", {}))).toEqual({ code: "ETIMEDOUT", attempt: 1, sent: true });
    expect((await run.calls[0]?.ended)?.isWhole).toBe(false);
  });

  it("a limit ends a reply that trickles", async () => {
    const { call } = await platforms.client(endless(), { timeoutMs: 100 });
    expect(await factsOf(call("act", {}))).toEqual({ code: "ETIMEDOUT", attempt: 1, sent: true });
  });

  it("a limit counts all attempts together", async () => {
    const { call } = await platforms.client([slow(150, status(429)), slow(150, respond("done"))], { timeoutMs: 250 });
    await expect(call("act", {})).rejects.toThrow(ProxyError);
  });

  it("the limit of a call stands in for that of the client", async () => {
    const { call } = await platforms.client(slow(60, respond("done")), { timeoutMs: 20 });
    expect((await errorOf(call("act", {}))).code).toBe("ETIMEDOUT");
    expect(await call("act", {}, { timeoutMs: 5000 })).toBe("done");
  });

  it("a call that is over leaves no timer behind", async () => {
    const { call } = await platforms.client([respond("done"), status(400)]);
    const set = vi.spyOn(globalThis, "setTimeout");
    const cleared = vi.spyOn(globalThis, "clearTimeout");
    await call("act", {});
    await errorOf(call("act", {}));
    const ours = set.mock.calls.flatMap(([, ms], index) => (ms === 120_000 ? [set.mock.results[index]?.value] : []));
    expect(ours.length).toBe(2);
    expect(cleared.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(ours));
    vi.restoreAllMocks();
  });
});

describe("an aborted call", () => {
  it("is never sent where a signal was aborted before", async () => {
    const { run, call } = await platforms.client(respond("done"), { signal: AbortSignal.abort() });
    expect(await errorOf(call("act", {}))).toMatchObject({ code: "ERR_ABORTED", attempt: 1, sent: false });
    expect(run.calls).toEqual([]);
  });

  it.each(["client", "call"])("ends at once by the signal of the %s, and may have reached the tool", async (whose) => {
    const ending = new AbortController();
    const { signal } = ending;
    const { run, call } = await platforms.client(hang(), whose === "client" ? { signal } : {});
    const pending = errorOf(call("act", {}, whose === "call" ? { signal } : {}));
    await until(() => run.calls.length === 1);
    const reason = new Error("the run is over");
    ending.abort(reason);
    const error = await pending;
    expect(error).toMatchObject({ code: "ERR_ABORTED", attempt: 1, sent: true });
    expect(error.cause).toBe(reason);
    expect((await run.calls[0]?.ended)?.isWhole).toBe(false);
  });

  it("is a timeout where the signal was one", async () => {
    const { call } = await platforms.client(hang());
    expect((await errorOf(call("act", {}, { signal: AbortSignal.timeout(50) }))).code).toBe("ETIMEDOUT");
  });

  it("bears any reason", async () => {
    const { call } = await platforms.client(hang());
    const ending = new AbortController();
    const pending = errorOf(call("act", {}, { signal: ending.signal }));
    ending.abort(null);
    expect(await pending).toMatchObject({ code: "ERR_ABORTED", cause: null });
  });

  it("does not touch other calls, before or after it", async () => {
    const { run, call } = await platforms.client((args) => (args.hang === true ? hang() : slow(30, respond("done"))));
    for (let round = 0; round < 12; round++) {
      const ending = new AbortController();
      const pending = errorOf(call("act", { hang: true }, { signal: ending.signal }));
      const other = call("act", {});
      await until(() => run.calls.length === 2 * round + 2);
      ending.abort();
      expect((await pending).code).toBe("ERR_ABORTED");
      expect(await other).toBe("done");
    }
  });

  it("is not one that comes after a call of the same signal", async () => {
    const { run, call } = await platforms.client([respond("first"), slow(50, respond("second"))]);
    const ending = new AbortController();
    expect(await call("act", {}, { signal: ending.signal })).toBe("first");
    const later = call("act", {});
    await until(() => run.calls.length === 2);
    ending.abort();
    expect(await later).toBe("second");
  });

  it("follows one signal with very many calls without a warning of a leak", async () => {
    const warn = vi.fn();
    process.on("warning", warn);
    const ending = new AbortController();
    const platform = await platforms.start({ requestsPerMinute: 1000 });
    const run = platform.openRun({ tools: { act: respond("done") } });
    const call = clientOf(run, { signal: ending.signal, throttle: false });
    for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 40 }, () => call("act", {})));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warn);
    expect(warn).not.toHaveBeenCalled();
  });
});
