import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import { migrateSession } from "../../src/sessions/migration/migrate-session.js";
import { callIdOf, memory, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";

const HEAD = '#== session.yaml (with the required fields)\nschema_version: "1.1"\n';
const GET = `#== get.yaml (with the required fields)
binds:
  - { name: booking, source: output, path: $, key: $.id }
  - { name: seen, path: $.id, collect: union }
`;
const CANCEL = "#== cancel.yaml (with the required fields)\nunbinds: [{ name: booking, key: $.id }]\n";
const PACK = HEAD + GET + CANCEL;

async function get(guard: Guard, id: string): Promise<void> {
  const callId = callIdOf(await guard.propose({ tool: "get", args: { id } }));
  await guard.settle(callId, { kind: "result", output: { id } });
}

async function begun(prepare: (guard: Guard) => Promise<unknown>) {
  const store = await memory();
  const guard = await createGuard(artifactOf(PACK), { env: {}, sessionId: SESSION, store });
  await prepare(guard);
  return { store, guard };
}

async function twice(guard: Guard): Promise<void> {
  await get(guard, "a");
  await get(guard, "b");
}

describe("a session with keyed slots and unions", () => {
  it("is read again as it was, with open calls", async () => {
    const { store, guard } = await begun(async (first) => {
      await twice(first);
      await first.propose({ tool: "cancel", args: { id: "a" } });
    });
    const again = await createGuard(artifactOf(PACK), { env: {}, sessionId: SESSION, store });
    expect(again.state()).toEqual(guard.state());
    await again.settle("call_3", { kind: "result", output: {} });
    expect(again.state().bindings).toEqual({ booking: [{ key: "b", value: { id: "b" } }], seen: ["a", "b"] });
  });

  it("goes on under another artifact whose tools bind and unbind alike", async () => {
    const { store, guard } = await begun(twice);
    const next = artifactOf(
      `${HEAD}slot_limits: { booking: 2 }\n${GET}${CANCEL}#== more.yaml (with the required fields)\n`,
    );
    expect(await migrateSession(store, SESSION, next)).toEqual({ ok: true });
    const moved = await createGuard(next, { env: {}, sessionId: SESSION, store });
    expect(moved.state()).toEqual(guard.state());
    await get(moved, "c");
    expect(moved.state().bindings.booking).toEqual(["b", "c"].map((id) => ({ key: id, value: { id } })));
  });

  it.each([
    [
      "has other keys",
      PACK.replace("key: $.id }\n  -", "key: { source: arguments, path: $.id } }\n  -"),
      "the slot `booking` is bound or unbound by other tools, sources, keys or paths than before",
    ],
    [
      "is unbound by no call any more",
      HEAD + GET,
      "the slot `booking` is bound or unbound by other tools, sources, keys or paths than before",
    ],
    [
      "is new",
      `${PACK}binds: [{ name: gone, path: $.id, collect: union }]\n`,
      "the slot `gone` is new, and does not have what the calls made so far bind there",
    ],
    [
      "is too small",
      PACK.replace("#== get", "slot_limits: { seen: 1 }\n#== get"),
      "the slot `seen` has 2 values, and may have 1",
    ],
  ])("stays where a slot %s", async (_, text, reason) => {
    expect(text).not.toBe(PACK);
    const { store } = await begun(twice);
    expect(await migrateSession(store, SESSION, artifactOf(text))).toEqual({ ok: false, reasons: [reason] });
  });

  it("goes on under any artifact before its first call", async () => {
    const { store } = await begun(async () => {});
    expect(await migrateSession(store, SESSION, artifactOf(HEAD + CANCEL + GET.replace("$.id }", "$.key }")))).toEqual({
      ok: true,
    });
  });
});

const PAY = "#== pay.yaml (with the required fields)\nside_effect: financial\n";
const BOUND = "binds: [{ name: paid, path: $.amount }]\n";
const ONCE = '{ that: "!has(slots.paid)", reason: Only one payment }';

describe("a session whose next pack asks whether a slot has a value", () => {
  async function moved(from: string, to: string) {
    const store = await memory();
    const guard = await createGuard(artifactOf(HEAD + from), { env: {}, sessionId: SESSION, store });
    const callId = callIdOf(await guard.propose({ tool: "pay", args: { amount: 5 } }));
    await guard.settle(callId, { kind: "error", sent: false });
    const paid = callIdOf(await guard.propose({ tool: "pay", args: { amount: 5 } }));
    await guard.settle(paid, { kind: "result", output: {} });
    return migrateSession(store, SESSION, artifactOf(HEAD + to));
  }

  const REASON = "a rule asks whether the slot `paid` has a value, and the calls made so far did not bind it";

  it.each([
    ["in a requirement", `requires: [${ONCE}]\n`],
    ["in a guarantee", `ensures: [${ONCE}]\n`],
    ["in a checkpoint", "checkpoint: { when: [{ that: has(slots.paid) }], timeout_seconds: 60 }\n"],
  ])("stays where the calls made so far did not bind it: %s", async (_, rule) => {
    expect(await moved(PAY, `${PAY}${BOUND}${rule}`)).toEqual({ ok: false, reasons: [REASON] });
  });

  it("goes on where they did", async () => {
    expect(await moved(`${PAY}${BOUND}`, `${PAY}${BOUND}requires: [${ONCE}]\n`)).toEqual({ ok: true });
  });
});

describe("a session with an unsettled call and another guarantee on it", () => {
  const guaranteed = (that: string) => `${HEAD}${PAY}ensures: [{ that: "${that}", reason: Not more than asked for }]\n`;

  it.each([
    ["reads what was not stored", `${HEAD}${PAY}`, "!has(args.most) || output.paid <= args.most", false],
    ["reads what was stored", guaranteed("output.paid == args.most"), "output.paid <= args.most", true],
    ["reads the output alone", `${HEAD}${PAY}`, "output.paid <= 5", true],
  ])("is moved only if that does not read what was not stored: %s", async (_, from, that, ok) => {
    const store = await memory();
    const guard = await createGuard(artifactOf(from), { env: {}, sessionId: SESSION, store });
    await guard.propose({ tool: "pay", args: { most: 5 } });
    const reasons = ["the call `call_1` of `pay` is unsettled, and settling it means something else; settle it first"];
    const next = artifactOf(guaranteed(that));
    expect(await migrateSession(store, SESSION, next)).toEqual(ok ? { ok } : { ok, reasons });
  });
});
