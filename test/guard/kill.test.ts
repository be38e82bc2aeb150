import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createGuard, StoreUnavailable } from "../../src/guard/entry.js";
import { FaultyStore, foreign, later, silence } from "../support/faulty-store.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

const SESSION = "s";
const PACK = `
#== session.yaml (with the required fields)
policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Hot }] }
#== pay.yaml (with the required fields)
side_effect: financial
`;
const PAY = { tool: "pay", args: {} };
const ODD = ["null", "0", "false", '""', "[]", '{ "a": 1 }', "7"];

describe("kill", () => {
  it.each(ODD)("kills whatever it is given: %s", async (given) => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    const heard: unknown[] = [];
    guard.on("killed", (event) => heard.push(event));
    await guard.kill(foreign(given));
    const why = given === '""' ? "" : "no reason given";
    expect(heard).toEqual([{ why, cause: "kill" }]);
    expect(guard.state().killed).toBe(true);
    expect(await guard.propose(PAY)).toMatchObject({ reason: "session_killed", found: why });
    expect(told(await guard.beginStep())).toBe("session_killed");
    expect(guard.visibleTools().visible).toEqual([]);
  });

  it.each(["shadow", "log-only"] as const)("kills without a reason in %s mode too", async (mode) => {
    const guard = await createGuard(artifactOf(PACK), { env: {}, mode });
    await guard.kill(foreign("null"));
    expect(told(await guard.propose(PAY))).toBe("session_killed");
  });

  it("without a reason is known to a guard that takes the session over", async () => {
    const store = new FaultyStore();
    const guard = await createGuard(artifactOf(PACK), { sessionId: SESSION, store, env: {} });
    await guard.kill(foreign("null"));
    expect(store.sound.log(SESSION)).toEqual([{ kind: "killed", why: "no reason given" }]);
    const next = await createGuard(artifactOf(PACK), { sessionId: SESSION, store, env: {} });
    expect(told(await next.propose(PAY))).toBe("session_killed");
  });
});

