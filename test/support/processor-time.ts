import { performance } from "node:perf_hooks";

/** What some work returned, and how long it took. */
interface Timed<T> {
  readonly result: T;
  /** Milliseconds by the clock or of processor time, whichever are fewer: what other processes take does not count. */
  readonly milliseconds: number;
}

/** Measures synchronous work. */
export function timed<T>(work: () => T): Timed<T> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, milliseconds: Math.min(performance.now() - start, (user + system) / 1000) };
}
