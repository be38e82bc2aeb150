import type { Random } from "../support/random.js";
import type { Process } from "./scheduler.js";

/** How often each fault happens, at most; each world has some of them, more rarely or not at all. */
const MOST = {
  lostRequest: 0.04,
  lostAnswer: 0.06,
  lateRequest: 0.03,
  lateAnswer: 0.03,
  repeatedRequest: 0.05,
  repeatedAnswer: 0.05,
  lostNews: 0.3,
  toolFault: 0.5,
  toolLoss: 0.1,
  toolLate: 0.1,
  crash: 0.012,
  freeze: 0.006,
  clockJump: 0.01,
  cut: 0.006,
  readOnly: 0.006,
  conflicts: 0.004,
  wrongSettlement: 0.3,
} as const;

export type FaultName = keyof typeof MOST;

const NAMES = Object.keys(MOST) as FaultName[];

/** The trouble of a process with its store: when it last was grave, silence or worse, and how many quick errors there were. */
interface Trouble {
  graveAt: number;
  slight: number;
}

/** Which faults happen, and when. */
export class Faults {
  private readonly rates = new Map<FaultName, number>();
  private readonly trouble = new WeakMap<Process, Trouble>();
  readonly hasStoreClock: boolean;

  constructor(private readonly random: Random) {
    const isQuiet = random.below(12) === 0;
    for (const name of NAMES) {
      const isOn = !isQuiet && random.below(3) > 0;
      this.rates.set(name, isOn ? MOST[name] * random.next() : 0);
    }
    this.hasStoreClock = random.below(2) === 0;
  }

  happens(name: FaultName): boolean {
    const rate = this.rates.get(name) ?? 0;
    return rate > 0 && this.random.next() < rate;
  }

  stop(): void {
    this.rates.clear();
  }

  troubleOf(process: Process): Trouble {
    const known = this.trouble.get(process);
    if (known !== undefined) return known;
    const none = { graveAt: Number.NEGATIVE_INFINITY, slight: 0 };
    this.trouble.set(process, none);
    return none;
  }

  noteSlight(process: Process): void {
    this.troubleOf(process).slight += 1;
  }

  noteGrave(process: Process, at: number): void {
    const trouble = this.troubleOf(process);
    trouble.graveAt = Math.max(trouble.graveAt, at);
  }
}

/** What a world is made of. */
export interface Plan {
  /** So many write at once that some do not get a turn. */
  readonly isCrowd: boolean;
  /** Sessions that are worked on at the same time. */
  readonly sessions: number;
  readonly workers: number;
  /** What one worker does at a time. */
  readonly threads: number;
  /** How long a worker rests between two things, at most. */
  readonly paceMs: number;
  readonly operators: number;
  /** How likely an operator who looks at a request answers it: many expire where few are answered. */
  readonly answers: number;
  readonly isSealed: boolean;
  readonly storeArguments: "needed" | "all";
  readonly quorum: number;
  readonly mode: "enforce" | "shadow" | "log-only";
  readonly storeTimeoutMs: number;
  readonly settleTimeoutMs: number;
}

/** Worlds of these numbers in each twenty are in these modes, so that no seed is without them. */
const SURE_MODES: ReadonlyMap<number, Plan["mode"]> = new Map([
  [10, "log-only"],
  [13, "shadow"],
]);

function anyMode(random: Random): Plan["mode"] {
  if (random.below(10) > 0) return "enforce";
  return random.below(2) === 0 ? "shadow" : "log-only";
}

export function planOf(random: Random, run: number): Plan {
  const isCrowd = random.below(12) === 0;
  const isLazy = !isCrowd && random.below(5) === 0;
  return {
    isCrowd,
    sessions: isCrowd ? 1 : 1 + random.below(2),
    workers: isCrowd ? 9 : 1 + random.below(3),
    threads: isCrowd ? 1 : 1 + random.below(3),
    paceMs: isCrowd ? 1 : isLazy ? 1_000 : 30,
    answers: isLazy ? 0.01 : 0.6,
    operators: 2,
    isSealed: random.below(6) === 0,
    storeArguments: random.below(3) === 0 ? "all" : "needed",
    quorum: random.below(3) === 0 ? 2 : 1,
    mode: SURE_MODES.get(run % 20) ?? anyMode(random),
    storeTimeoutMs: 400,
    settleTimeoutMs: random.below(2) === 0 ? 900 : 4_000,
  };
}
