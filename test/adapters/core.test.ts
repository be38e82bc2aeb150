import { describe, expect, it } from "vitest";
import { callsOf } from "../../src/adapters/core/agent-calls.js";
import { asSent } from "../../src/adapters/core/as-sent.js";
import { type Gate, judgeCalls } from "../../src/adapters/core/gate.js";
import { refusalText, textOf } from "../../src/adapters/core/refusal.js";
import { type CallEnd, runCall } from "../../src/adapters/core/run-call.js";
import { costOf } from "../../src/adapters/core/usage-cost.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import { artifactOf } from "../support/guard-artifact.js";
import { BUDGET, PAY, plainContract } from "./agent-pack.js";

const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
${BUDGET}
${PAY}${plainContract("look", "side_effect: read")}`;

const opened = () => createGuard(artifactOf(PACK), { env: {}, approver: "manual" });
const pay = (id: string, n: number) => ({ id, tool: "pay", args: { n } });
const look = (id: string) => ({ id, tool: "look", args: {} });

async function judged(guard: Guard, gate: Gate, ...calls: readonly ReturnType<typeof pay | typeof look>[]) {
  const all = await judgeCalls(guard, calls, gate);
  callsOf(guard).add(all);
  return all.map(({ call, fate }) => `${call.id} ${fate.kind}`);
}

async function run(guard: Guard, call: ReturnType<typeof pay | typeof look>, output: unknown = { ok: true }) {
  let sent = 0;
  const end: CallEnd = await runCall(guard, call, () => {
    sent += 1;
    return output;
  });
  return { kind: end.kind, sent };
}

describe("the gate of a reply", () => {
  it.each([
    ["reject_all", ["a skipped", "b refused", "c skipped"], 0],
    ["strip_partial", ["a reserved", "b refused", "c skipped"], 10],
    ["strip_blocked", ["a reserved", "b refused", "c reserved"], 30],
  ] as const)("%s decides what becomes of the calls beside a refused one", async (gate, fates, paid) => {
    const guard = await opened();
    expect(await judged(guard, gate, pay("a", 10), pay("b", 70), pay("c", 20))).toEqual(fates);
    expect(guard.state().aggregates).toEqual({ paid });
  });

  it("judges each call against what those before it reserve", async () => {
    const guard = await opened();
    const calls = ["a", "b", "c"].map((id) => pay(id, 40));
    expect(await judged(guard, "strip_blocked", ...calls)).toEqual(["a reserved", "b reserved", "c refused"]);
  });

  it("leaves what comes after an approval until it is executed", async () => {
    const guard = await opened();
    const fates = await judged(guard, "reject_all", pay("a", 10), pay("b", 55), pay("c", 70));
    expect(fates).toEqual(["a reserved", "b waiting", "c deferred"]);
  });

  it("keeps nothing reserved for a reply with a call that cannot be proposed", async () => {
    const guard = await opened();
    await expect(judgeCalls(guard, [pay("a", 10), pay("", 20)], "strip_blocked")).rejects.toThrow("callKey");
    expect(guard.state()).toMatchObject({ aggregates: { paid: 0 }, unsettled: [] });
  });

  it("takes an id that stands twice for one call", async () => {
    const guard = await opened();
    expect(await judged(guard, "reject_all", pay("a", 10), pay("a", 10))).toEqual(["a reserved", "a repeated"]);
    expect(await run(guard, pay("a", 10))).toEqual({ kind: "output", sent: 1 });
    expect(await run(guard, pay("a", 10))).toEqual({ kind: "refused", sent: 0 });
    expect(guard.state().aggregates).toEqual({ paid: 10 });
  });
});

describe("a call that is executed", () => {
  it("runs under its reservation, once, and is settled", async () => {
    const guard = await opened();
    await judged(guard, "reject_all", pay("a", 10));
    expect(await run(guard, pay("a", 10))).toEqual({ kind: "output", sent: 1 });
    expect(await run(guard, pay("a", 10))).toEqual({ kind: "refused", sent: 0 });
    expect(guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
  });

  it.each([
    ["was refused", "strip_blocked", pay("b", 70), "refused"],
    ["was skipped", "reject_all", pay("a", 10), "skipped"],
    ["has other arguments than the one that was judged", "strip_blocked", pay("a", 11), "refused"],
    ["was never judged and is refused now", "strip_blocked", pay("z", 99), "refused"],
  ] as const)("is not sent where it %s", async (_, gate, call, kind) => {
    const guard = await opened();
    await judged(guard, gate, pay("a", 10), pay("b", 70));
    expect(await run(guard, call)).toEqual({ kind, sent: 0 });
  });

  it.each([10, 55])(
    "leaves nothing behind where other arguments than the %d that were judged are executed",
    async (n) => {
      const guard = await opened();
      await judged(guard, "reject_all", pay("a", n));
      expect(await run(guard, pay("a", 11))).toEqual({ kind: "refused", sent: 0 });
      expect(guard.state()).toMatchObject({ aggregates: { paid: 0 }, unsettled: [] });
      // Nor a request that pauses the session.
      expect(await guard.propose({ tool: "look", args: {} })).toMatchObject({ kind: "allow" });
    },
  );

  it("runs while another call of its reply waits for an approval", async () => {
    const guard = await opened();
    await judged(guard, "reject_all", pay("a", 10), pay("b", 55));
    expect(await run(guard, pay("a", 10))).toEqual({ kind: "output", sent: 1 });
    expect(guard.state()).toMatchObject({ aggregates: { paid: 10 }, unsettled: [] });
  });

  it("is found by its arguments where the framework says no id", async () => {
    const guard = await opened();
    await judged(guard, "reject_all", pay("a", 10), pay("b", 10));
    const { id: _, ...call } = pay("", 10);
    const ends = [1, 2, 3].map(() => runCall(guard, call, () => ({ ok: true })));
    expect((await Promise.all(ends)).map(({ kind }) => kind)).toEqual(["output", "output", "output"]);
    expect(guard.state()).toMatchObject({ toolCalls: 3, aggregates: { paid: 30 } });
  });

  it("waits for its approval", async () => {
    const guard = await opened();
    await judged(guard, "reject_all", pay("a", 55));
    const running = run(guard, pay("a", 55));
    expect(await guard.approve("approval_1", { by: "ann" })).toMatchObject({ kind: "allow", repeated: true });
    expect(await running).toEqual({ kind: "output", sent: 1 });
  });

  it("is sent once where its approval came before it was executed", async () => {
    const guard = await opened();
    await judged(guard, "reject_all", pay("a", 55));
    expect(await guard.approve("approval_1", { by: "ann" })).toMatchObject({ kind: "allow", repeated: true });
    expect(await run(guard, pay("a", 55))).toEqual({ kind: "output", sent: 1 });
    expect(await run(guard, pay("a", 55))).toEqual({ kind: "refused", sent: 0 });
    expect(guard.state()).toMatchObject({ aggregates: { paid: 55 }, unsettled: [] });
  });

  it("gives its refusal where its output breaks a rule, and throws the tool's own error", async () => {
    const guard = await opened();
    expect(await run(guard, pay("a", 1), { ok: false })).toEqual({ kind: "refused", sent: 1 });
    const failing = runCall(guard, look("b"), () => Promise.reject(new Error("no such order")));
    await expect(failing).rejects.toThrow("no such order");
  });

  it("is released before the next reply where nobody executed it", async () => {
    const guard = await opened();
    const calls = callsOf(guard);
    calls.execute(["pay"]);
    await judged(guard, "reject_all", pay("a", 10), look("b"));
    await calls.endReply();
    expect(guard.unsettled().map(({ tool }) => tool)).toEqual(["look"]);
  });
});

describe("words and prices", () => {
  it("tell the model what is wrong, and what was refused beside it", () => {
    const verdict = { kind: "block", reason: "aggregate_exceeded", message: "too much", because: "Budget" } as const;
    const text = "refused by contract (aggregate_exceeded): too much; because: Budget";
    expect(textOf({ kind: "refused", verdict })).toBe(text);
    expect(textOf({ kind: "skipped", refused: "pay", verdict })).toContain(`pay: ${text}`);
  });

  it("say once what the policy says, though the hint ends with it", () => {
    const block = { kind: "block", reason: "requirement_failed", message: "too much", because: "Budget" } as const;
    const said = "refused by contract (requirement_failed): too much; because: Budget";
    expect(refusalText({ ...block, hint: "change the arguments: args.x < 1; because: Budget" })).toBe(
      `${said}; hint: change the arguments: args.x < 1`,
    );
    expect(refusalText({ ...block, hint: "Budget" })).toBe(said);
    expect(refusalText({ ...block, hint: "wait" })).toBe(`${said}; hint: wait`);
  });

  it("are those of the longest name that the model's begins with", () => {
    const prices = { m: { input: 1, output: 2 }, "m-large": { input: 10, output: 20, cachedInput: 1 } };
    const usage = { input: 1_000_000, output: 500_000, cachedInput: 1_000_000 };
    expect(costOf(prices, "m-2026", usage)).toBe(3);
    expect(costOf(prices, "m-large-2026", usage)).toBe(21);
    expect(costOf(prices, "other", usage)).toBeNull();
  });
});

describe("a body", () => {
  it("is what JSON makes of it", () => {
    class Text {
      toJSON() {
        return "text";
      }
    }
    const body = { model: "m", top_p: undefined, list: [1, undefined, { a: undefined }], own: new Text(), no: null };
    const odd = { f: () => 1, s: Symbol("s"), list: [() => 1], named: { toJSON: () => "text" } };
    expect(asSent(body)).toEqual(JSON.parse(JSON.stringify(body)));
    expect(asSent(odd)).toEqual(JSON.parse(JSON.stringify(odd)));
    expect(() => asSent({ n: 1n })).toThrow(TypeError);
    expect(Object.keys(Object(asSent(JSON.parse('{ "__proto__": 1 }'))))).toEqual(["__proto__"]);
  });
});
