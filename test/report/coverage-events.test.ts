import { describe, expect, it } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import { createRoleGuard, type RoleOptions } from "../../src/guard/role-guard.js";
import { type Coverage, coverageOf } from "../../src/report/coverage.js";
import { renderPage } from "../../src/report/page/page.js";
import { memoryStore } from "../../src/stores/memory.js";
import { artifactOf } from "../support/guard-artifact.js";
import { bareContent } from "./content.js";

const PACK = `
#== session.yaml (with the required fields)
session_limits:
  circuit_breaker: { consecutive_blocks: 2, consecutive_errors: 3 }
envelopes:
  - name: size
    stages:
      - { tool: plan, path: "$.n", role: ceiling }
      - { tool: look, source: output, path: "$.n", role: constrained }
    constraint: lte_ceiling
    reason: not more than planned
#== plan.yaml (with the required fields)
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: "$.id", type: string }], output_invariants: [{ path: "$.status", one_of: [ok] }] }
#== tell.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 60 }
`;

const WORKFLOW = `
#== workflow.yaml (with the required fields)
roles:
  - { name: first, session_contract: one/session.yaml }
  - { name: second, session_contract: two/session.yaml }
#== one/session.yaml (with the required fields)
session_limits: { circuit_breaker: { consecutive_errors: 1 } }
#== one/look.yaml (with the required fields)
#== two/session.yaml (with the required fields)
session_limits: { circuit_breaker: { consecutive_errors: 1 } }
#== two/look.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: "$.status", one_of: [ok] }] }
#== two/peek.yaml (with the required fields)
`;

/** Records all events of guards of one artifact. */
class Recorder {
  readonly lines: string[] = [];

  constructor(private readonly artifact: Artifact) {}

  async guard(session: string, options: RoleOptions = {}): Promise<Guard> {
    const guard = await createRoleGuard(this.artifact, {
      approver: "manual",
      sessionId: session,
      ...options,
    });
    const origin = options.role === undefined ? { session } : { session, role: options.role };
    for (const event of ["decision", "settled", "killed", "approval_requested"] as const) {
      guard.on(event, (told) => this.lines.push(JSON.stringify({ ...origin, ...told })));
    }
    return guard;
  }

  coverage(): Coverage {
    const result = coverageOf(this.artifact, this.lines.join("\n"));
    if (!result.ok) throw new Error(result.problem);
    return result.coverage;
  }
}

function fired({ packs }: Coverage, pack = 0): Readonly<Record<string, number>> {
  return Object.fromEntries([...(packs[pack]?.rules ?? [])].map(([id, count]) => [id.replace(/@.*:/, "@"), count]));
}

async function answered(guard: Guard, tool: string, args: object, output: unknown): Promise<void> {
  const verdict = await guard.propose({ tool, args });
  if (verdict.kind !== "allow") throw new Error(`${tool} is not allowed`);
  await guard.settle(verdict.callId, { kind: "result", output });
}

async function failed(guard: Guard, tool: string): Promise<void> {
  const verdict = await guard.propose({ tool, args: { n: 1 } });
  if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "error", sent: true, status: 400 });
}

describe("coverage by rules on outputs", () => {
  it("counts the rule that an output broke for the tool of the call", async () => {
    const recorder = new Recorder(artifactOf(PACK));
    const guard = await recorder.guard("one");
    await answered(guard, "plan", { n: 5 }, {});
    await answered(guard, "look", { id: "a" }, { status: "ok", n: 4 });
    await answered(guard, "look", { id: "a" }, { status: "bad", n: 4 });
    await answered(guard, "look", { id: "a" }, { status: "ok", n: 6 });
    expect(fired(recorder.coverage())).toEqual({ "output_invariant@1": 1, "output_stage@7": 1 });
    expect(recorder.coverage()).toMatchObject({ calls: 4, foreign: 0, unexplained: 0 });
    expect(recorder.coverage().packs[0]?.tools.get("look")).toEqual({ allowed: 3, refused: 0 });
  });

  it("does not take an output that is no JSON for the doing of a rule", async () => {
    const recorder = new Recorder(artifactOf(PACK));
    await answered(await recorder.guard("one"), "plan", { n: 5 }, { when: new Date(0) });
    expect(recorder.coverage()).toMatchObject({ unexplained: 0 });
    expect(fired(recorder.coverage())).toEqual({});
  });

  it("says so where the artifact no longer has the rule, or no line tells of which tool the call was", async () => {
    const recorder = new Recorder(artifactOf(PACK));
    await answered(await recorder.guard("one"), "look", { id: "a" }, { status: "bad" });
    const [decision = "", settled = ""] = recorder.lines;
    const moved = settled.replace('"line":1', '"line":99');
    expect(moved).not.toBe(settled);
    for (const lines of [[decision, moved], [settled]]) {
      const result = coverageOf(artifactOf(PACK), lines.join("\n"));
      expect(result).toMatchObject({ ok: true, coverage: { unexplained: 1 } });
    }
  });
});

