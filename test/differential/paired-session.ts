import { setImmediate as nextTurn } from "node:timers/promises";
import type { Guard, GuardVerdict, Later } from "./adapter.js";
import { plainSettlement, plainState, plainVerdict, plainVisibility, spoil, triedLater } from "./answers.js";
import { type Act, type Answer, Both } from "./both.js";
import type { FailingStore } from "./failing-store.js";
import type { Operation } from "./generate/trace.js";
import { isJsonOutput } from "./reference/json.js";
import type { ReferenceGuard } from "./reference-guard.js";

/** The names that both guards gave to the same call or request. */
interface Pair {
  readonly reference: string;
  readonly guard: string;
}

const NEVER_ASKED: Pair = { reference: "never-asked", guard: "never-asked" };
const NO_CALL: Pair = { reference: "no-call", guard: "no-call" };
const BY = { by: "tester" };
/** More open calls would make the worlds too many. */
const MAX_OPEN = 5;

type Of<K extends Operation["op"]> = Extract<Operation, { op: K }>;

function hasOutput(outcome: unknown): outcome is { readonly output: unknown } {
  return typeof outcome === "object" && outcome !== null && "output" in outcome;
}

/** Only the guard says which rule an output broke; both say that it broke one. */
function reasonOfViolation(violation: unknown): readonly string[] {
  if (typeof violation !== "object" || violation === null || !("reason" in violation)) return [];
  return [String(violation.reason)];
}

/** Runs operations on both guards, one by one. */
export class PairedSession {
  decisions = 0;
  private readonly both: Both;
  private readonly calls: Pair[] = [];
  private readonly requests: Pair[] = [];

  constructor(
    private readonly reference: ReferenceGuard,
    private readonly guard: Guard | null,
    store: FailingStore,
    private readonly wait: (seconds: number) => void,
  ) {
    this.both = new Both(reference, guard, store);
  }

  get reasons(): readonly string[] {
    return this.both.reasons;
  }

  /** Null where the operation does not apply: no such call or request, or too many open calls. */
  async perform(operation: Operation): Promise<Answer | null> {
    const { reference, both } = this;
    switch (operation.op) {
      case "propose":
        return this.propose(operation);
      case "settle":
        return this.settle(operation);
      case "approve":
      case "deny":
      case "resume":
        return this.answer(operation);
      case "beginStep": {
        const begin = this.judged(
          "beginStep",
          () => reference.beginStep(),
          (guard) => guard.beginStep(),
        );
        return both.run(begin, operation.store);
      }
      case "kill":
        return this.kill(operation);
      case "recordCost": {
        const { usd, store } = operation;
        const cost = this.silent(
          "recordCost",
          () => reference.recordCost(usd),
          (guard) => guard.recordCost(usd),
        );
        return both.run(cost, store);
      }
      case "addLabel":
        return this.addLabel(operation);
      case "wrap":
        return this.wrap(operation);
      case "wait":
        this.wait(operation.seconds);
        return { what: "wait", reference: null, guard: null };
    }
  }

  async visibility(): Promise<Answer> {
    const ours = this.reference.visibleTools();
    const theirs = (await this.guard?.visibleTools()) ?? ours;
    return { what: "visibleTools", reference: plainVisibility(ours), guard: plainVisibility(theirs) };
  }

  async state(): Promise<Answer> {
    const ours = this.reference.state();
    const theirs = (await this.guard?.state()) ?? ours;
    const names = new Map(this.calls.map(({ reference, guard }) => [guard, reference]));
    const guard = plainState(theirs, (id) => (this.guard === null ? id : (names.get(id) ?? id)));
    return { what: "state", reference: plainState(ours, (id) => id), guard };
  }

  private async propose({ tool, args, callKey, store, spoils }: Of<"propose">): Promise<Answer | null> {
    if (this.reference.unsettled().length >= MAX_OPEN) return null;
    const key = callKey === undefined ? {} : { callKey };
    const given = spoils ? structuredClone(args) : args;
    const proposal = this.judged(
      "propose",
      () => this.reference.propose({ tool, args, ...key }),
      (guard) => guard.propose({ tool, args: given, ...key }),
    );
    const answer = await this.both.run(proposal, store);
    if (spoils) spoil(given);
    return answer;
  }

  private async answer({ op, back, store }: Of<"approve" | "deny" | "resume">): Promise<Answer | null> {
    const request = back === null ? NEVER_ASKED : this.requests.at(-1 - back);
    if (request === undefined) return null;
    const { reference } = this;
    const answer = this.judged(
      op,
      () => (op === "resume" ? reference.resume(request.reference) : reference[op](request.reference, BY)),
      (guard) => (op === "resume" ? guard.resume(request.guard) : guard[op](request.guard, BY)),
    );
    return this.both.run(answer, store);
  }

  private async settle({ among, back, outcome, store, spoils }: Of<"settle">): Promise<Answer | null> {
    const open = new Set(this.reference.unsettled().map(({ callId }) => callId));
    const choices = among === "open" ? this.calls.filter(({ reference }) => open.has(reference)) : this.calls;
    const chosen = among === "nothing" ? NO_CALL : choices.at(-1 - (back % choices.length));
    if (chosen === undefined) return null;
    const isCopied = spoils && hasOutput(outcome) && isJsonOutput(outcome.output);
    const given = isCopied ? structuredClone(outcome) : outcome;
    const settling: Act<Awaited<ReturnType<Guard["settle"]>>> = {
      what: "settle",
      failing: "error",
      ours: () => this.reference.settle(chosen.reference, outcome),
      theirs: (guard) => guard.settle(chosen.guard, given),
      plain: plainSettlement,
      note: (_, { violation }) => {
        this.both.reasons.push(...reasonOfViolation(violation));
      },
    };
    const answer = await this.both.run(settling, store);
    if (isCopied) spoil(given);
    return answer;
  }

