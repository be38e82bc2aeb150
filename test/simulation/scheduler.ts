import type { Random } from "../support/random.js";

/** What can crash on its own: everything that runs on its behalf ends with it. */
export class Process {
  isDead = false;
  /** It does nothing before this time, as in a long pause of its machine. */
  frozenUntil = 0;
  /** How far its clock is off. */
  skew = 0;

  constructor(readonly name: string) {}
}

/** Something that happens at a time. It stands in for a timer of Node, too. */
export class Task {
  isCancelled = false;

  constructor(
    public time: number,
    readonly serial: number,
    readonly owner: Process | null,
    readonly run: () => void,
  ) {}

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.time < b.time || (a.time === b.time && a.serial < b.serial);
}

/** Virtual time: what is to come, in order. Nothing happens but by it. */
export class Scheduler {
  now = 0;
  /** On whose behalf the present step runs: whatever it starts belongs to the same process. */
  current: Process | null = null;
  private serial = 0;
  private readonly heap: Task[] = [];

  constructor(readonly random: Random) {}

  /** Hears what happens, to follow one run by eye. */
  say: ((what: () => string) => void) | null = null;

  /** How much is to come, cancelled things included. */
  get size(): number {
    return this.heap.length;
  }

  /** Plans something for the present process. */
  after(ms: number, run: () => void): Task {
    return this.plan(ms, this.current, run);
  }

  /** Plans something for a process, or for what never crashes. */
  plan(ms: number, owner: Process | null, run: () => void): Task {
    const task = new Task(this.now + Math.max(0, ms), this.serial++, owner, run);
    this.push(task);
    return task;
  }

  /** Waits; for the code of processes. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** The next thing that happens; undefined if there is none. */
  next(): Task | undefined {
    for (let task = this.pop(); task !== undefined; task = this.pop()) {
      const { owner } = task;
      if (task.isCancelled || owner?.isDead === true) continue;
      if (owner !== null && owner.frozenUntil > task.time) {
        task.time = owner.frozenUntil;
        this.push(task);
        continue;
      }
      this.now = Math.max(this.now, task.time);
      this.current = owner;
      return task;
    }
    return undefined;
  }

  private push(task: Task): void {
    const { heap } = this;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(task, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = task;
  }

  private pop(): Task | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1];
      let below = heap[child];
      if (below !== undefined && right !== undefined && isBefore(right, below)) {
        below = right;
        child += 1;
      }
      if (below === undefined || !isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