describe("coverage of calls that are answered more than once", () => {
  it("counts a call once, however often its proposal was repeated under its key", async () => {
    for (const mode of ["enforce", "shadow"] as const) {
      const recorder = new Recorder(artifactOf(PACK));
      const guard = await recorder.guard("one", { mode });
      const call = { tool: mode === "shadow" ? "tell" : "plan", args: { n: 5 }, callKey: "key" };
      for (const isRepeated of [undefined, true, true]) {
        expect(await guard.propose(call)).toMatchObject(isRepeated === true ? { repeated: true } : { kind: "allow" });
      }
      const shadowed = mode === "shadow" ? 1 : 0;
      expect(recorder.coverage()).toMatchObject({ calls: 1, shadowed });
      expect(recorder.coverage().packs[0]?.tools.get(call.tool)).toEqual({ allowed: 1, refused: 0 });
      expect(fired(recorder.coverage())).toEqual(mode === "shadow" ? { "checkpoint@1": 1 } : {});
    }
  });

  it("counts a denied or expired request as a refusal of its tool", async () => {
    let now = 0;
    const recorder = new Recorder(artifactOf(PACK));
    const options = { clock: { now: () => now } };
    const asked = async (guard: Guard): Promise<string> => {
      const verdict = await guard.propose({ tool: "tell", args: {} });
      return verdict.kind === "approval_required" ? verdict.approvalId : "none";
    };
    const denied = await recorder.guard("denied", options);
    expect(await denied.deny(await asked(denied), { by: "ann" })).toMatchObject({ reason: "approval_denied" });
    const approved = await recorder.guard("approved", options);
    expect(await approved.approve(await asked(approved), { by: "ann" })).toMatchObject({ kind: "allow" });
    const expired = await recorder.guard("expired", options);
    const late = await asked(expired);
    now += 61_000;
    expect(await expired.resume(late)).toMatchObject({ reason: "approval_expired" });
    expect(recorder.coverage()).toMatchObject({ calls: 3, unexplained: 0 });
    expect(recorder.coverage().packs[0]?.tools.get("tell")).toEqual({ allowed: 1, refused: 2 });
    expect(fired(recorder.coverage())).toEqual({ "checkpoint@1": 3 });
  });

  it("keeps calls of sessions without a name apart", () => {
    const line = JSON.stringify({ tool: "plan", kind: "allow", callId: "call_1" });
    const result = coverageOf(artifactOf(PACK), [line, line].join("\n"));
    expect(result).toMatchObject({ ok: true, coverage: { calls: 2 } });
  });
});

describe("coverage of roles", () => {
  it("keeps the calls of two roles apart, also where they tell one session", async () => {
    const recorder = new Recorder(artifactOf(WORKFLOW));
    const [first, second] = [
      await recorder.guard("run", { role: "first" }),
      await recorder.guard("run", { role: "second" }),
    ];
    await answered(first, "look", {}, { status: "bad" });
    await answered(second, "look", {}, { status: "bad" });
    await failed(first, "look");
    expect([1, 2].map((pack) => fired(recorder.coverage(), pack))).toEqual([
      { circuit_breaker: 1 },
      { "output_invariant@1": 1, circuit_breaker: 1 },
    ]);
    expect(recorder.coverage()).toMatchObject({ sessions: 1, unexplained: 0 });
  });
});