  /** Acts at once, also where the store fails, and is recorded as soon as it works. */
  private async kill({ why, store }: Of<"kill">): Promise<Answer> {
    const { reference, guard, both } = this;
    reference.kill(why);
    if (guard === null) return { what: "kill", reference: true, guard: true };
    if (store !== undefined) both.store.break(store);
    const killing = triedLater(() => guard.kill(why), true);
    if (store !== undefined) await nextTurn();
    const atOnce = store === undefined || Boolean((await guard.state()).killed);
    both.store.recover();
    const killed = await killing;
    // An error may report that it could not be recorded yet, but only then.
    return { what: "kill", reference: true, guard: atOnce && (killed.ok || store !== undefined) };
  }

  private async addLabel({ label, store }: Of<"addLabel">): Promise<Answer> {
    const isKnown = this.reference.state().labels.some((known) => known === label);
    const adding = this.silent(
      "addLabel",
      () => this.reference.addLabel(label),
      (guard) => guard.addLabel(label),
    );
    // Nothing has to be recorded of a label that is there.
    return this.both.run(adding, isKnown ? undefined : store);
  }

  /** A whole call; where somebody is asked first, the caller gives up and the request is withdrawn. */
  private async wrap({ tool, args, output, promptly }: Of<"wrap">): Promise<Answer | null> {
    const { reference, guard } = this;
    if (reference.unsettled().length >= MAX_OPEN) return null;
    const ours = reference.propose({ tool, args });
    this.decisions += 1;
    const asked: string[] = [];
    const theirs = guard === null ? null : await this.wrapped(guard, { tool, args, output, promptly }, asked);
    if (ours.kind === "block") {
      this.both.reasons.push(ours.reason);
      return { what: "wrap", reference: ours.reason, guard: theirs ?? ours.reason };
    }
    if (ours.kind === "allow") {
      const settled = reference.settle(ours.callId, { kind: "result", output });
      const word = settled.accepted && settled.violation ? "violated" : "done";
      return { what: "wrap", reference: word, guard: theirs?.replace(/^output_\w+$/, "violated") ?? word };
    }
    reference.withdraw(ours.approvalId);
    this.requests.push({ reference: ours.approvalId, guard: asked[0] ?? ours.approvalId });
    return { what: "wrap", reference: "withdrawn", guard: theirs ?? "withdrawn" };
  }

  /** How the call of the real guard ended, in one word: done, withdrawn, or the reason of a refusal. */
  private async wrapped(
    guard: Guard,
    { tool, args, output, promptly }: Omit<Of<"wrap">, "op">,
    asked: string[],
  ): Promise<string> {
    const caller = new AbortController();
    guard.on("approval_requested", ({ approvalId }) => {
      asked.push(approvalId);
      if (promptly) caller.abort();
      else setImmediate(() => caller.abort());
    });
    const call = guard.wrap(async () => structuredClone(output));
    const ended = await triedLater(() => call(tool, structuredClone(args), { signal: caller.signal }), true);
    if (ended.ok) return "done";
    if (caller.signal.aborted) return "withdrawn";
    const { cause } = ended;
    if (typeof cause !== "object" || cause === null || !("verdict" in cause)) throw cause;
    return reasonOfViolation(cause.verdict)[0] ?? "no reason";
  }

  /** Something that is answered with a verdict. */
  private judged(
    what: string,
    ours: () => GuardVerdict,
    theirs: (guard: Guard) => Later<GuardVerdict>,
  ): Act<GuardVerdict> {
    this.decisions += 1;
    return {
      what,
      ours,
      theirs,
      plain: plainVerdict,
      note: (a, b) => this.noteVerdict(what, a, b),
      failing: "verdict",
    };
  }

  /** Something that is answered with nothing. */
  private silent(what: string, ours: () => void, theirs: (guard: Guard) => Later<void>): Act<void> {
    return { what, ours, theirs, plain: () => null, note: () => {}, failing: "error" };
  }

  private noteVerdict(what: string, ours: GuardVerdict, theirs: GuardVerdict): void {
    const reason = ours.reason ?? ours.would?.reason;
    if (reason !== undefined) this.both.reasons.push(reason);
    spoil(theirs.context);
    const isNew = ours.repeated !== true;
    if (ours.approvalId !== undefined && what === "propose" && isNew) {
      this.requests.push({ reference: ours.approvalId, guard: theirs.approvalId ?? "" });
    }
    if (ours.kind === "allow" && ours.callId !== undefined) this.noteCall(ours.callId, theirs.callId ?? "");
  }

  /** A verdict may be given twice; then it is about the same call on both sides. */
  private noteCall(reference: string, guard: string): void {
    const known = this.calls.find((call) => call.reference === reference || call.guard === guard);
    if (known === undefined) this.calls.push({ reference, guard });
    else if (known.reference !== reference || known.guard !== guard) throw new Error(`another call: ${guard}`);
  }
}
