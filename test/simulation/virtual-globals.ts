import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import type { Scheduler } from "./scheduler.js";

/** A year or so after 1970: far from the times at which numbers change their length. */
export const EPOCH = 1_700_000_000_000;

type Owner = object;

/** Replaces a property; the function that it returns puts the old one back. */
function replace(owner: Owner, name: string, value: unknown): () => void {
  const old = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { configurable: true, writable: true, enumerable: true, value });
  return () => {
    if (old === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, old);
  };
}

function cancel(timer: { isCancelled?: boolean } | undefined | null): void {
  if (timer) timer.isCancelled = true;
}

/** Ids that look like those of `randomUUID`. */
function ids({ random }: Scheduler): () => string {
  const hex = (digits: number) =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  return () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
}

/**
 * Puts a scheduler behind timers, clocks, chance and ids, for the whole process. The sources stay as they are: what they take from
 * Node is replaced, their imports of it too. The function that this returns puts everything back.
 */
export function installVirtualTime(scheduler: Scheduler, onWarning: () => void): () => void {
  const after = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    scheduler.after(ms, () => run(...args));
  const soon = (run: (...args: unknown[]) => void, ...args: unknown[]) => scheduler.after(0, () => run(...args));
  const restore = [
    replace(globalThis, "setTimeout", after),
    replace(globalThis, "clearTimeout", cancel),
    replace(globalThis, "setImmediate", soon),
    replace(globalThis, "clearImmediate", cancel),
    replace(Date, "now", () => EPOCH + scheduler.now + (scheduler.current?.skew ?? 0)),
    replace(performance, "now", () => scheduler.now),
    replace(Math, "random", () => scheduler.random.next()),
    replace(process, "emitWarning", onWarning),
    replace(crypto, "randomUUID", ids(scheduler)),
    replace(
      timersPromises,
      "setImmediate",
      (value: unknown) =>
        new Promise((resolve) => {
          scheduler.after(0, () => resolve(value));
        }),
    ),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const back of restore.reverse()) back();
    syncBuiltinESMExports();
  };
}
