import { setImmediate as nextTurn } from "node:timers/promises";
import type { Guard, GuardVerdict, Later } from "./adapter.js";
import {
  plainSettlement,
  plainState,
  plainVerdict,
  plainVisibility,
  reasonOfViolation,
  spoil,
  triedLater,
} from "./answers.js";
import type { Act, Answer, Both } from "./both.js";
import type { Operation } from "./generate/trace.js";
import { Names, NEVER_ASKED, NO_CALL, type Pair } from "./names.js";
import { isJsonOutput } from "./reference/json.js";
import { wrapBoth } from "./wrapped-call.js";

/** More open calls would make the worlds too many. */
const MAX_OPEN = 5;

/** What the guard finds where it has looked at as many worlds as it may. */
const TOO_MANY_WORLDS = "too many unsettled calls that may change it";

type Of<K extends Operation["op"]> = Extract<Operation, { op: K }>;

function hasOutput(outcome: unknown): outcome is { readonly output: unknown } {
  return typeof outcome === "object" && outcome !== null && "output" in outcome;
}

function isUndone(outcome: unknown): boolean {
  return typeof outcome === "object" && outcome !== null && "kind" in outcome && outcome.kind === "did_not_happen";
}

/** Runs operations on both guards, one by one, where a session has several of each, on one of them. */
export class PairedSession {
  decisions = 0;
  /** The guard looked at no more worlds, and made a call wait that the reference decides: from there on the sessions differ. */
  isBounded = false;
  private readonly names = new Names();
  /** Those that do something now. */
  private both: Both;
  /** Those that changed the session last: what another real guard knows of it may be older. */
  private present: Both;

  constructor(
    private readonly guards: Both[],
    private readonly wait: (seconds: number) => void,
  ) {
    this.both = this.chosen(0);
    this.present = this.both;
  }

  get reasons(): readonly string[] {
    return this.both.reasons;
  }

  isKilled(): boolean {
    return this.both.reference.isKilled();
  }

  /** Null where the operation does not apply: no such call or request, or too many open calls. */
  async perform(operation: Operation): Promise<Answer | null> {
    if (operation.op === "wait") {
      this.wait(operation.seconds);
      return { what: "wait", reference: null, guard: null };
    }
    this.both = this.chosen(operation.guard ?? 0);
    const { reference } = this.both;
    const before = reference.revision();
    const answer = await this.done(operation);
    if (operation.op === "reopen" || reference.revision() > before) this.present = this.both;
    return answer;
  }

  private async done(operation: Exclude<Operation, { op: "wait" }>): Promise<Answer | null> {
    const { both } = this;
    const { reference } = both;
    switch (operation.op) {
      case "propose":
        return this.propose(operation);
      case "settle":
        return this.settle(operation);
      case "acknowledge":
        return this.acknowledge(operation);
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
      case "reopen":
        this.both = await both.reopen();
        this.guards[operation.guard ?? 0] = this.both;
        return { what: "reopen", reference: null, guard: null };
    }
  }

  async visibility(): Promise<Answer> {
    const { reference, guard } = this.present;
    const ours = reference.visibleTools();
    const theirs = (await guard?.visibleTools()) ?? ours;
    return { what: "visibleTools", reference: plainVisibility(ours), guard: plainVisibility(theirs) };
  }

  async state(): Promise<Answer> {
    const { reference, guard } = this.present;
    const ours = reference.state();
    const theirs = (await guard?.state()) ?? ours;
    const nameOf = (id: string) => (guard === null ? id : this.names.ofReference(id));
    return { what: "state", reference: plainState(ours, (id) => id), guard: plainState(theirs, nameOf) };
  }

  private chosen(at: number): Both {
    const both = this.guards[at] ?? this.guards[0];
    if (both === undefined) throw new Error("a session without a guard");
    return both;
  }

  private async propose({ tool, args, callKey, store, spoils }: Of<"propose">): Promise<Answer | null> {
    const { both } = this;
    if (both.reference.unsettled().length >= MAX_OPEN) return null;
    const key = callKey === undefined ? {} : { callKey };
    const given = spoils ? structuredClone(args) : args;
    const proposal = this.judged(
      "propose",
      () => both.reference.propose({ tool, args, ...key }),
      (guard) => guard.propose({ tool, args: given, ...key }),
    );
    const answer = await both.run(proposal, store);
    if (spoils) spoil(given);
    return answer;
  }

