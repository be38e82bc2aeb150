import { foreignErrorName } from "../base/foreign-value.js";
import type { GuardEvents } from "./public.js";

/** What a listener gives back is of no interest, but a promise that it fails to keep would end the process. */
type Listener<K extends keyof GuardEvents> = (event: GuardEvents[K]) => unknown;

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

  emit<K extends keyof GuardEvents>(name: K, event: GuardEvents[K]): void {
    for (const listener of this.listeners.get(name) ?? []) {
      const warn = (cause: unknown) => {
        // Not thrown: it would end the agent's process. Not shown in full: it may hold what was found.
        process.emitWarning(`a listener of "${name}" failed: ${foreignErrorName(cause)}`);
      };
      try {
        const answer = (listener as Listener<K>)(event); // stored under its own name
        // A promise of ours around it: its own `then` and `catch` may be anything.
        if (typeof answer === "object" && answer !== null) new Promise((resolve) => resolve(answer)).catch(warn);
      } catch (cause) {
        warn(cause);
      }
    }
  }
}
