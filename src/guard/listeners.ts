import { foreignErrorName } from "../base/foreign-value.js";
import type { GuardEvents } from "./public.js";

/** What a listener gives back is of no interest, but a promise that it fails to keep would end the process. */
type Listener<K extends keyof GuardEvents> = (event: GuardEvents[K]) => unknown;

/** An event of its own for each listener: what one does to it is not what the next one hears. */
function copyOf<T extends object>(event: T): T {
  const copy = { ...event };
  for (const [name, value] of Object.entries(copy)) {
    if (Array.isArray(value))
      Reflect.set(
        copy,
        name,
        value.map((each: object) => ({ ...each })),
      );
    else if (typeof value === "object" && value !== null) Reflect.set(copy, name, { ...value });
  }
  return copy;
}

/** Who wants to know what a guard does. A listener that fails is not the guard's concern, and changes no verdict. */
export class Listeners {
  private readonly listeners = new Map<keyof GuardEvents, Set<Listener<never>>>();

  /** Adds a listener; calling what it gives back removes it. */
  on<K extends keyof GuardEvents>(name: K, listener: Listener<K>): () => void {
    const known = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, known.add(listener));
    return () => {
      known.delete(listener);
    };
  }

  /** Whether anybody listens: what nobody hears need not be made. */
  hears(name: keyof GuardEvents): boolean {
    return this.listeners.size > 0 && (this.listeners.get(name)?.size ?? 0) > 0;
  }

  emit<K extends keyof GuardEvents>(name: K, event: GuardEvents[K]): void {
    const known = this.listeners.get(name);
    if (known === undefined || known.size === 0) return;
    // Those who listen now: one that adds another each time would be called for ever.
    for (const listener of [...known]) {
      const warn = (cause: unknown) => {
        // Not thrown: it would end the agent's process. Not shown in full: it may hold what was found.
        process.emitWarning(`a listener of "${name}" failed: ${foreignErrorName(cause)}`);
      };
      try {
        const answer = (listener as Listener<K>)(copyOf(event)); // stored under its own name
        // A promise of ours around it: its own `then` and `catch` may be anything.
        if (typeof answer === "object" && answer !== null) new Promise((resolve) => resolve(answer)).catch(warn);
      } catch (cause) {
        warn(cause);
      }
    }
  }
}
