import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { memoryStore } from "../../src/stores/memory.js";
import { type CreateGuard, loadGuard, startGuard } from "../differential/adapter.js";
import { compileText } from "../differential/compile-pack.js";
import { duel } from "../differential/duel.js";
import { Random } from "../differential/generate/random.js";
import { generateCase } from "../differential/generate.js";
import type { Pack } from "../differential/reference/model.js";
import { isReseeded, seedOf } from "../support/seed.js";
import { isFull, sizeOf } from "../support/size.js";
import { playFreely, someLimitedPack } from "./limited-packs.js";

const PACKS = sizeOf("ANALYSIS_PACKS", { share: 40, full: 2500 });
const SEED = seedOf("ANALYSIS_SEED", 1);
const TRACES = 12;
const LIMITED_PACKS = sizeOf("LIMITED_PACKS", { share: 40, full: 2500 });
const SESSIONS = 25;
/** A code that is hardly ever claimed is not really tried. */
const OFTEN = 5;

/**
 * What a finding says can never happen: a call of a tool, a phase, an aggregate out of its bounds. With a walk it is said
 * only of sessions that have been in no other phase.
 */
interface Claim {
  readonly code: string;
  readonly kind: "tool" | "phase" | "aggregate";
  readonly name: string;
  readonly walk?: ReadonlySet<string>;
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

function aggregateTools({ session }: Pack, name: string): readonly string[] {
  const tool = session?.aggregates?.find((aggregate) => aggregate.name === name)?.tool ?? [];
  return tool === "*" ? [] : typeof tool === "string" ? [tool] : tool;
}

/** The names that a finding makes a claim about; codes that claim nothing a session could refute are left out. */
function subjects({ code, message, span }: Diagnostic, pack: Pack): readonly string[] {
  const names = namesIn(message);
  switch (code) {
    case "blocked_tool":
    case "dead_precondition":
    case "unset_ref":
    case "ref_unset_on_some_path":
    case "reference_after_constrained":
    case "call_limit_below_chain":
    case "unentered_phase":
    case "idle_aggregate":
      return names.slice(0, 1);
    case "precondition_cycle":
      return names.filter((name) => pack.tools.some(({ tool }) => tool === name));
    case "advance_without_edge":
      return message.endsWith("any of its phases") ? names.slice(0, 1) : [];
    case "conflicting_invariants":
      return span.source.name.endsWith(".yaml") ? [span.source.name.replace(".yaml", "")] : [];
    case "unsatisfiable_aggregate":
      if (message.startsWith("every call of")) return names.slice(0, 1);
      return message.endsWith("every call is refused") ? aggregateTools(pack, names[0] ?? "") : [];
    case "limit_below_shortest_path":
      return (pack.session?.phases ?? []).filter(({ terminal }) => terminal === true).map(({ name }) => name);
    default:
      return [];
  }
}

const KINDS: ReadonlyMap<string, Claim["kind"]> = new Map([
  ["unentered_phase", "phase"],
  ["limit_below_shortest_path", "phase"],
  ["idle_aggregate", "aggregate"],
]);

function claimsOf(diagnostics: readonly Diagnostic[], pack: Pack): readonly Claim[] {
  return diagnostics.flatMap((found) => {
    const { code } = found;
    const kind = KINDS.get(code) ?? "tool";
    // Its message names the tool, the phases of the walk, and the slot.
    const walk = code === "ref_unset_on_some_path" ? { walk: new Set(namesIn(found.message).slice(1, -1)) } : {};
    return subjects(found, pack).map((name) => ({ code, kind, name, ...walk }));
  });
}

const make = await loadGuard();

/** What happened in sessions of one pack, as `kind name`. */
class Witness {
  private readonly seen = new Set<string>();
  /** Phases seen so far, by session: several guards may share one. */
  private readonly phases = new Map<string, Set<string>>();
  private readonly visited: { readonly tool: string; readonly phases: ReadonlySet<string> }[] = [];

  refutes({ kind, name, walk }: Claim): boolean {
    if (walk === undefined) return this.seen.has(`${kind} ${name}`);
    return this.visited.some(({ tool, phases }) => tool === name && [...phases].every((phase) => walk.has(phase)));
  }

