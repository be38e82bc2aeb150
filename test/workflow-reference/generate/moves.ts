import type { Json, JsonObject } from "../../../src/base/json.js";
import { someOutcome } from "../../differential/generate/outcomes.js";
import type { Random } from "../../differential/generate/random.js";
import { notJson, someObject } from "../../differential/generate/values.js";
import type { Mode } from "../../differential/reference/model.js";
import type { Move, Operation } from "../operation.js";
import type { WorkflowPack, WorkflowState } from "../reference/model.js";
import type { ReferenceSide } from "../reference-side.js";
import { ARTIFACTS } from "./workflow.js";

export const PROCESSES = 3;

/** More open calls in one session would make the worlds too many. */
const MOST_OPEN = 3;

type Sessions = WorkflowState["sessions"];

/** How often the kinds of operations come, in one trace. */
interface Habits {
  readonly mode: Mode;
  readonly approver: boolean;
  /** How much of the work is done where the session began. */
  readonly atHome: number;
  readonly settles: number;
  readonly opensSteps: boolean;
  readonly ends: number;
  readonly together: number;
  readonly sessions: number;
  /** Whether calls have keys, which their callers repeat. */
  readonly keyed: boolean;
}

function someHabits(random: Random): Habits {
  return {
    mode: random.chance(0.9) ? "enforce" : random.pick(["shadow", "log-only"]),
    approver: random.chance(0.8),
    atHome: random.pick([1, 0.9, 0.5]),
    settles: random.pick([0.2, 0.35, 0.5]),
    opensSteps: random.chance(0.3),
    ends: random.pick([0.3, 1, 2]),
    together: random.pick([0, 0, 0.06, 0.15]),
    sessions: random.pick([2, 4, 8]),
    keyed: random.chance(0.2),
  };
}

/** Keys at the borders of the rules: equal as text, not equal, no key at all. */
const KEYS: readonly Json[] = ["e1", "e1", "e1", "e2", "e2", "17", 17, true, "true", "", 0.5, null];

function someArguments(random: Random): JsonObject {
  const { id: _, ...others } = someObject(random);
  return random.chance(0.08) ? others : { ...others, id: random.pick(KEYS) };
}

/** Makes the moves of one trace, one by one, knowing what the reference says so far. */
export class Moves {
  private readonly habits: Habits;
  private readonly pool: readonly JsonObject[];
  private begun = 0;
  private proposed = 0;
  private readonly undone: string[] = [];

  constructor(
    private readonly random: Random,
    private readonly pack: WorkflowPack,
    private readonly side: ReferenceSide,
  ) {
    this.habits = someHabits(random);
    this.pool = random.list(random.pick([1, 2, 3]), () => someArguments(random));
  }

  next(): Move {
    const { random, habits } = this;
    if (!random.chance(habits.together) || this.begun < 2) return this.operation();
    return { op: "together", operations: random.list(random.pick([2, 2, 3]), () => this.concurrent()) };
  }

  /** Those of which several may be under way; a crash would take the others along. */
  private concurrent(): Operation {
    const operation = this.operation();
    return operation.op === "crash" || operation.op === "wait" ? this.concurrent() : operation;
  }

  private operation(): Operation {
    const { random, habits } = this;
    const { sessions } = this.side.workflow.state();
    const isIdle = !sessions.some(({ status }) => status === "active");
    if (isIdle && (sessions.length === 0 || random.chance(0.4))) return this.beginning(sessions);
    if (this.begun < habits.sessions && random.chance(0.25)) return this.beginning(sessions);
    const roll = random.next();
    if (roll < 0.03) return this.beginning(sessions);
    if (roll < 0.03 + 0.05 * habits.ends) return this.ending(sessions);
    if (roll < 0.18) return this.aside(sessions);
    const asked = [...this.side.calls].filter(([, { approvalId }]) => approvalId !== undefined).slice(-3);
    if (asked.length > 0 && random.chance(0.25)) return this.answer(random.pick(asked)[0]);
    if (random.chance(habits.settles)) return this.settling() ?? this.proposal(sessions);
    return this.proposal(sessions);
  }

  private beginning(sessions: Sessions): Operation {
    const { random, pack, habits } = this;
    this.begun += 1;
    const isKnown = sessions.length > 0 && random.chance(0.03);
    const session = isKnown ? random.pick(sessions).id : `s${this.begun}`;
    const { handoffs = [], roles } = pack.workflow;
    const inner = new Set(handoffs.map(({ to }) => to));
    const names = roles.map(({ name }) => name);
    const common = {
      session,
      mode: random.chance(0.9) ? habits.mode : random.pick(["enforce", "shadow"] as const),
      ...(habits.approver ? { approver: "manual" as const } : {}),
      process: random.below(PROCESSES),
    };
    const parents = sessions.filter(({ role }) => handoffs.some(({ from }) => from === role));
    if (parents.length > 0 && random.chance(0.7)) {
      const from = this.someSession(random.chance(0.95) ? parents : sessions);
      const declared = handoffs.filter((handoff) => handoff.from === from.role).map(({ to }) => to);
      const role =
        random.chance(0.95) && declared.length > 0 ? random.pick(declared) : random.pick([...names, "nobody"]);
      return { op: "handoff", from: from.id, role, artifacts: this.artifacts(), ...common, ...this.place(from.id) };
    }
    const roots = names.filter((name) => !inner.has(name));
    return {
      op: "start",
      role: random.chance(0.95) ? random.pick(roots) : random.pick([...names, "nobody"]),
      ...common,
    };
  }

