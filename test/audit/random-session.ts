import type { Artifact } from "../../src/artifact/compiled.js";
import type { GoldenCase } from "../../src/artifact/golden-case.js";
import { isJsonList, type Json, type JsonObject } from "../../src/base/json.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { Guard } from "../../src/guard/guard-api.js";
import { createRoleGuard, type RoleOptions } from "../../src/guard/role-guard.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { artifactOf } from "../support/guard-artifact.js";
import { TestClock } from "../support/guard-clock.js";
import type { Random } from "../support/random.js";

/** A pack to play sessions on. */
export interface PlayedPack {
  readonly name: string;
  readonly artifact: Artifact;
  readonly role: string | null;
  /** Calls in the order of golden cases. */
  readonly plans: readonly (readonly Played[])[];
  readonly outputs: ReadonlyMap<string, Json>;
  readonly labels: readonly string[];
  readonly principal: JsonObject;
}

/** A call that the pack knows, with what its tool may answer. */
interface Played {
  readonly tool: string;
  readonly args: JsonObject;
  readonly output: Json | undefined;
}

function planOf({ tool, args, given }: GoldenCase): readonly Played[] {
  const history = given.history.map(({ tool: name, args: before, output }) => ({ tool: name, args: before, output }));
  return [...history, { tool, args, output: undefined }];
}

/** A pack of contracts/, or the pack of one of its roles. */
export function playedPack(name: string, role: string | null = null): PlayedPack {
  const folder = new URL(`../../contracts/${name}`, import.meta.url).pathname;
  const { artifact, golden } = compileFolder(folder);
  if (artifact === null) throw new Error(`${name} does not compile`);
  const cases = golden.flat();
  const known = cases.flatMap(({ given }) =>
    given.history.map(({ tool, output }): [string, Json] => [tool, output ?? {}]),
  );
  const principal = cases.find(({ given, expected }) => given.principal !== null && expected.ok)?.given.principal;
  return {
    ...{ name, artifact, role },
    // The longer ones lead further.
    plans: cases.filter(({ expected }) => expected.ok).map(planOf),
    outputs: new Map(known),
    labels: cases.flatMap(({ given }) => given.labels),
    principal: principal ?? { department: "support" },
  };
}

/** The same with all numbers so many times as large: amounts that belong together stay so. */
function scaled(value: Json, factor: number): Json {
  if (typeof value === "number") return value * factor;
  if (typeof value !== "object" || value === null) return value;
  if (isJsonList(value)) return value.map((item) => scaled(item, factor));
  return scaledObject(value, factor);
}

function scaledObject(value: JsonObject, factor: number): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scaled(item, factor)]));
}

function changed(args: JsonObject, random: Random): JsonObject {
  const keys = Object.keys(args);
  if (keys.length === 0) return args;
  const key = random.pick(keys);
  const value = args[key] ?? null;
  const others: readonly Json[] = typeof value === "number" ? [value * 2, value * 1000, "many"] : ["other", 7, null];
  if (random.below(4) > 0) return { ...args, [key]: random.pick(others) };
  const { [key]: _left, ...rest } = args;
  return rest;
}

/** A decision that asks twice gets two answers, unless time stands still for it. */
class TickingClock extends TestClock {
  override now(): number {
    this.advance(1);
    return super.now();
  }
}

/** A pack with much that the examples have little of: requests for approvals of all kinds, and commits at dispatch. */
const APPROVALS = `
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.amount, lte: 5000, reason: At most 5000 }]
policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Hot }] }
#== look.yaml (with the required fields)
#== tell.yaml (with the required fields)
commit_requirement: none
evidence_class: unverifiable
side_effect: write
#== pay.yaml (with the required fields)
side_effect: financial
argument_value_invariants: [{ path: $.to, type: string }]
checkpoint:
  when: [{ path: $.amount, gte: 100 }]
  timeout_seconds: 60
  context: [{ label: Amount, path: $.amount }]
#== lend.yaml (with the required fields)
side_effect: financial
checkpoint:
  when: [{ path: $.amount, gte: 100 }]
  timeout_seconds: 30
  on_timeout: allow
`;

