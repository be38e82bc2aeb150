import { foreignErrorName } from "../base/foreign-value.js";
import { nameHelp } from "../base/suggest.js";
import type { GuardEvents } from "./public.js";

/** What a listener returns is ignored, but a promise that rejects would end the process. */
type Listener<K extends keyof GuardEvents> = (event: GuardEvents[K]) => unknown;

/** An event of its own for each listener: what one listener changes, the next one does not see. */
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

const EVENTS: Readonly<Record<keyof GuardEvents, true>> = {
  decision: true,
  settled: true,
  killed: true,
  approval_requested: true,
  approval_answered: true,
};

/** A misspelt name would be that of an event which never comes. */
function checkListener(name: unknown, listener: unknown): void {
  if (typeof name !== "string" || !Object.hasOwn(EVENTS, name)) {
    // Converting anything but a text could run code of the caller.
    const word = typeof name === "string" ? name.slice(0, 40) : "";
    throw new TypeError(`a guard has no event ${JSON.stringify(word)}; ${nameHelp(word, Object.keys(EVENTS))}`);
  }
  if (typeof listener !== "function") throw new TypeError("a listener must be a function");
}

/** The listeners of a guard. A listener that fails changes no verdict. */
export class Listeners {
  private readonly listeners = new Map<keyof GuardEvents, Set<Listener<never>>>();

  /** Adds a listener; the function it returns removes it. */
  on<K extends keyof GuardEvents>(name: K, listener: Listener<K>): () => void {
    checkListener(name, listener);
    const known = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, known.add(listener));
    return () => {
      known.delete(listener);
    };
  }

  /** Whether there is a listener: an event without one need not be built. */
  hears(name: keyof GuardEvents): boolean {
    return this.listeners.size > 0 && (this.listeners.get(name)?.size ?? 0) > 0;
  }

  emit<K extends keyof GuardEvents>(name: K, event: GuardEvents[K]): void {
    const known = this.listeners.get(name);
    if (known === undefined || known.size === 0) return;
    // A copy of the list: a listener that adds another each time would never end.
    for (const listener of [...known]) {
      const warn = (cause: unknown) => {
        // Not thrown: that would end the agent's process. Only the name: the message may hold arguments.
        process.emitWarning(`a listener of "${name}" failed: ${foreignErrorName(cause)}`);
      };
      try {
        const answer = (listener as Listener<K>)(copyOf(event)); // stored under its own name
        // Wrapped in a promise of ours: its own `then` and `catch` may do anything.
        if (typeof answer === "object" && answer !== null) new Promise((resolve) => resolve(answer)).catch(warn);
      } catch (cause) {
        warn(cause);
      }
    }
  }
}