  private async answer(operation: Of<"approve" | "deny" | "resume">): Promise<Answer | null> {
    const { op, back, store } = operation;
    const request = back === null ? NEVER_ASKED : this.names.requests.at(-1 - back);
    if (request === undefined) return null;
    const { reference } = this.both;
    // A guard that knows of a kill reads nothing more, so its reason may be that of an older state.
    if (reference.isKilled() && this.both !== this.present) return null;
    const answer = this.judged(
      op,
      () => (op === "resume" ? reference.resume(request.reference) : reference[op](request.reference, operation)),
      (guard) => (op === "resume" ? guard.resume(request.guard) : guard[op](request.guard, { by: operation.by })),
    );
    return this.both.run(answer, store);
  }

  private async settle({ among, back, outcome, store, spoils }: Of<"settle">): Promise<Answer | null> {
    const { both, names } = this;
    const chosen = this.call(among, back);
    if (chosen === undefined) return null;
    const isCopied = spoils && hasOutput(outcome) && isJsonOutput(outcome.output);
    const given = isCopied ? structuredClone(outcome) : outcome;
    const settling: Act<Awaited<ReturnType<Guard["settle"]>>> = {
      what: "settle",
      failing: "error",
      ours: () => both.reference.settle(chosen.reference, outcome),
      theirs: (guard) => guard.settle(chosen.guard, given),
      plain: plainSettlement,
      note: ({ accepted }, { violation }) => {
        both.reasons.push(...reasonOfViolation(violation));
        if (accepted && isUndone(outcome)) names.undone.push(chosen);
      },
    };
    const answer = await both.run(settling, store);
    if (isCopied) spoil(given);
    return answer;
  }

  /** The call that an operation means, counted from the last to the first. */
  private call(among: Of<"settle">["among"], back: number): Pair | undefined {
    if (among === "nothing") return NO_CALL;
    const { calls, undone } = this.names;
    const open = new Set(this.both.reference.unsettled().map(({ callId }) => callId));
    const choices = { open: calls.filter(({ reference }) => open.has(reference)), any: calls, undone }[among];
    return choices.at(-1 - (back % choices.length));
  }

  private async acknowledge({ among, back, found, store }: Of<"acknowledge">): Promise<Answer | null> {
    const { both } = this;
    const chosen = this.call(among, back);
    if (chosen === undefined) return null;
    const acknowledging: Act<Awaited<ReturnType<Guard["settle"]>>> = {
      what: "acknowledge",
      failing: "error",
      ours: () => both.reference.acknowledge(chosen.reference, found),
      theirs: (guard) => guard.acknowledge(chosen.guard, found),
      plain: plainSettlement,
      note: ({ accepted }) => {
        both.reasons.push(accepted ? `acknowledged as ${found.happened}` : "no_late_result");
      },
    };
    return both.run(acknowledging, store);
  }

  /** Acts at once, also where the store fails, and is recorded as soon as it works. */
  private async kill({ why, store }: Of<"kill">): Promise<Answer> {
    const { both } = this;
    const { guard } = both;
    both.reference.kill(why);
    if (guard === null) return { what: "kill", reference: true, guard: true };
    if (store !== undefined) both.store?.break(store);
    const killing = triedLater(() => guard.kill(why), true);
    if (store !== undefined) await nextTurn();
    const atOnce = store === undefined || Boolean((await guard.state()).killed);
    both.store?.recover();
    const killed = await killing;
    // An error may report that it could not be recorded yet, but only then.
    return { what: "kill", reference: true, guard: atOnce && (killed.ok || store !== undefined) };
  }

  private async addLabel({ label, store }: Of<"addLabel">): Promise<Answer> {
    const { reference } = this.both;
    const isKnown = reference.state().labels.some((known) => known === label);
    const adding = this.silent(
      "addLabel",
      () => reference.addLabel(label),
      (guard) => guard.addLabel(label),
    );
    // Nothing has to be recorded of a label that is there.
    return this.both.run(adding, isKnown ? undefined : store);
  }

  /** A whole call; where somebody is asked first, the caller gives up and the request is withdrawn. */
  private async wrap(call: Of<"wrap">): Promise<Answer | null> {
    if (this.both.reference.unsettled().length >= MAX_OPEN) return null;
    this.decisions += 1;
    return wrapBoth(this.both, call, this.names);
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
    const found = theirs.would?.found ?? theirs.found ?? "";
    if (found === TOO_MANY_WORLDS && (ours.reason ?? ours.would?.reason) !== "pending_conflict") this.isBounded = true;
    const reason = ours.reason ?? ours.would?.reason;
    if (reason !== undefined) this.both.reasons.push(reason);
    if (ours.kind === "recorded") this.both.reasons.push("recorded");
    if (what === "resume" && ours.kind === "allow" && ours.repeated !== true) this.both.reasons.push("resumed");
    spoil(theirs.context);
    if (what === "propose") this.names.noteRequest(ours, theirs);
    this.names.noteCall(ours, theirs);
  }
}
