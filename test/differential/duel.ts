import { isDeepStrictEqual } from "node:util";
import type { Artifact } from "../../src/artifact/compiled.js";
import { type CreateGuard, entriesOf, type Guard, type GuardVerdict, startGuard } from "./adapter.js";
import { FailingStore } from "./failing-store.js";
import type { Operation, Trace } from "./generate/trace.js";
import type { Pack, Verdict } from "./reference/model.js";
import { ReferenceGuard } from "./reference-guard.js";

/** Where the two guards gave different answers. */
export interface Difference {
  readonly at: number;
  readonly what: string;
  readonly reference: unknown;
  readonly guard: unknown;
}

/** One session of both guards. */
export interface Duel {
  readonly decisions: number;
  /** Reasons of the reference's refusals, in their order. */
  readonly reasons: readonly string[];
  readonly difference: Difference | null;
}

const STATE_EVERY = 4;
const MAX_OPEN = 4;
/** A killed session answers one thing for ever; a few operations show it. */
const AFTER_KILL = 4;

interface Answer {
  readonly what: string;
  readonly reference: unknown;
  readonly guard: unknown;
}

const NEVER_ASKED = { reference: "never-asked", guard: "never-asked" };

/** An operation without an answer. */
const DONE: Answer = { what: "nothing", reference: null, guard: null };

function summary(verdict: GuardVerdict | Verdict | { readonly kind: "allow" }): unknown {
  const { kind, reason, would }: { kind: string; reason?: string; would?: GuardVerdict["would"] } = verdict;
  return { kind, reason: reason ?? null, would: would?.kind ?? "allow", wouldReason: would?.reason ?? null };
}

/** Runs a trace operation by operation; the guard is null where the reference runs alone. */
class Session {
  readonly reasons: string[] = [];
  decisions = 0;
  private readonly calls: { readonly reference: string; readonly guard: string }[] = [];
  private readonly requests: { readonly reference: string; readonly guard: string }[] = [];

  constructor(
    private readonly reference: ReferenceGuard,
    private readonly guard: Guard | null,
    private readonly store: FailingStore,
    private readonly wait: (seconds: number) => void,
  ) {}

  /** Null where the operation does not apply: no such call or request, or too many open calls. */
  async perform(operation: Operation): Promise<Answer | null> {
    switch (operation.op) {
      case "propose":
        return this.propose(operation);
      case "settle":
        return this.settle(operation);
      case "approve":
      case "deny":
      case "resume":
        return this.answer(operation.op, operation.back);
      case "beginStep":
        return this.verdict("beginStep", this.reference.beginStep(), await this.guard?.beginStep());
      case "kill":
        this.reference.kill("by the test");
        await this.guard?.kill("by the test");
        return DONE;
      case "recordCost":
        this.reference.recordCost(operation.usd);
        await this.guard?.recordCost(operation.usd);
        return DONE;
      case "addLabel":
        this.reference.addLabel(operation.label);
        await this.guard?.addLabel(operation.label);
        return DONE;
      case "wait":
        this.wait(operation.seconds);
        return DONE;
    }
  }

  private async propose({ tool, args, storeFails }: Extract<Operation, { op: "propose" }>): Promise<Answer | null> {
    // More open calls would make the worlds too many.
    if (this.reference.unsettled().length >= MAX_OPEN) return null;
    if (storeFails === true) return this.fault(tool, args);
    return this.verdict("propose", this.reference.propose({ tool, args }), await this.guard?.propose({ tool, args }));
  }

  /** What could not be recorded did not happen. */
  private async fault(tool: string, args: unknown): Promise<Answer> {
    this.store.fails = true;
    const theirs = await this.guard?.propose({ tool, args });
    this.store.fails = false;
    return this.verdict("propose", { kind: "block", reason: "guard_fault" }, theirs);
  }

  private async answer(op: "approve" | "deny" | "resume", back: number | null): Promise<Answer | null> {
    const request = back === null ? NEVER_ASKED : this.requests.at(-1 - back);
    if (request === undefined) return null;
    const by = { by: "tester" };
    const { reference, guard } = this;
    if (op === "resume") {
      return this.verdict(op, reference.resume(request.reference), await guard?.resume(request.guard));
    }
    return this.verdict(op, reference[op](request.reference, by), await guard?.[op](request.guard, by));
  }

  private async settle({ among, back, outcome }: Extract<Operation, { op: "settle" }>): Promise<Answer | null> {
    const open = new Set(this.reference.unsettled().map(({ callId }) => callId));
    const choices = among === "open" ? this.calls.filter(({ reference }) => open.has(reference)) : this.calls;
    const chosen =
      among === "nothing" ? { reference: "no-call", guard: "no-call" } : choices.at(-1 - (back % choices.length));
    if (chosen === undefined) return null;
    const ours = this.reference.settle(chosen.reference, outcome);
    const theirs = (await this.guard?.settle(chosen.guard, outcome)) ?? ours;
    if ("violation" in theirs) this.noteViolation(theirs.violation);
    const plain = (s: { accepted: boolean; reason?: string; violation?: unknown }): unknown => ({
      accepted: s.accepted,
      reason: s.reason ?? null,
      violated: s.violation !== undefined && s.violation !== null,
    });
    return { what: "settle", reference: plain(ours), guard: plain(theirs) };
  }

