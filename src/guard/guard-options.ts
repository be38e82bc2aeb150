import { suggest } from "../base/suggest.js";
import type { Clock, GuardOptions } from "./public.js";

const KNOWN: Readonly<Record<keyof GuardOptions, true>> = {
  sessionId: true,
  principal: true,
  mode: true,
  unmatched: true,
  approver: true,
  store: true,
  storeTimeoutMs: true,
  settleTimeoutMs: true,
  clock: true,
  env: true,
  role: true,
  workflow: true,
};

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === "function");
}

/** A misspelt option would be no option at all, and a rule that somebody counts on would not hold. */
function checkNames(options: GuardOptions): void {
  const known = Object.keys(KNOWN);
  for (const name of Object.keys(options)) {
    const meant = known.includes(name) ? undefined : suggest(name, known);
    if (meant !== undefined) throw new TypeError(`there is no option \`${name}\`; did you mean \`${meant}\`?`);
  }
}

/** Refuses what no guard could work with; undefined stands for an option that was not given, null does not. */
function checkKinds({ sessionId, mode, unmatched, approver, store, clock, env, role }: GuardOptions): void {
  const wrong = (what: string) => new TypeError(what);
  if (sessionId !== undefined && (typeof sessionId !== "string" || sessionId === "")) {
    throw wrong("`sessionId` is a text that is not empty");
  }
  if (mode !== undefined && !["enforce", "shadow", "log-only"].includes(mode)) {
    throw wrong("`mode` is enforce, shadow or log-only");
  }
  if (unmatched !== undefined && !["block", "allow"].includes(unmatched)) {
    throw wrong("`unmatched` is block or allow");
  }
  if (approver !== undefined && approver !== "manual" && typeof approver !== "function") {
    throw wrong('`approver` is "manual" or a function');
  }
  if (store !== undefined && !hasMethods(store, "load", "append")) {
    throw wrong("`store` is an object with `load` and `append`");
  }
  if (clock !== undefined && !hasMethods(clock, "now")) throw wrong("`clock` is an object with `now()`");
  if (env !== undefined && env !== "lenient" && !isObject(env)) {
    throw wrong('`env` is an object of variables, or "lenient"');
  }
  if (role !== undefined && typeof role !== "string") throw wrong("`role` is the name of a role");
}

/** Checks the options of a guard and copies them: they are read once. */
export function checkedOptions(options: unknown): GuardOptions {
  if (!isObject(options) || Array.isArray(options)) throw new TypeError("the options of a guard are an object");
  const copy: GuardOptions = { ...options };
  checkNames(copy);
  checkKinds(copy);
  return copy;
}

/** A clock whose answers can be relied on: what is no time is a failure, for comparing with it would let calls pass. */
export function checkedClock(clock: Clock | undefined): Clock {
  if (clock === undefined) return { now: () => Date.now() };
  return {
    now: () => {
      const time: unknown = clock.now();
      if (typeof time === "number" && Number.isFinite(time)) return time;
      throw new TypeError("`clock.now()` gave no number");
    },
  };
}