/** That pack, with calls of its tools. */
export function approvalPack(): PlayedPack {
  const call = (tool: string, amount: number): Played => ({
    tool,
    args: { amount, to: "ann", memo: "x" },
    output: { ok: true },
  });
  return {
    ...{ name: "approvals", artifact: artifactOf(APPROVALS), role: null, outputs: new Map(), labels: ["hot"] },
    plans: [
      [call("look", 1), call("pay", 20)],
      [call("pay", 200), call("tell", 1)],
      [call("lend", 300)],
      [call("tell", 2)],
    ],
    principal: { department: "support" },
  };
}

/** Plays one random session: two guards of the same kind that share it, and sometimes one that only watches. */
export class RandomSession {
  readonly clock = new TickingClock();
  private readonly guards: Guard[] = [];
  private readonly running: { readonly callId: string; readonly output: Json | undefined }[] = [];
  private readonly denied: string[] = [];
  private readonly approvals: string[] = [];
  private serial = 0;
  private plan: Played[] = [];

  constructor(
    private readonly pack: PlayedPack,
    private readonly store: DurableStore,
    private readonly random: Random,
    private readonly options: RoleOptions = {},
  ) {}

  async play(sessionId: string, steps: number): Promise<void> {
    const { artifact, role, principal } = this.pack;
    const { clock, store } = this;
    const common: RoleOptions = {
      ...{ sessionId, store, clock, env: {}, principal, approver: "manual", requester: "ann" },
      ...(role === null ? {} : { role }),
      ...this.options,
    };
    this.guards.push(await createRoleGuard(artifact, common), await createRoleGuard(artifact, common));
    this.guards.push(await createRoleGuard(artifact, { ...common, mode: "shadow", unmatched: "allow" }));
    const { approver: _approver, ...alone } = common;
    this.guards.push(await createRoleGuard(artifact, alone));
    for (let step = 0; step < steps; step += 1) await this.step();
    for (const label of this.pack.labels) await this.guard.addLabel(label);
    for (let step = 0; step < 10; step += 1) await this.step();
    if (this.random.below(3) === 0) await this.guard.kill("the test is over");
    await this.next();
    await this.begin();
  }

  /** Mostly the first two. */
  private get guard(): Guard {
    const { random, guards } = this;
    const guard = guards[random.pick([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3])];
    if (guard === undefined) throw new Error("there is no guard yet");
    return guard;
  }

  private async step(): Promise<void> {
    const { random } = this;
    this.clock.advance(random.below(2000));
    if (this.approvals.length > 0 && random.below(3) === 0) {
      await (random.below(2) === 0 ? this.answer() : this.resume());
      return;
    }
    const kind = random.below(60);
    if (kind < 22) await this.next();
    else if (kind < 38) await this.settle();
    else if (kind < 42) await this.begin();
    else if (kind < 44) await this.answer();
    else if (kind < 46) await this.stray();
    else if (kind < 48) await this.guard.recordCost(random.below(20) / 100);
    else if (kind < 50) await this.guard.addLabel(random.pick(["seen", "checked"]));
    else if (kind < 54) await this.late();
    else if (kind < 56) await this.odd();
    else if (kind === 56) this.clock.advance(random.pick([1000, 300_000, 900_000]));
    else await this.settle();
  }

  /** The next call of the plan; its calls before it are settled, so that it gets far. */
  private async next(): Promise<void> {
    const { random, pack } = this;
    if (this.plan.length === 0) {
      const factor = random.pick([1, 1, 10, 200]);
      this.plan = random.pick(pack.plans).map(({ tool, args, output }) => ({
        ...{ tool, args: scaledObject(args, factor) },
        output: scaled(output ?? pack.outputs.get(tool) ?? null, factor),
      }));
    }
    const call = this.plan.shift();
    if (call === undefined) return;
    const callId = await this.propose(call, this.guards[0] ?? this.guard);
    if (callId === null || random.below(3) === 0) return;
    await this.guard.settle(callId, { kind: "result", output: call.output });
  }

