import { describe, expect, it } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { compile } from "../../src/compiler/compile.js";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import { Random } from "../differential/generate/random.js";
import { told } from "../support/guard-steps.js";
import { memoryTree, type PackBytes, packBytes } from "../support/memory-tree.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";

const PACKS = sizeOf("WALK_PACKS", { share: 400, full: 5000 });
const SEED = seedOf("WALK_SEED", 1);
/** Fewer findings would prove little. */
const OFTEN = PACKS / 100;

const PHASES = ["one", "two", "three", "four"];
/** The first binds the slot, the last compares with it; now and then the others do so too. */
const TOOLS = ["ann", "bob", "cid", "dan", "eve"];
const VALUE = { v: 1 };

const REQUIRED = {
  side_effect: "read",
  evidence_class: "local_transaction",
  timeouts: { total_ms: 1000 },
  retries: { max_attempts: 1, retry_on: [] },
  rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } },
  assertions: { input_invariants: [], output_invariants: [] },
  golden_cases: [],
  allowed_errors: [],
};

function some(random: Random, names: readonly string[], chance: number): readonly string[] {
  return names.filter(() => random.chance(chance));
}

function contract(random: Random, tool: string): object {
  const [isBinder, isReader] = [tool === TOOLS.at(0), tool === TOOLS.at(-1)];
  const isMover = !isBinder && !isReader;
  const known = isMover ? PHASES : PHASES.slice(1);
  const phases = [...new Set([random.pick(known), ...some(random, known, 0.2)])];
  const others = TOOLS.filter((name) => name !== tool);
  const precondition = random.chance(0.7)
    ? { requires_prior_tool: random.pick(others) }
    : { requires_step_count: { gte: 1 } };
  return {
    tool,
    ...REQUIRED,
    commit_requirement: random.chance(0.2) ? "none" : "acknowledged",
    transitions: {
      valid_in_phases: phases,
      ...(random.chance(isMover ? 0.9 : 0.4) ? { advances_to: random.pick(PHASES.slice(1)) } : {}),
    },
    ...(random.chance(0.25) ? { preconditions: [precondition] } : {}),
    ...(random.chance(0.3) ? { forbids_after: [random.pick(others)] } : {}),
    ...(random.chance(0.08) ? { gate: "block" } : {}),
    ...(isReader || random.chance(0.1) ? { argument_value_invariants: [{ path: "$.v", ref: "slot" }] } : {}),
    ...(isBinder || random.chance(0.1)
      ? { binds: [{ name: "slot", path: "$.v", source: random.chance(0.5) ? "output" : "arguments" }] }
      : {}),
  };
}

/** A pack in which nothing but phases, slots and the order of calls can refuse a call. */
function files(random: Random): PackBytes {
  const phases = PHASES.map((name, at) => ({ name, initial: at === 0, terminal: at === PHASES.length - 1 }));
  const transitions = PHASES.map((from, at) => {
    const next = PHASES[at + 1];
    return [from, [...new Set([...(next === undefined ? [] : [next]), ...some(random, PHASES, 0.5)])]];
  });
  const session = {
    schema_version: "1.0",
    agent: "walker",
    phases,
    transitions: Object.fromEntries(transitions),
    ...(random.chance(0.2) ? { session_limits: { max_tool_calls: random.pick([1, 2, 3]) } } : {}),
    ...(random.chance(0.3) ? { policy: { rules: [{ deny: { tools: [random.pick(TOOLS)] } }] } } : {}),
  };
  const tools = TOOLS.map((tool) => [`${tool}.yaml`, JSON.stringify(contract(random, tool))] as const);
  return packBytes([["session.yaml", JSON.stringify(session)], ...tools]);
}

/** A session in which these tools were called one after the other; null where one of them was refused. */
async function sessionAfter(artifact: Artifact, tools: readonly string[]): Promise<Guard | null> {
  const guard = await createGuard(artifact, { sessionId: "s" });
  await guard.beginStep();
  for (const tool of tools) {
    await guard.beginStep();
    const verdict = await guard.propose({ tool, args: VALUE });
    if (verdict.kind !== "allow") return null;
    await guard.settle(verdict.callId, { kind: "result", output: VALUE });
  }
  await guard.beginStep();
  return guard;
}

/** The calls that lead along the phases, none other made; null where no calls do. */
async function callsAlong(artifact: Artifact, walk: readonly string[]): Promise<readonly string[] | null> {
  let found: (readonly string[])[] = [[]];
  for (const phase of walk.slice(1)) {
    const longer = found.flatMap((calls) => TOOLS.map((tool) => [...calls, tool]));
    const phases = await Promise.all(longer.map(async (calls) => (await sessionAfter(artifact, calls))?.state().phase));
    found = longer.filter((_, index) => phases[index] === phase);
  }
  return found[0] ?? null;
}

function refusals(guard: Guard | null, tool: string): readonly string[] | undefined {
  return guard?.explain({ tool, args: VALUE }).map(told);
}

/** What a finding says: the tool, and the phases of the walk; the last name in its message is that of the slot. */
function said({ message }: Diagnostic): { readonly tool: string; readonly walk: readonly string[] } {
  const names = [...message.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const [tool = "", ...walk] = names.slice(0, -1);
  return { tool, walk };
}

async function expectTrue({ tool, walk }: ReturnType<typeof said>, artifact: Artifact): Promise<void> {
  const calls = await callsAlong(artifact, walk);
  expect(calls).not.toBeNull();
  const binders = artifact.packs.flatMap(({ tools }) => tools.filter(({ binds }) => binds.length > 0));
  for (let length = 0; length <= (calls?.length ?? 0); length++) {
    const guard = await sessionAfter(artifact, (calls ?? []).slice(0, length));
    for (const { name } of binders) expect(refusals(guard, name)).not.toEqual([]);
  }
  expect(refusals(await sessionAfter(artifact, calls ?? []), tool)).toContain("ref_unset");
}

describe("a `ref` that is said to be unset on a walk", () => {
  it("is unset when calls lead the guard along that walk, and nothing that binds it can be called there", async () => {
    const seeds = new Random(SEED);
    const tried = { start: 0, walked: 0 };
    for (let at = 0; at < PACKS; at++) {
      const { artifact, diagnostics } = compile(memoryTree(files(new Random(seeds.fork()))));
      if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
      for (const found of diagnostics.filter(({ code }) => code === "ref_unset_on_some_path").map(said)) {
        tried[found.walk.length === 1 ? "start" : "walked"] += 1;
        await expectTrue(found, artifact);
      }
    }
    console.info(tried);
    expect(Math.min(tried.start, tried.walked)).toBeGreaterThan(OFTEN);
  }, 600_000);
});
