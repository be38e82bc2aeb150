import type { Artifact } from "../../../src/artifact/compiled.js";
import { randomFrom } from "../../support/random.js";
import type { View } from "../../workflow-reference/reference/view.js";
import type { Coverage } from "../coverage.js";
import { Network } from "../network.js";
import { Faults } from "../plan.js";
import { Scheduler } from "../scheduler.js";
import { Account } from "./account.js";
import { Agent } from "./agent.js";
import { Operator } from "./operator.js";
import { simulatedWorkflow } from "./pack.js";
import type { Participant } from "./participant.js";
import type { Watch } from "./watch.js";

/** One workflow with the processes that take part in it, from one seed. */
export class World {
  readonly artifact: Artifact;
  readonly account: Account;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly watches = new Set<Watch>();
  readonly participants = new Set<Participant>();
  /** Whether an operator kills the whole workflow at some time. */
  readonly isShort: boolean;
  isEnding = false;
  failure: { readonly cause: unknown } | null = null;
  readonly faults: Faults;
  private serial = 0;

  constructor(
    seed: number,
    run: number,
    readonly coverage: Coverage,
  ) {
    const random = randomFrom(seed, run);
    this.scheduler = new Scheduler(random);
    const { pack, artifact } = simulatedWorkflow(random);
    this.artifact = artifact;
    this.account = new Account(pack, coverage);
    this.isShort = random.below(4) === 0;
    this.faults = new Faults(random);
    this.network = new Network(this.scheduler, this.faults, coverage);
    this.network.onRecorded = (write) => this.account.recorded(write);
  }

  get view(): View {
    return this.account.view;
  }

  open(): void {
    const { random } = this.scheduler;
    for (let at = 2 + random.below(3); at > 0; at -= 1) this.hire(Agent, "agent");
    this.hire(Operator, "operator");
  }

  fail(cause: unknown): void {
    this.failure ??= { cause };
  }

  newSessionId(): string {
    this.serial += 1;
    return `s${this.serial}`;
  }

  /** Whether an agent that lives runs the session. */
  isRunBy(session: string): boolean {
    return [...this.participants].some((one) => one instanceof Agent && one.sessions.has(session));
  }

  /** Everything that is true once nothing happens in this step any more. */
  check(): void {
    if (!this.account.check()) return;
    for (const watch of this.watches) watch.look();
  }

  /** The faults that come from nowhere, once a step. */
  strike(): void {
    const { faults, scheduler, coverage } = this;
    const { random } = scheduler;
    if (faults.happens("cut")) this.network.cut(random.below(3_000));
    if (faults.happens("readOnly")) this.network.makeReadOnly(random.below(2_000));
    if (faults.happens("conflicts")) this.network.makeConflicted(random.below(1_500));
    if (faults.happens("crash")) this.crash();
    if (!faults.happens("freeze")) return;
    const { process } = random.pick([...this.participants]);
    coverage.hit("fault", "a process is frozen");
    process.frozenUntil = scheduler.now + random.below(5_000);
    faults.noteGrave(process, process.frozenUntil);
  }

  private hire(Kind: typeof Agent | typeof Operator, kind: string): void {
    this.serial += 1;
    const one = new Kind(this, `${kind}-${this.serial}`);
    this.participants.add(one);
    const start = () => void one.start().catch((cause) => this.fail(cause));
    this.scheduler.plan(this.scheduler.random.next() * 20, one.process, start);
  }

  private crash(): void {
    const { scheduler, coverage } = this;
    const one = scheduler.random.pick([...this.participants]);
    coverage.hit("fault", "a process crashes");
    one.process.isDead = true;
    this.participants.delete(one);
    const Kind = one instanceof Agent ? Agent : Operator;
    scheduler.plan(scheduler.random.below(2_000), null, () => {
      if (!this.isEnding) this.hire(Kind, one instanceof Agent ? "agent" : "operator");
    });
    // Somebody is always there.
    if (this.participants.size === 0) this.hire(Agent, "agent");
  }
}
