import type { JsonObject } from "../../src/base/json.js";
import { NotExecuted } from "../../src/guard/wrap/not-executed.js";
import type { Coverage } from "./coverage.js";
import type { Faults } from "./plan.js";
import type { Process, Scheduler } from "./scheduler.js";

/** One call on its way to the tool. */
export interface ToolRequest {
  readonly session: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** What is to be done: the same in every attempt. */
  readonly ref: string;
  /** Who sends it: attempts of one caller share it. */
  readonly sender: string;
}

/** What a request did for real. */
export type Effect = ToolRequest;

/** How the tool answers a request that arrived, and whether it did what it was asked for. */
interface Reaction {
  readonly name: string;
  readonly isDone: boolean;
  answer(request: ToolRequest): unknown;
}

function failing(name: string, isDone: boolean, fields: object): Reaction {
  return {
    name,
    isDone,
    answer() {
      throw Object.assign(new Error(name), fields);
    },
  };
}

const REFUSED: Reaction = failing("409", false, { status: 409 });

const FAULTS: readonly Reaction[] = [
  failing("400", false, { status: 400 }),
  failing("404", false, { status: 404 }),
  failing("429", false, { status: 429, retryAfter: 0.2 }),
  failing("500 without effect", false, { status: 500 }),
  failing("500 after the effect", true, { status: 500 }),
  failing("503", false, { status: 503 }),
  failing("408 after the effect", true, { status: 408 }),
  failing("declined", false, { code: "declined", answered: true }),
  failing("odd after the effect", true, { code: "odd" }),
  failing("a refusal of the tool", false, { answered: true }),
  {
    name: "not executed",
    isDone: false,
    answer() {
      throw new NotExecuted("the tool did nothing");
    },
  },
  { name: "an output that breaks a rule", isDone: true, answer: () => ({ ok: false, price: -1 }) },
  { name: "an output that is no JSON", isDone: true, answer: () => ({ ok: true, big: 1n }) },
];

/** Everything that the tool may do with a request. */
export const REACTIONS: readonly string[] = ["done", ...[...FAULTS, REFUSED].map(({ name }) => name)];

/** A tool that counts what it did. It does it when a request arrives, and never twice for the same sender. */
export class ToolServer {
  /** By session and ref. */
  readonly effects = new Map<string, Effect[]>();
  private readonly fenced = new Set<string>();
  onEffect: (effect: Effect) => void = () => undefined;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly faults: Faults,
    private readonly coverage: Coverage,
  ) {}

  /** Whether it was done, as far as is known now. */
  hasDone(session: string, ref: string): boolean {
    return this.effects.has(`${session} ${ref}`);
  }

  /** From now on no request for this is served: what is on its way comes to nothing. */
  fence(session: string, ref: string): void {
    this.fenced.add(`${session} ${ref}`);
  }

  send(process: Process, request: ToolRequest): Promise<unknown> {
    const { scheduler, faults, coverage } = this;
    return new Promise((resolve, reject) => {
      const answer = (reaction: Reaction) => {
        if (faults.happens("toolLoss")) return coverage.hit("tool", "the answer is lost");
        return scheduler.plan(this.delay(), process, () => {
          try {
            resolve(reaction.answer(request));
          } catch (cause) {
            reject(cause);
          }
        });
      };
      if (faults.happens("toolLoss")) return this.lose(process, reject);
      const isLate = faults.happens("toolLate");
      if (isLate) coverage.hit("tool", "a late request");
      scheduler.plan(isLate ? scheduler.random.below(6_000) : this.delay(), null, () => answer(this.serve(request)));
    });
  }

  private lose(process: Process, reject: (cause: unknown) => void): void {
    const { scheduler, coverage } = this;
    const isSaid = scheduler.random.below(2) === 0;
    coverage.hit("tool", isSaid ? "never sent" : "the request is lost");
    if (isSaid) {
      const cause = Object.assign(new Error("no connection"), { code: "ECONNREFUSED", sent: false });
      scheduler.plan(this.delay(), process, () => reject(cause));
    }
  }

  private serve(request: ToolRequest): Reaction {
    const { session, ref, sender } = request;
    const key = `${session} ${ref}`;
    const reaction = this.fenced.has(key) ? REFUSED : this.reaction();
    this.coverage.hit("tool", reaction.name);
    if (!reaction.isDone) return reaction;
    const done = this.effects.get(key) ?? [];
    // The same call of the same sender is done once, as with the key of a payment.
    if (done.some((effect) => effect.sender === sender)) return reaction;
    this.effects.set(key, [...done, request]);
    this.onEffect(request);
    return reaction;
  }

  private reaction(): Reaction {
    if (this.faults.happens("toolFault")) return this.scheduler.random.pick(FAULTS);
    const price = 10 + this.scheduler.random.below(30);
    return { name: "done", isDone: true, answer: ({ ref }) => ({ ok: true, id: ref, price }) };
  }

  private delay(): number {
    const { random } = this.scheduler;
    return random.below(10) === 0 ? random.next() * 300 : 1 + random.next() * 20;
  }
}
