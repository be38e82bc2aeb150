import { execFile } from "node:child_process";
import { createServer, request, type Server } from "node:http";
import { createServer as createSocketServer, type Server as SocketServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { CallOptions, ProxyCall } from "../../src/guard/wrap/call-options.js";
import { NotExecuted } from "../../src/guard/wrap/not-executed.js";
import { fateOf, payGuard, rejectionOf, revokedProxy, trappedError } from "../support/guard-calls.js";

const QUICK = "timeouts: { total_ms: 60 }";
/** Long enough for a request to arrive on a busy machine. */
const ARRIVES = "timeouts: { total_ms: 2000 }";
const SLOW = "timeouts: { total_ms: 20000 }";

const open: (Server | SocketServer)[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function portOf(server: Server | SocketServer): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A port that nothing listens on. */
async function deadPort(): Promise<number> {
  const server = createSocketServer();
  const port = await portOf(server);
  await new Promise((resolve) => open.pop()?.close(resolve));
  return port;
}

/** A server that takes payments and never answers. */
async function silentServer(): Promise<{ readonly port: number; readonly paid: number[] }> {
  const paid: number[] = [];
  const server = createServer((message) => {
    message.once("data", (part: Buffer) => paid.push(JSON.parse(part.toString()).amount));
    message.on("error", () => undefined);
  });
  return { port: await portOf(server), paid };
}

/** A plain client of node:http, with the signal it is given. */
function httpCall(port: number): ProxyCall {
  return (_tool, args, options) =>
    new Promise((resolve, reject) => {
      const signal = options?.signal;
      const sent = request({ port, host: "127.0.0.1", method: "POST", ...(signal === undefined ? {} : { signal }) });
      sent.once("response", (answer) => resolve({ status: answer.statusCode }));
      sent.once("error", reject);
      sent.end(JSON.stringify(args));
    });
}

function signalOf(options: CallOptions | undefined): AbortSignal {
  if (options?.signal === undefined) throw new Error("the guard gives a signal");
  return options.signal;
}

/** Functions that end in the error of their library once the guard's own signal aborts. */
const LIBRARIES: readonly (readonly [string, ProxyCall])[] = [
  ["timers/promises", (_tool, _args, options) => delay(10_000, {}, { signal: signalOf(options) })],
  [
    "execFile",
    (_tool, _args, options) =>
      promisify(execFile)(process.execPath, ["-e", "setTimeout(() => {}, 10_000)"], { signal: signalOf(options) }),
  ],
];

describe("a call whose time is over", () => {
  it("on plain node:http stays counted, so that no more than the cap is paid", async () => {
    const { port, paid } = await silentServer();
    const guard = await payGuard(ARRIVES);
    const call = guard.wrap(httpCall(port));
    expect(await rejectionOf(call("pay", { amount: 100 }))).toMatchObject({ code: "ABORT_ERR" });
    expect(guard.state().aggregates).toEqual({ paid: 100 });
    for (let more = 0; more < 3; more++) await rejectionOf(call("pay", { amount: 100 }));
    expect({ paid, fate: fateOf(guard) }).toEqual({ paid: [100], fate: "indeterminate" });
  });

  it.each(LIBRARIES)("in %s stays counted", async (_, library) => {
    const guard = await payGuard(QUICK);
    await rejectionOf(guard.wrap(library)("pay", { amount: 100 }));
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("releases nothing whatever its function makes of the abort", async () => {
    const errors = [
      new NotExecuted("nothing was done"),
      Object.assign(new Error("refused"), { status: 400 }),
      Object.assign(new Error("refused"), { answered: true }),
      Object.assign(new Error("refused"), { sent: false }),
      Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
    ];
    for (const error of errors) {
      const guard = await payGuard(QUICK);
      const call: ProxyCall = (_tool, _args, options) =>
        new Promise((_, reject) => signalOf(options).addEventListener("abort", () => reject(error)));
      expect(await rejectionOf(guard.wrap(call, { followsRedirects: false })("pay", { amount: 1 }))).toBe(error);
      expect(fateOf(guard)).toBe("indeterminate");
    }
  });

  it("is committed when its answer came all the same", async () => {
    const guard = await payGuard(QUICK);
    const call: ProxyCall = (_tool, _args, options) =>
      new Promise((resolve) => signalOf(options).addEventListener("abort", () => resolve({ paid: true })));
    expect(await guard.wrap(call)("pay", { amount: 1 })).toEqual({ paid: true });
    expect(fateOf(guard)).toBe("committed");
  });
});

describe("codes of clients that are no answers of the tool", () => {
  it.each(["08006", "40001", "P2024", "ThrottlingException", "PROTOCOL_CONNECTION_LOST", "ABORT_ERR", "unavailable"])(
    "%s leaves a payment open",
    async (code) => {
      const guard = await payGuard(SLOW);
      const error = Object.assign(new Error("failed"), { code });
      expect(await rejectionOf(guard.wrap(async () => Promise.reject(error))("pay", { amount: 1 }))).toBe(error);
      expect(fateOf(guard)).toBe("indeterminate");
    },
  );

  it("are known to the contract by name, also those of the network", async () => {
    const guard = await payGuard("allowed_errors: [{ code: EPIPE, outcome: not_executed }]");
    const error = Object.assign(new Error("failed"), { code: "EPIPE" });
    await rejectionOf(guard.wrap(async () => Promise.reject(error))("pay", { amount: 1 }));
    expect(fateOf(guard)).toBe("released");
  });
});

const REASONS: readonly (readonly [string, unknown])[] = [
  ["a code", { code: "insufficient_funds" }],
  ["a status", { status: 400 }],
  ["that it was not sent", { sent: false }],
  ["that the tool refused", { answered: true }],
  ["that nothing was executed", new NotExecuted("called off")],
  ["a refused connection", Object.assign(new Error("x"), { code: "ECONNREFUSED", syscall: "connect" })],
  ["a text", "enough"],
  ["nothing", undefined],
];

describe("a caller who aborts", () => {
  it.each(REASONS)("with a reason that says %s proves nothing", async (_, reason) => {
    const { port, paid } = await silentServer();
    const guard = await payGuard(SLOW);
    const caller = new AbortController();
    const call = guard.wrap(httpCall(port), { followsRedirects: false });
    const pending = rejectionOf(call("pay", { amount: 100 }, { signal: caller.signal }));
    while (paid.length === 0) await delay(5);
    caller.abort(reason);
    await pending;
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it.each(REASONS)("proves nothing where the function throws the reason itself: %s", async (_, reason) => {
    const guard = await payGuard(SLOW);
    const caller = new AbortController();
    const call: ProxyCall = async (_tool, _args, options) => {
      caller.abort(reason);
      signalOf(options).throwIfAborted();
    };
    const thrown = await rejectionOf(guard.wrap(call)("pay", { amount: 1 }, { signal: caller.signal }));
    expect(thrown).toBe(caller.signal.reason);
    expect(fateOf(guard)).toBe("indeterminate");
  });
});

describe("a connection that was refused", () => {
  async function redirecting(): Promise<string> {
    const dead = await deadPort();
    const server = createServer((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${dead}/` }).end();
    });
    return `http://127.0.0.1:${await portOf(server)}/`;
  }

  const fetching =
    (url: string, redirect: "follow" | "manual"): ProxyCall =>
    async (_tool, args) => {
      const response = await fetch(url, { method: "POST", body: JSON.stringify(args), redirect });
      throw Object.assign(new Error("answered"), { status: response.status });
    };

  it("after a redirect leaves a payment open: the first host may have acted", async () => {
    const guard = await payGuard(SLOW);
    const error = await rejectionOf(guard.wrap(fetching(await redirecting(), "follow"))("pay", { amount: 1 }));
    expect(error).toMatchObject({ cause: { code: "ECONNREFUSED" } });
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it("releases a payment where no redirect is followed", async () => {
    const guard = await payGuard(SLOW);
    const call = guard.wrap(httpCall(await deadPort()), { followsRedirects: false });
    expect(await rejectionOf(call("pay", { amount: 1 }))).toMatchObject({ code: "ECONNREFUSED", syscall: "connect" });
    expect(fateOf(guard)).toBe("released");
  });

  it("releases a payment where every address of the host was refused", async () => {
    const guard = await payGuard(SLOW);
    const port = await deadPort();
    // Both addresses of the machine, one after the other.
    const call = guard.wrap(fetching(`http://localhost:${port}/`, "manual"), { followsRedirects: false });
    await rejectionOf(call("pay", { amount: 1 }));
    expect(fateOf(guard)).toBe("released");
  });

  it("releases a payment to a host that does not exist", async () => {
    const guard = await payGuard(SLOW);
    const call = guard.wrap(fetching("http://nowhere.invalid/", "manual"), { followsRedirects: false });
    await rejectionOf(call("pay", { amount: 1 }));
    expect(fateOf(guard)).toBe("released");
  });

  const refused = { code: "ECONNREFUSED", syscall: "connect" };
  const of = (facts: object, cause?: unknown) => Object.assign(new Error("x", { cause }), facts);
  const all = (...errors: readonly unknown[]) => Object.assign(new AggregateError(errors, "x"), refused);
  const endless = Object.assign([of(refused)], {
    *[Symbol.iterator]() {
      for (;;) yield of(refused);
    },
  });

  const ERRORS: readonly (readonly [string, unknown, string])[] = [
    ["refused", of(refused), "released"],
    ["refused, in its cause", new TypeError("fetch failed", { cause: of(refused) }), "released"],
    ["not found", of({ code: "ENOTFOUND", syscall: "getaddrinfo" }), "released"],
    ["not found for now", of({ code: "EAI_AGAIN", syscall: "getaddrinfo" }), "released"],
    ["unreachable", of({ code: "EHOSTUNREACH", syscall: "connect" }), "released"],
    ["of an unreachable network", of({ code: "ENETUNREACH", syscall: "connect" }), "released"],
    ["that timed out while it was made", of({ code: "ETIMEDOUT", syscall: "connect" }), "released"],
    ["that undici gave up making", of({ code: "UND_ERR_CONNECT_TIMEOUT" }), "released"],
    ["refused at every address", all(of(refused), of({ ...refused, code: "EHOSTUNREACH" })), "released"],
    ["refused at every address, in its cause", new TypeError("x", { cause: all(of(refused)) }), "released"],
    ["that became unreachable while it was used", of({ code: "EHOSTUNREACH", syscall: "read" }), "indeterminate"],
    ["unreachable nobody knows when", of({ code: "ENETUNREACH" }), "indeterminate"],
    ["that timed out nobody knows when", of({ code: "ETIMEDOUT" }), "indeterminate"],
    ["that was reset", of({ code: "ECONNRESET", syscall: "connect" }), "indeterminate"],
    ["of which one address answered", all(of(refused), of({ code: "ECONNRESET" })), "indeterminate"],
    ["with another code on top", of({ code: "MY_CLIENT" }, of(refused)), "indeterminate"],
    ["with another code over a list", Object.assign(all(of(refused)), { code: "MY_CLIENT" }), "indeterminate"],
    ["that says itself that it was sent", of({ ...refused, sent: true }), "indeterminate"],
    ["refused without end", all(endless), "indeterminate"],
  ];
  it.each(ERRORS)("or any that was never made, and nothing else: %s", async (_, error, fate) => {
    const guard = await payGuard(SLOW);
    const call = guard.wrap(async () => Promise.reject(error), { followsRedirects: false });
    expect(await rejectionOf(call("pay", { amount: 1 }))).toBe(error);
    expect(fateOf(guard)).toBe(fate);
  });

  it("does not stall on errors that lead in a circle, or have an endless list of others", async () => {
    const circle = of({});
    circle.cause = circle;
    for (const error of [circle, Object.assign(new Error("x"), { errors: endless })]) {
      const guard = await payGuard(SLOW);
      await rejectionOf(
        guard.wrap(async () => Promise.reject(error), { followsRedirects: false })("pay", { amount: 1 }),
      );
      expect(fateOf(guard)).toMatch(/released|indeterminate/);
    }
  });
});

describe("an error that is a trap", () => {
  const traps: readonly (readonly [string, () => unknown])[] = [
    ["a revoked proxy", revokedProxy],
    ["properties that throw", trappedError],
    [
      "a getter that throws",
      () =>
        Object.defineProperty(new Error("x"), "status", {
          get: () => {
            throw new Error("a trap");
          },
        }),
    ],
    ["headers that throw", () => Object.assign(new Error("x"), { status: 429, headers: revokedProxy() })],
    ["nothing", () => undefined],
    ["a symbol", () => Symbol("x")],
    ["a function", () => () => 1],
  ];
  it.each(traps)("is settled all the same: %s", async (what, trap) => {
    const guard = await payGuard("retries: { max_attempts: 2, retry_on: ['429'] }\ntimeouts: { total_ms: 20000 }");
    const error = trap();
    const attempts: unknown[] = [];
    const call = guard.wrap(async (_tool, args) => {
      attempts.push(args);
      throw error;
    });
    const settled = await call("pay", { amount: 1 }).then(
      () => "resolved",
      (cause: unknown) => (Object.is(cause, error) ? "the error itself" : "another error"),
    );
    expect(settled).toBe("the error itself");
    expect(fateOf(guard)).toBe(what === "headers that throw" ? "released" : "indeterminate");
  });
});