describe("coverage by circuit breakers", () => {
  it("counts each breaker for the sessions that it ended, and none for a kill by hand", async () => {
    const recorder = new Recorder(artifactOf(PACK));
    const blocked = await recorder.guard("blocked");
    for (let time = 0; time < 2; time++) await blocked.propose({ tool: "look", args: {} });
    for (const session of ["failing", "failing too"]) {
      const guard = await recorder.guard(session);
      for (let time = 0; time < 3; time++) await failed(guard, "plan");
    }
    await (await recorder.guard("stopped")).kill("3 errors in a row");
    expect(fired(recorder.coverage())).toEqual({ "input_invariant@1": 2, circuit_breaker: 1, "circuit_breaker#2": 2 });
    const page = renderPage({ ...bareContent(artifactOf(PACK)), coverage: recorder.coverage() });
    expect(page).toContain("ended 2 sessions");
  });

  it("counts a session once, however many guards tell of its end", async () => {
    const recorder = new Recorder(artifactOf(PACK));
    const store = memoryStore();
    const guard = await recorder.guard("kept", { store });
    for (let time = 0; time < 3; time++) await failed(guard, "plan");
    await (await recorder.guard("kept", { store })).propose({ tool: "plan", args: { n: 1 } });
    expect(recorder.lines.filter((line) => line.includes('"cause"'))).toHaveLength(2);
    expect(fired(recorder.coverage())).toEqual({ "circuit_breaker#2": 1 });
  });

  it("counts in the pack of the role", async () => {
    const recorder = new Recorder(artifactOf(WORKFLOW));
    await failed(await recorder.guard("a", { role: "second" }), "look");
    const killed = recorder.lines.filter((line) => line.includes('"cause"'));
    const result = coverageOf(artifactOf(WORKFLOW), killed.join("\n"));
    if (!result.ok) throw new Error(result.problem);
    expect(result.coverage.packs.map(({ rules }) => [...rules])).toEqual([[], [], [["circuit_breaker", 1]]]);
  });

  it("counts in the pack whose tool the session called last where the role was left out", async () => {
    const artifact = artifactOf(WORKFLOW);
    const recorder = new Recorder(artifact);
    await failed(await recorder.guard("a", { role: "second" }), "peek");
    const lines = recorder.lines.map((line) => line.replace(',"role":"second"', ""));
    const result = coverageOf(artifact, lines.join("\n"));
    if (!result.ok) throw new Error(result.problem);
    expect(result.coverage.packs.map(({ rules }) => [...rules])).toEqual([[], [], [["circuit_breaker", 1]]]);
  });

  it("says so where the artifact no longer has the breaker", () => {
    const result = coverageOf(artifactOf(WORKFLOW), '{"why":"x","cause":"consecutive_blocks","role":"first"}');
    expect(result).toMatchObject({ ok: true, coverage: { unexplained: 1 } });
  });
});

describe("coverage in shadow mode", () => {
  it("counts the rule that would have refused or asked, and the call as allowed", async () => {
    const recorder = new Recorder(artifactOf(PACK));
    const guard = await recorder.guard("one", { mode: "shadow" });
    await guard.propose({ tool: "look", args: { id: 3 } });
    await guard.propose({ tool: "look", args: { id: "a" } });
    await guard.propose({ tool: "tell", args: {} });
    await guard.propose({ tool: "unheard_of", args: {} });
    const coverage = recorder.coverage();
    expect(fired(coverage)).toEqual({ "input_invariant@1": 1, "checkpoint@1": 1 });
    expect(coverage).toMatchObject({ calls: 4, shadowed: 3, unexplained: 0 });
    expect(Object.fromEntries(coverage.packs[0]?.tools ?? [])).toEqual({
      look: { allowed: 2, refused: 0 },
      tell: { allowed: 1, refused: 0 },
    });
    const page = renderPage({ ...bareContent(artifactOf(PACK)), coverage });
    expect(page).toContain("Let through in shadow mode, though enforcing would have stopped them: 3 calls.");
  });

  it("counts the checkpoint that would have denied for want of an approver", async () => {
    const artifact = artifactOf(PACK);
    const guard = await createGuard(artifact, { mode: "shadow" });
    const lines: string[] = [];
    guard.on("decision", (told) => lines.push(JSON.stringify(told)));
    await guard.propose({ tool: "tell", args: {} });
    const result = coverageOf(artifact, lines.join("\n"));
    if (!result.ok) throw new Error(result.problem);
    expect(fired(result.coverage)).toEqual({ "checkpoint@1": 1 });
  });
});

describe("a verdict that is given again", () => {
  it("is no further call", async () => {
    const recorder = new Recorder(artifactOf(PACK));
    const guard = await recorder.guard("one");
    const calls = [1, 2].map(() => guard.propose({ tool: "look", args: { id: "1" }, callKey: "a" }));
    expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(["allow", "allow"]);
    const coverage = recorder.coverage();
    expect(coverage).toMatchObject({ calls: 1, foreign: 0, unexplained: 0 });
    expect(coverage.packs[0]?.tools.get("look")).toEqual({ allowed: 1, refused: 0 });
  });
});

describe("a recording of before events named these rules", () => {
  it("is read as it was: nothing is credited, nothing foreign, nothing unexplained", () => {
    const lines = [
      { session: "one", tool: "look", kind: "allow", callId: "call_1", would: "input_invariant_failed" },
      { session: "one", callId: "call_1", accepted: true, ending: "violated" },
      { session: "one", callId: "call_1", accepted: false, reason: "already_settled" },
      { session: "one", why: "2 blocks in a row" },
    ];
    const result = coverageOf(artifactOf(PACK), lines.map((line) => JSON.stringify(line)).join("\n"));
    if (!result.ok) throw new Error(result.problem);
    expect(result.coverage).toMatchObject({ calls: 1, sessions: 1, foreign: 0, unexplained: 0 });
    expect(fired(result.coverage)).toEqual({});
    expect(result.coverage.packs[0]?.tools.get("look")).toEqual({ allowed: 1, refused: 0 });
  });
});