  /** Which rule an output broke only the guard tells; that it broke one, both do. */
  private noteViolation(violation: unknown): void {
    if (typeof violation !== "object" || violation === null || !("reason" in violation)) return;
    this.reasons.push(String(violation.reason));
  }

  private verdict(what: string, ours: Verdict | { readonly kind: "allow" }, theirs: GuardVerdict | undefined): Answer {
    this.decisions += 1;
    const reason =
      "reason" in ours ? ours.reason : "would" in ours && ours.would?.kind === "block" ? ours.would.reason : null;
    if (reason !== null) this.reasons.push(reason);
    const both = theirs ?? ours;
    if ("approvalId" in ours && "approvalId" in both && what === "propose") {
      this.requests.push({ reference: ours.approvalId, guard: both.approvalId ?? "" });
    }
    if (ours.kind === "allow" && "callId" in ours && "callId" in both) this.noteCall(ours.callId, both.callId ?? "");
    return { what, reference: summary(ours), guard: summary(both) };
  }

  /** A verdict may be told twice; then it is about the same call on both sides. */
  private noteCall(reference: string, guard: string): void {
    const known = this.calls.find((call) => call.reference === reference || call.guard === guard);
    if (known === undefined) this.calls.push({ reference, guard });
    else if (known.reference !== reference || known.guard !== guard) throw new Error(`another call: ${guard}`);
  }

  async visibility(): Promise<Answer> {
    type Tools = { visible: Iterable<string>; hidden: Iterable<{ tool: string; reason: string }> };
    const plain = ({ visible, hidden }: Tools): unknown => ({
      visible: [...visible].sort(),
      hidden: [...hidden].map(({ tool, reason }) => `${tool}: ${reason}`).sort(),
    });
    const ours = this.reference.visibleTools();
    return { what: "visibleTools", reference: plain(ours), guard: plain((await this.guard?.visibleTools()) ?? ours) };
  }

  async state(): Promise<Answer> {
    const ours = this.reference.state();
    const theirs = (await this.guard?.state()) ?? ours;
    const callOf = new Map(this.calls.map(({ reference, guard }) => [guard, reference]));
    const plain = (state: typeof theirs, nameOf: (callId: string) => string): unknown => ({
      phase: state.phase ?? null,
      steps: state.steps,
      toolCalls: state.toolCalls,
      bindings: entriesOf(state.bindings),
      aggregates: entriesOf(state.aggregates),
      labels: [...state.labels].sort(),
      killed: Boolean(state.killed),
      unsettled: state.unsettled.map(({ callId, tool, status }) => `${nameOf(callId)} ${tool} ${status}`).sort(),
      cost: state.cost,
    });
    const guard = plain(theirs, (id) => (this.guard === null ? id : (callOf.get(id) ?? id)));
    return { what: "state", reference: plain(ours, (id) => id), guard };
  }
}

type Comparison = "same" | "skipped" | Difference;

async function compared(at: number, ask: () => Promise<Answer | null>): Promise<Comparison> {
  try {
    const answer = await ask();
    if (answer === null) return "skipped";
    return isDeepStrictEqual(answer.reference, answer.guard) ? "same" : { at, ...answer };
  } catch (cause) {
    return { at, what: "exception", reference: null, guard: cause };
  }
}

async function compareAll(session: Session, at: number, operation: Operation): Promise<Comparison> {
  const answer = await compared(at, () => session.perform(operation));
  if (answer !== "same") return answer;
  const visible = await compared(at, () => session.visibility());
  if (visible !== "same" || at % STATE_EVERY !== 0) return visible;
  return compared(at, () => session.state());
}

/** Plays a trace against both guards and compares every answer. */
export async function duel(
  pack: Pack,
  { setting, operations }: Trace,
  real: { readonly create: CreateGuard; readonly artifact: Artifact } | null,
): Promise<Duel> {
  let now = 1_700_000_000_000;
  const options = { ...setting, clock: { now: () => now } };
  const store = new FailingStore();
  const guard = real === null ? null : await startGuard(real.create, real.artifact, { ...options, store });
  const reference = new ReferenceGuard(pack, options);
  const session = new Session(reference, guard, store, (seconds) => {
    now += seconds * 1000;
  });
  let dead = 0;
  for (const [at, operation] of operations.entries()) {
    if (reference.isKilled()) dead += 1;
    if (dead > AFTER_KILL) break;
    const difference = await compareAll(session, at, operation);
    if (typeof difference === "object") return { decisions: session.decisions, reasons: session.reasons, difference };
  }
  const last = await compared(operations.length, () => session.state());
  const difference = typeof last === "object" ? last : null;
  return { decisions: session.decisions, reasons: session.reasons, difference };
}