describe("kill while the store is away", () => {
  async function away() {
    const store = new FaultyStore();
    const options = { sessionId: SESSION, store, env: {}, storeTimeoutMs: 30 };
    const guard = await createGuard(artifactOf(PACK), options);
    store.faults = { append: silence, load: silence };
    return { store, guard };
  }

  it("acts at once, before anything is awaited", async () => {
    const { guard } = await away();
    const killed = guard.kill("stop");
    expect(guard.state().killed).toBe(true);
    expect(guard.explain(PAY).map(told)).toContain("session_killed");
    await expect(killed).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it("blocks whatever comes later, without waiting for the store", async () => {
    const store = new FaultyStore();
    const options = { sessionId: SESSION, store, env: {}, storeTimeoutMs: 3_600_000 };
    const guard = await createGuard(artifactOf(PACK), options);
    store.faults = { append: silence, load: silence };
    void guard.propose(PAY);
    void guard.kill("stop");
    const later = [guard.propose(PAY), guard.propose({ tool: "other", args: {} }), guard.beginStep()];
    expect((await Promise.all(later)).map(told)).toEqual(["session_killed", "session_killed", "session_killed"]);
  });

  it("is heard of at once", async () => {
    const { guard } = await away();
    const heard: unknown[] = [];
    guard.on("killed", (event) => heard.push(event));
    const killed = guard.kill("stop");
    expect(heard).toEqual([{ why: "stop", cause: "kill" }]);
    await expect(killed).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it("stops a proposal that waits for its turn", async () => {
    const { store, guard } = await away();
    const stuck = guard.propose(PAY);
    const waiting = guard.propose(PAY);
    const killed = guard.kill("stop").catch((cause: unknown) => cause);
    store.faults = {};
    await Promise.all([stuck, killed]);
    expect(told(await waiting)).toBe("session_killed");
    expect(told(await guard.propose(PAY))).toBe("session_killed");
  });

  it("is recorded once the store answers, without anybody asking", async () => {
    const { store, guard } = await away();
    await expect(guard.kill("stop")).rejects.toBeInstanceOf(StoreUnavailable);
    store.faults = {};
    await expect.poll(() => store.sound.log(SESSION), { timeout: 10_000 }).toEqual([{ kind: "killed", why: "stop" }]);
  });

  it("is recorded by whatever reaches the store first", async () => {
    const { store, guard } = await away();
    store.faults = {};
    const { callId } = await guard.propose(PAY).then((verdict) => ({ callId: "call_1", verdict }));
    store.faults = { append: silence, load: silence };
    await expect(guard.kill("stop")).rejects.toBeInstanceOf(StoreUnavailable);
    store.faults = {};
    expect(await guard.settle(callId, { kind: "result", output: {} })).toEqual({ accepted: true });
    const kinds = store.sound.log(SESSION).map(({ kind }) => kind);
    expect(kinds).toContain("killed");
    expect(kinds.at(-1)).toBe("settled");
  });

  it("does not keep the process alive", () => {
    const script = `
      import { createGuard, compilePack } from "./dist/bundle/index.js";
      const { artifact } = await compilePack("contracts/minimal");
      const never = () => new Promise(() => {});
      let isAway = false;
      const store = {
        load: async () => (isAway ? never() : { revision: 0, events: [] }),
        append: never,
      };
      const guard = await createGuard(artifact, { store, storeTimeoutMs: 20 });
      isAway = true;
      await guard.kill("stop").catch((error) => console.log(error.name));
    `;
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 20_000 });
    expect([child.status, child.stdout.toString().trim()]).toEqual([0, "StoreUnavailable"]);
  });
});

describe("kill while an allow is on its way", () => {
  const options = { sessionId: SESSION, env: {}, approver: "manual" } as const;
  const ASKING = `${PACK}#== ask.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 30 }
`;

  it.each(["propose", "approve"] as const)("takes it back when %s is being recorded", async (how) => {
    const store = new FaultyStore();
    const guard = await createGuard(artifactOf(ASKING), { ...options, store });
    if (how === "approve") await guard.propose({ tool: "ask", args: {} });
    const open = later<void>();
    store.faults = {
      append: async (real) => {
        await open.promise;
        return real();
      },
    };
    const asking = how === "approve" ? guard.approve("approval_1", { by: "ann" }) : guard.propose(PAY);
    await new Promise(setImmediate);
    const killed = guard.kill("stop");
    open.finish();
    expect(told(await asking)).toBe("session_killed");
    await killed;
    await expect.poll(() => guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
    expect(told(await guard.resume("approval_1"))).not.toBe("allow");
  });

  it("is not held up by the store", async () => {
    const store = new FaultyStore();
    const guard = await createGuard(artifactOf(PACK), { ...options, store });
    const heard: unknown[] = [];
    guard.on("decision", ({ kind }) => {
      heard.push(kind);
      store.faults = { append: silence, load: silence };
      guard.kill("stop").catch(() => undefined);
    });
    expect(told(await guard.propose(PAY))).toBe("session_killed");
    expect(heard).toEqual(["allow", "block"]);
    expect(guard.state().toolCalls).toBe(1);
    store.faults = {};
    await expect.poll(() => guard.state().toolCalls, { timeout: 20_000 }).toBe(0);
  }, 30_000);

  it.each(["enforce", "shadow", "log-only"] as const)("takes it back before its caller goes on: %s", async (mode) => {
    const guard = await createGuard(artifactOf(PACK), { ...options, mode });
    const proposing = guard.propose(PAY);
    await guard.kill("stop");
    expect(told(await proposing)).toBe("session_killed");
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("by a listener takes it back at once where the session is kept in memory, in the guard", async () => {
    const guard = await createGuard(artifactOf(PACK), options);
    guard.on("decision", () => void guard.kill("stop"));
    expect(told(await guard.propose(PAY))).toBe("session_killed");
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it.each([
    ["manual", 0],
    ["a function", 0],
    ["manual", 1],
    ["a function", 1],
    ["a function", 6],
  ])("by a listener to answers takes it back too: %s, after %i awaits", async (approver, awaits) => {
    const approve = async () => ({ decision: "approve", by: "ann" }) as const;
    const asked = approver === "manual" ? ({ approver } as const) : { approver: approve };
    const pack = `${PACK}checkpoint: { when: always, timeout_seconds: 30 }`;
    const guard = await createGuard(artifactOf(pack), { env: {}, ...asked });
    guard.on("approval_answered", async () => {
      for (let i = 0; i < awaits; i++) await undefined;
      await guard.kill("stop");
    });
    const proposed = await guard.propose(PAY);
    const verdict = approver === "manual" ? await guard.approve("approval_1", { by: "ann" }) : proposed;
    expect(told(verdict)).toBe("session_killed");
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });
});

describe("addLabel", () => {
  it.each([...ODD.filter((given) => given !== '"hot"'), '["hot"]'])("takes a text only: %s", async (given) => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    await expect(guard.addLabel(foreign(given))).rejects.toThrow(TypeError);
    expect(guard.state().labels).toEqual([]);
  });

  it("gates what its label gates", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    await guard.addLabel("hot");
    expect(told(await guard.propose(PAY))).toBe("label_gated");
  });
});

describe("recordCost", () => {
  it.each(["-1", '"1"', "null", "[1]"])("takes a number that is not negative: %s", async (given) => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    await expect(guard.recordCost(foreign(given))).rejects.toThrow(TypeError);
    expect(guard.state().cost).toBe(0);
  });
});