  private artifacts(): unknown {
    const { random } = this;
    if (random.chance(0.85))
      return Object.fromEntries(ARTIFACTS.map((name) => [name, random.pick<Json>([null, 1, "a"])]));
    if (random.chance(0.6)) return Object.fromEntries(random.subset(ARTIFACTS, 0.5).map((name) => [name, 1]));
    if (random.chance(0.2)) return { [random.pick(ARTIFACTS)]: "x".repeat(1024 * 1024) };
    return notJson(random);
  }

  private ending(sessions: Sessions): Operation {
    const { random } = this;
    const { id } = this.someSession(sessions);
    const place = this.place(id);
    const operator = random.maybe(0.4, () => ({ operator: "ann" }));
    const roll = random.next();
    if (roll < 0.5) return { op: "close", session: id, ...place };
    if (roll < 0.62) return { op: "kill", scope: "session", session: id, ...operator, ...place };
    if (roll < 0.8) return { op: "kill", scope: "subtree", session: id, ...operator, ...place };
    if (roll < 0.86) return { op: "kill", scope: "workflow", ...operator, ...place };
    if (roll < 0.9) return { op: "killGuard", session: id, ...place };
    if (roll < 0.93) return { op: "kill", scope: random.pick(["all", null, "subtree"]), session: "nobody", ...place };
    return { op: "crash", process: random.below(PROCESSES) };
  }

  private aside(sessions: Sessions): Operation {
    const { random, habits, undone } = this;
    const { id: session } = this.someSession(sessions);
    const place = this.place(session);
    const roll = random.next();
    if (roll < 0.3 && habits.opensSteps) return { op: "beginStep", session, ...place };
    if (roll < 0.55) return { op: "recordCost", session, usd: random.pick([0.1, 0.2, 0.3]), ...place };
    if (roll < 0.62) return { op: "crash", process: random.below(PROCESSES) };
    if (roll < 0.7)
      return { op: "attach", session: random.chance(0.95) ? session : "nobody", process: random.below(PROCESSES) };
    if (roll < 0.75) return { op: "wait", seconds: random.pick([10, 30, 60]) };
    if (roll < 0.9 && undone.length > 0) {
      const call = random.pick(undone);
      if (random.chance(0.5))
        return { op: "settle", call, outcome: { kind: "result", output: {} }, ...this.placeOf(call) };
      return { op: "acknowledge", call, happened: random.chance(0.5), ...this.placeOf(call) };
    }
    return this.proposal(sessions);
  }

  private answer(call: string): Operation {
    const { random } = this;
    return { op: random.pick(["approve", "approve", "deny", "resume"]), call, ...this.placeOf(call) };
  }

  private proposal(sessions: Sessions): Operation {
    const { random, pack } = this;
    const free = sessions.filter(({ id }) => this.openIn(id).length < MOST_OPEN);
    if (free.length === 0) return this.settling() ?? { op: "wait", seconds: 1 };
    const { id: session, role } = this.someSession(free);
    const tools = (pack.packs.get(role)?.tools ?? []).map((contract) => contract.tool);
    this.proposed += 1;
    const call = `c${this.proposed}`;
    const args = random.chance(0.8) ? random.pick(this.pool) : someArguments(random);
    const name = random.chance(0.98) ? random.pick(tools) : "ghost";
    // What shadow and log-only make of keys is left open.
    const isKeyed = this.habits.keyed && this.side.modeOf(session) === "enforce" && random.chance(0.4);
    const key = isKeyed ? { callKey: random.pick(["k1", "k2"]) } : {};
    return { op: "propose", session, call, tool: name, args, ...key, ...this.place(session) };
  }

  private settling(): Operation | null {
    const { random } = this;
    const open = [...this.side.calls].filter(([, { session, callId }]) => this.openIn(session).includes(callId));
    const chosen = random.chance(0.95) && open.length > 0 ? random.pick(open)[0] : [...this.side.calls.keys()].at(-1);
    if (chosen === undefined) return null;
    const outcome = random.chance(0.15) ? { kind: "did_not_happen" } : someOutcome(random);
    const kind: unknown = typeof outcome === "object" && outcome !== null && "kind" in outcome ? outcome.kind : null;
    if (kind === "did_not_happen") this.undone.push(chosen);
    return { op: "settle", call: chosen, outcome, ...this.placeOf(chosen) };
  }

  private openIn(session: string): readonly string[] {
    return this.side.openIn(session);
  }

  /** Mostly one that may still do something. */
  private someSession(sessions: Sessions): Sessions[number] {
    const { random } = this;
    const live = sessions.filter(({ status }) => status === "active");
    return live.length > 0 && random.chance(0.88) ? random.pick(live) : random.pick(sessions);
  }

  private placeOf(call: string): { process: number } {
    return this.place(this.side.calls.get(call)?.session ?? "");
  }

  private place(session: string): { process: number } {
    const { random, habits } = this;
    const home = Number(session.slice(1)) % PROCESSES;
    return { process: random.chance(habits.atHome) && !Number.isNaN(home) ? home : random.below(PROCESSES) };
  }
}