  readonly create: CreateGuard = async (artifact, options) => {
    const guard = await make(artifact, options);
    const phases = this.phases.get(options.sessionId) ?? new Set<string>();
    this.phases.set(options.sessionId, phases);
    const note = async () => {
      const { phase } = await guard.state();
      phases.add(`${phase}`);
      this.seen.add(`phase ${phase}`);
    };
    await note();
    return {
      propose: async (call) => {
        const before = new Set(phases);
        const verdict = await guard.propose(call);
        if (verdict.kind !== "block") {
          const tool = String(call.tool);
          this.seen.add(`tool ${tool}`);
          this.visited.push({ tool, phases: before });
        } else if (verdict.reason === "aggregate_exceeded")
          this.seen.add(`aggregate ${namesIn(verdict.found ?? "")[0]}`);
        await note();
        return verdict;
      },
      settle: async (callId, outcome) => {
        const settled = await guard.settle(callId, outcome);
        await note();
        return { ...settled };
      },
      acknowledge: (callId, found) => guard.acknowledge(callId, found),
      approve: (id, answer) => guard.approve(id, answer),
      deny: (id, answer) => guard.deny(id, answer),
      resume: async (id) => {
        const verdict = await guard.resume(id);
        await note();
        return verdict;
      },
      beginStep: () => guard.beginStep(),
      recordCost: (usd) => guard.recordCost(usd),
      addLabel: (label) => guard.addLabel(label),
      kill: (why) => guard.kill(why),
      state: () => guard.state(),
      visibleTools: () => guard.visibleTools(),
      wrap: (proxyCall) => guard.wrap(proxyCall),
      on: (event, listener) => guard.on(event, listener),
    };
  };
}

const LIMITING: ReadonlySet<string> = new Set([
  "idle_aggregate",
  "unsatisfiable_aggregate",
  "limit_below_shortest_path",
  "call_limit_below_chain",
]);

const PLAIN = {
  principal: null,
  env: {},
  unmatched: "block",
  mode: "enforce",
  approver: null,
  clock: { now: () => 0 },
} as const;

const GROUNDS: readonly string[] = [
  "`max_tool_calls`",
  "`max_steps`",
  "different value",
  "at most",
  "accepted arguments",
  "possible",
  "first call",
  "every call of",
  "aggregate",
];

/** What a finding about limits follows from, as far as its words tell, so that each kind is known to be tried. */
function groundOf({ code, message }: Diagnostic): string {
  return `${code}: ${GROUNDS.find((words) => message.includes(words)) ?? ""}`;
}

/** With the usual seed each kind is tried often; with another one a rare kind may be missing by chance. */
function expectOften(tried: ReadonlyMap<string, number>, kinds: number): void {
  if (isReseeded("ANALYSIS_SEED") || !isFull()) return;
  expect([...tried].filter(([, count]) => count < OFTEN)).toEqual([]);
  expect(tried.size).toBe(kinds);
}

describe("the findings about whole packs", () => {
  it("are never refuted by what the guard does in generated sessions", async () => {
    const seeds = new Random(SEED);
    const tried = new Map<string, number>();
    for (let at = 0; at < PACKS; at++) {
      const seed = seeds.fork();
      const { pack, traces } = generateCase(seed, TRACES);
      const { artifact, diagnostics } = compileText(pack);
      const claims = claimsOf(diagnostics, pack);
      if (artifact === null || claims.length === 0) continue;
      const witness = new Witness();
      for (const { operations, setting } of traces) {
        await duel(
          pack,
          { operations, setting: { ...setting, mode: "enforce" } },
          { create: witness.create, artifact },
        );
      }
      const refuted = claims.filter((claim) => witness.refutes(claim));
      expect({ seed, refuted }).toEqual({ seed, refuted: [] });
      for (const { code } of claims) if (!LIMITING.has(code)) tried.set(code, (tried.get(code) ?? 0) + 1);
    }
    console.info(Object.fromEntries(tried));
    expectOften(tried, 9);
  }, 3_600_000);

  it("are never refuted where limits, aggregates and the order of calls meet", async () => {
    const seeds = new Random(SEED);
    const tried = new Map<string, number>();
    for (let at = 0; at < LIMITED_PACKS; at++) {
      const seed = seeds.fork();
      const random = new Random(seed);
      const pack = someLimitedPack(random);
      const { artifact, diagnostics } = compileText(pack);
      const found = diagnostics.filter(({ code }) => LIMITING.has(code));
      const claims = claimsOf(found, pack);
      if (artifact === null || claims.length === 0) continue;
      const witness = new Witness();
      for (let session = 0; session < SESSIONS; session++) {
        const guard = await startGuard(witness.create, artifact, { ...PLAIN, store: memoryStore() });
        await playFreely(guard, random, pack);
      }
      const refuted = claims.filter((claim) => witness.refutes(claim));
      expect({ seed, refuted }).toEqual({ seed, refuted: [] });
      const claiming = found.filter((finding) => claimsOf([finding], pack).length > 0);
      for (const ground of claiming.map(groundOf)) tried.set(ground, (tried.get(ground) ?? 0) + 1);
    }
    console.info(Object.fromEntries(tried));
    expectOften(tried, 13);
  }, 3_600_000);
});
