import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { GuardOptions } from "../../../src/guard/public.js";
import { memory, pay, paymentGuard, SESSION } from "../../support/durable-guard.js";
import { told } from "../../support/guard-steps.js";

type Keys = "there" | "away" | "silent";

/** Seals with keys that somebody else keeps, who may be away or not answer. Its errors quote what they were given. */
function keyService() {
  const service = { keys: "there" as Keys };
  const used = async (text: string, encoding: [BufferEncoding, BufferEncoding]): Promise<string> => {
    if (service.keys === "away") throw new Error(`no key for ${text}`);
    if (service.keys === "silent") return new Promise(() => undefined);
    return Buffer.from(text, encoding[0]).toString(encoding[1]);
  };
  const seal = (text: string) => used(text, ["utf8", "base64"]);
  const open = (text: string) => used(text, ["base64", "utf8"]);
  const options: GuardOptions = { seal, open, storeTimeoutMs: 50, settleTimeoutMs: 80 };
  return { service, options };
}

async function sealedGuard() {
  const { service, options } = keyService();
  const store = await memory();
  return { service, options, store, guard: await paymentGuard(store, options) };
}

describe.each(["away", "silent"] as const)("a service of keys that is %s", (keys) => {
  it("blocks within the time limit, and the guard goes on when it is back", async () => {
    const { service, guard } = await sealedGuard();
    service.keys = keys;
    expect(told(await guard.propose(pay(1)))).toBe("store_unavailable");
    await expect(guard.addLabel("cold")).rejects.toMatchObject({ reason: "store_unavailable" });
    service.keys = "there";
    expect(told(await guard.propose(pay(1)))).toBe("allow");
  });

  it("does not lose the result of a call, which stays unsettled", async () => {
    const { service, guard } = await sealedGuard();
    const send = guard.wrap(async () => {
      service.keys = keys;
      return { paid: "s3cret" };
    });
    const failure: unknown = await send("pay", pay(1).args).catch((cause: unknown) => cause);
    expect(failure).toMatchObject({ name: "ExecutedButNotRecorded", callId: "call_1", output: { paid: "s3cret" } });
    expect(inspect(failure)).not.toContain("s3cret");
    service.keys = "there";
    expect(await guard.settle("call_1", { kind: "happened" })).toEqual({ accepted: true });
  });

  it("keeps a session from being opened, within the time limit", async () => {
    const { service, options, store } = await sealedGuard();
    service.keys = keys;
    await expect(paymentGuard(store, options)).rejects.toMatchObject({ reason: "store_unavailable" });
  });
});

it.each<[string, Required<Pick<GuardOptions, "seal" | "open">>]>([
  ["of another key", { seal: (text) => `1${text}`, open: (text) => text.slice(2) }],
  ["that opens nothing", { seal: (text) => `1${text}`, open: () => "{}" }],
])("a pair of functions %s is found before anything is recorded", async (_what, pair) => {
  const store = await memory();
  const failure: unknown = await paymentGuard(store, pair).catch((cause: unknown) => cause);
  expect(failure).toMatchObject({
    reason: "store_unavailable",
    message: expect.stringContaining("seal_and_open_differ"),
  });
  expect((await store.load(`session/${SESSION}`)).revision).toBe(0);
});

it("an error about what was opened wrongly does not quote it", async () => {
  const { options, store, guard } = await sealedGuard();
  await guard.propose({ tool: "pay", args: { amount: 1, to: "s3cret" } });
  const open = (text: string) =>
    Buffer.from(text, "base64")
      .toString("utf8")
      .replace(/^.*?(?=s3cret|opened)/su, "");
  const failure: unknown = await paymentGuard(store, { ...options, open }).catch((cause: unknown) => cause);
  expect(failure).toMatchObject({ reason: "store_unavailable" });
  expect(inspect(failure)).not.toMatch(/s3cret|"opened/u);
});
