import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Mode, Outcome, Pack } from "../reference/model.js";
import type { Random } from "./random.js";
import { notJson, someObject, somePrincipal } from "./values.js";

/** One thing done to a session; calls and requests are named by their place among those so far. */
export type Operation =
  | {
      readonly op: "propose";
      readonly tool: string;
      readonly args: unknown;
      /** The store behind the session is out of order meanwhile. */
      readonly storeFails?: true;
    }
  | {
      readonly op: "settle";
      /** Which calls `index` counts, from the last to the first: those still open, all that were allowed, or none. */
      readonly among: "open" | "any" | "nothing";
      readonly back: number;
      readonly outcome: Outcome;
    }
  /** Null means an approval that nobody asked for. */
  | { readonly op: "approve" | "deny" | "resume"; readonly back: number | null }
  | { readonly op: "beginStep" | "kill" }
  | { readonly op: "recordCost"; readonly usd: number }
  | { readonly op: "addLabel"; readonly label: string }
  | { readonly op: "wait"; readonly seconds: number };

/** How the guards are made for one trace. */
export interface Setting {
  readonly principal: JsonObject | null;
  readonly env: Readonly<Record<string, string>>;
  readonly unmatched: "allow" | "block";
  readonly mode: Mode;
  readonly approver: "manual" | null;
}

export interface Trace {
  readonly setting: Setting;
  readonly operations: readonly Operation[];
}

function someOutput(random: Random): unknown {
  if (random.chance(0.95)) return someObject(random);
  return random.chance(0.7) ? random.pick<Json>([null, "done"]) : notJson(random);
}

function someOutcome(random: Random): Outcome {
  const roll = random.next();
  const sent = random.chance(0.75);
  if (roll < 0.6) return { kind: "result", output: someOutput(random) };
  if (roll < 0.74) {
    return {
      kind: "error",
      sent,
      ...random.maybe(0.7, () => ({ status: random.pick([400, 404, 408, 429, 500, 503]) })),
      ...random.maybe(0.4, () => ({ code: random.pick(["busy", "gone", "odd"]) })),
      ...random.maybe(0.5, () => ({ message: random.pick(["temporary failure", "temporary", "failure"]) })),
    };
  }
  if (roll < 0.83) return { kind: "timeout", sent };
  if (roll < 0.92) return { kind: "happened", ...random.maybe(0.6, () => ({ output: someObject(random) })) };
  return { kind: "did_not_happen" };
}

interface Habits {
  readonly tools: readonly string[];
  readonly pool: readonly JsonObject[];
  readonly mode: Mode;
  readonly opensSteps: boolean;
  /** Up to which roll an operation settles an earlier call. */
  readonly settles: number;
  /** How many calls are not settled at once. */
  readonly parallel: number;
  readonly approves: boolean;
}

function somePropose(random: Random, { tools, pool, mode }: Habits): Operation {
  const tool = random.chance(0.96) ? random.pick(tools) : "ghost";
  // What shadow and log-only do with arguments that are no JSON is left open.
  if (mode === "enforce" && random.chance(0.015)) return { op: "propose", tool, args: notJson(random) };
  const args = random.chance(0.7) ? random.pick(pool) : someObject(random);
  return { op: "propose", tool, args, ...random.maybe(0.005, () => ({ storeFails: true as const })) };
}

function someOperations(random: Random, habits: Habits): readonly Operation[] {
  const roll = random.next();
  if (roll < 0.05 && habits.opensSteps) return [{ op: "beginStep" }];
  if (roll < 0.07) return [{ op: "recordCost", usd: random.pick([0.1, 0.2, 0.7]) }];
  if (roll < 0.1) return [{ op: "addLabel", label: random.pick(["secret", "tainted", "other"]) }];
  if (roll < 0.1015) return [{ op: "kill" }];
  if (roll < 0.11) return [{ op: "wait", seconds: random.pick([10, 29, 30, 60, 90]) }];
  if (habits.approves && roll < 0.36) {
    const op = random.pick(["approve", "approve", "deny", "resume", "resume"] as const);
    const wait = random.chance(0.3) ? [{ op: "wait" as const, seconds: random.pick([29, 30, 60, 90]) }] : [];
    return [...wait, { op, back: random.chance(0.04) ? null : random.chance(0.8) ? 0 : random.below(3) }];
  }
  if (roll < habits.settles) {
    const among = random.chance(0.92) ? "open" : random.chance(0.8) ? "any" : "nothing";
    return [{ op: "settle", among, back: random.below(4), outcome: someOutcome(random) }];
  }
  const propose = somePropose(random, habits);
  if (random.chance(habits.parallel)) return [propose];
  return [propose, { op: "settle", among: "open", back: 0, outcome: { kind: "result", output: someObject(random) } }];
}

function hasCheckpoints({ tools, session }: Pack): boolean {
  return tools.some(({ checkpoint }) => checkpoint !== undefined) || (session?.checkpoints ?? []).length > 0;
}

/** A session: how its guard is set up, and what is done to it. */
export function someTrace(random: Random, pack: Pack): Trace {
  const mode = random.chance(0.88) ? "enforce" : random.chance(0.7) ? "shadow" : "log-only";
  const habits: Habits = {
    tools: pack.tools.map(({ tool }) => tool),
    pool: random.list(random.pick([1, 2, 4]), () => someObject(random)),
    mode,
    opensSteps: random.chance(0.4),
    settles: random.pick([0.36, 0.46, 0.6]),
    parallel: random.pick([0.2, 0.5, 0.9]),
    approves: hasCheckpoints(pack),
  };
  return {
    setting: {
      principal: somePrincipal(random),
      env: { LETTER: "a", ...random.maybe(0.8, () => ({ REGION: "EU" })) },
      unmatched: random.pick(["allow", "block"]),
      mode,
      approver: random.chance(0.85) ? "manual" : null,
    },
    operations: random.list(8 + random.below(18), () => someOperations(random, habits)).flat(),
  };
}