  /** A call out of turn, or a changed one. */
  private async stray(): Promise<void> {
    const { random, pack } = this;
    const { tool, args, output } = random.pick(random.pick(pack.plans));
    await this.propose({ tool, args: random.below(2) === 0 ? args : changed(args, random), output }, this.guard);
  }

  private async propose({ tool, args, output }: Played, guard: Guard): Promise<string | null> {
    const { random } = this;
    const key = random.below(5) === 0 ? { callKey: `key-${random.below(30)}` } : {};
    const verdict = await guard.propose({ tool, args, ...key });
    if (verdict.kind === "approval_required") this.approvals.push(verdict.approvalId);
    // Sometimes the same again, as after a lost connection.
    if (verdict.kind !== "block" && random.below(3) === 0) await guard.propose({ tool, args, ...key });
    if (verdict.kind !== "allow") return null;
    this.running.push({ callId: verdict.callId, output });
    return verdict.callId;
  }

  private async settle(): Promise<void> {
    const { random, running } = this;
    const at = random.below(running.length + 1);
    const call = running[at];
    if (call === undefined) return;
    const { output = null } = call;
    const outcome = random.pick<Outcome>([
      ...Array.from({ length: 14 }, () => ({ kind: "result", output }) as const),
      { kind: "result", output: { broken: true } },
      { kind: "error", status: 422, code: "market_closed" },
      { kind: "error", message: "lost" },
      { kind: "timeout" },
      { kind: "happened" },
      { kind: "happened", output },
      { kind: "did_not_happen" },
      { kind: "did_not_happen" },
    ]);
    if (random.below(8) > 0) running.splice(at, 1);
    const settled = await this.guard.settle(call.callId, outcome);
    if (settled.accepted && outcome.kind === "did_not_happen") this.denied.push(call.callId);
    if (settled.accepted && (outcome.kind === "timeout" || outcome.kind === "error")) running.push(call);
  }

  private async answer(): Promise<void> {
    const { random, approvals } = this;
    const approvalId = approvals.at(-1 - random.below(2)) ?? approvals.at(-1) ?? "approval_99@nobody";
    const answer = { by: random.pick(["bob", "eve", "ann", "bob"]), note: "seen" };
    if (random.below(4) === 0) await this.guard.deny(approvalId, answer);
    else await this.guard.approve(approvalId, answer);
  }

  private async resume(): Promise<void> {
    const approvalId = this.approvals.at(-1);
    if (approvalId === undefined) return;
    const verdict = await this.guard.resume(approvalId);
    if (verdict.kind === "allow" && verdict.repeated !== true)
      this.running.push({ callId: verdict.callId, output: undefined });
  }

  private async begin(): Promise<void> {
    await this.guard.beginStep();
  }

  /** A result of a call that was settled as not happened. */
  private async late(): Promise<void> {
    const callId = this.denied.pop();
    if (callId === undefined) return;
    await this.guard.settle(callId, { kind: "result", output: null });
    await this.stray();
    await this.guard.acknowledge(callId, { by: "bob", why: "asked the bank", happened: this.random.below(2) === 0 });
  }

  /** What no agent should do. */
  private async odd(): Promise<void> {
    const { random, guard } = this;
    this.serial += 1;
    const tool = random.pick(this.pack.plans)[0]?.tool ?? "";
    switch (random.below(5)) {
      case 0:
        await guard.propose({ tool: `unknown_${this.serial}`, args: { a: 1 } });
        break;
      case 1:
        await guard.propose({ tool, args: ["no", "object"] });
        break;
      case 2:
        await guard.propose(Object.assign({ tool: 7, args: {} }));
        break;
      case 3:
        await guard.settle("call_999", { kind: "happened" });
        break;
      default:
        await guard.propose({ tool, args: { big: 1n } });
    }
  }
}
