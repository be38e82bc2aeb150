import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { migrateSession } from "../../src/sessions/migration/migrate-session.js";
import { callIdOf, memory, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";

const SEED = seedOf("AGGREGATE_SEED", 20_261_118);

function packOf(aggregate: string, per = ", per: $.to"): string {
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
aggregates:
  - { name: counted, tool: [pay, note], reason: Bounded${per}, ${aggregate} }
#== pay.yaml (with the required fields)
side_effect: financial
binds: [{ name: tier, path: $.tier }]
#== note.yaml (with the required fields)
side_effect: write
commit_requirement: none
`;
}

const METRICS = [
  "metric: sum, path: $.n, lte: 20, gte: -5",
  "metric: count, lte: 3",
  "metric: max, path: $.n, lte: 8",
  "metric: min, path: $.n, gte: -3",
  "metric: count_distinct, path: $.n, lte: 3",
  "metric: sum, path: $.n, lte: 20, when: [{ binding: tier, equals: low, then_lte: 9 }]",
];

const pay = (to: string | number) => ({ tool: "pay", args: { to, tier: "x" } });

const ENDS: readonly Outcome[] = [
  { kind: "result", output: {} },
  { kind: "error", sent: false },
  { kind: "timeout" },
  { kind: "happened" },
  { kind: "did_not_happen" },
];

describe("an aggregate with `per`", () => {
  it.each(METRICS)("judges each value as a session of its own would: %s", async (metric) => {
    const isTiered = metric.includes("tier");
    for (let run = 0; run < 12; run += 1) {
      const random = randomFrom(SEED, run);
      const whole = await createGuard(artifactOf(packOf(metric)), { env: {} });
      // Where a slot of the session matters, one value is compared: its own session binds the same slot.
      const values = isTiered ? ["a"] : ["a", 1, true, "1"];
      const alone = new Map<unknown, Guard>();
      for (const to of values) alone.set(to, await createGuard(artifactOf(packOf(metric, "")), { env: {} }));
      const open: { readonly id: string; readonly own: string; readonly guard: Guard }[] = [];
      for (let step = 0; step < 60; step += 1) {
        const to = random.pick(values);
        const guard = alone.get(to);
        if (guard === undefined) throw new Error("no guard");
        if (open.length > 0 && random.next() < 0.4) {
          const [call] = open.splice(random.below(open.length), 1);
          const outcome = random.pick(ENDS);
          if (call === undefined) continue;
          const [one, other] = [await whole.settle(call.id, outcome), await call.guard.settle(call.own, outcome)];
          expect(one.accepted).toBe(other.accepted);
          if (outcome.kind === "timeout" || !one.accepted) open.push(call);
          continue;
        }
        const tool = random.pick(["pay", "pay", "note"]);
        const args = { to, n: random.below(12) - 3, tier: random.pick(["low", "high"]) };
        const [verdict, own] = [await whole.propose({ tool, args }), await guard.propose({ tool, args })];
        expect({ run, step, args, is: told(verdict) }).toEqual({ run, step, args, is: told(own) });
        if (verdict.kind === "allow" && own.kind === "allow") {
          open.push({ id: verdict.callId, own: own.callId, guard });
        }
      }
    }
  });

  it("refuses a further value once it has 10,000, and forgets none", async () => {
    const guard = await createGuard(artifactOf(packOf("metric: count, lte: 2")), { env: {} });
    for (let to = 0; to < 9999; to += 1) {
      const id = callIdOf(await guard.propose(pay(to)));
      await guard.settle(id, { kind: "result", output: {} });
    }
    const last = callIdOf(await guard.propose(pay("last")));
    const refused = await guard.propose(pay("further"));
    expect(refused).toMatchObject({
      reason: "aggregate_full",
      because: "Bounded",
      rule: { file: "session.yaml", line: 3 },
      required: "at most 10000 values of $.to in a session",
    });
    expect(told(await guard.propose(pay(0)))).toBe("allow");
    expect(told(await guard.propose(pay(0)))).toBe("aggregate_exceeded");
    // The value of a call that did not happen is free again.
    await guard.settle(last, { kind: "error", sent: false });
    expect(told(await guard.propose(pay("further")))).toBe("allow");
    expect(told(await guard.propose(pay("last")))).toBe("aggregate_full");
  });

  it("is known again from a snapshot, with the values of calls that are still open", async () => {
    const store = await memory();
    const options = { store, sessionId: SESSION, env: {} };
    const artifact = artifactOf(packOf("metric: sum, path: $.n, lte: 20"));
    const guard = await createGuard(artifact, options);
    for (let serial = 0; serial < 300; serial += 1) {
      const id = callIdOf(await guard.propose({ tool: "pay", args: { to: `c${serial % 30}`, n: 1, tier: "x" } }));
      await guard.settle(id, { kind: "result", output: {} });
    }
    const open = callIdOf(await guard.propose({ tool: "pay", args: { to: "open", n: 20, tier: "x" } }));
    expect((await store.load(`session/${SESSION}`)).snapshot).not.toBeNull();
    const again = await createGuard(artifact, options);
    expect(again.state().aggregates).toEqual(guard.state().aggregates);
    const first = { tool: "pay", args: { to: "c0", n: 11, tier: "x" } };
    expect(told(await again.propose(first))).toBe("aggregate_exceeded");
    expect(told(await again.propose({ tool: "pay", args: { to: "open", n: 1, tier: "x" } }))).toBe(
      "aggregate_exceeded",
    );
    await again.settle(open, { kind: "error", sent: false });
    expect(again.state().aggregates.counted).not.toHaveProperty('"open"');
  });

  it("moves to an artifact with other bounds, and not to one that counts otherwise", async () => {
    const store = await memory();
    const old = artifactOf(packOf("metric: sum, path: $.n, lte: 20"));
    const guard = await createGuard(old, { store, sessionId: SESSION, env: {} });
    for (const to of ["a", "b"]) {
      const id = callIdOf(await guard.propose({ tool: "pay", args: { to, n: 15, tier: "x" } }));
      await guard.settle(id, { kind: "result", output: {} });
    }
    const moved = async (metric: string, per?: string) =>
      JSON.stringify(await migrateSession(store, SESSION, artifactOf(packOf(metric, per))));
    expect(await moved("metric: sum, path: $.n, lte: 20", "")).toContain("counts something else than before");
    expect(await moved("metric: sum, path: $.n, lte: 10")).toContain("outside of its bounds");
    expect(await moved("metric: sum, path: $.n, lte: 30")).toBe('{"ok":true}');
  });
});
