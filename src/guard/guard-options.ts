import type { Artifact } from "../artifact/compiled.js";
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

/** A misspelt option would be ignored without a word, and with it whatever the caller relies on. */
function checkNames(options: GuardOptions): void {
  const known = Object.keys(KNOWN);
  for (const name of Object.keys(options)) {
    const meant = known.includes(name) ? undefined : suggest(name, known);
    if (meant !== undefined) throw new TypeError(`there is no option \`${name}\`; did you mean \`${meant}\`?`);
  }
}

/** Rejects values that no guard can work with. Undefined is an option that was not given; null is not. */
function checkKinds({ sessionId, mode, unmatched, approver, store, clock, env, role }: GuardOptions): void {
  const wrong = (what: string) => new TypeError(what);
  if (sessionId !== undefined && (typeof sessionId !== "string" || sessionId === "")) {
    throw wrong("`sessionId` must be a string that is not empty");
  }
  if (mode !== undefined && !["enforce", "shadow", "log-only"].includes(mode)) {
    throw wrong("`mode` must be enforce, shadow or log-only");
  }
  if (unmatched !== undefined && !["block", "allow"].includes(unmatched)) {
    throw wrong("`unmatched` must be block or allow");
  }
  if (approver !== undefined && approver !== "manual" && typeof approver !== "function") {
    throw wrong('`approver` must be "manual" or a function');
  }
  if (store !== undefined && !hasMethods(store, "load", "append")) {
    throw wrong("`store` must be an object with `load` and `append`");
  }
  if (clock !== undefined && !hasMethods(clock, "now")) throw wrong("`clock` must be an object with `now()`");
  if (env !== undefined && env !== "lenient" && !isObject(env)) {
    throw wrong('`env` must be an object of variables, or "lenient"');
  }
  if (role !== undefined && typeof role !== "string") throw wrong("`role` must be the name of a role");
}

/** Checks the options of a guard and copies them, so that each is read once. */
export function checkedOptions(options: unknown): GuardOptions {
  if (!isObject(options) || Array.isArray(options)) throw new TypeError("the options of a guard must be an object");
  const copy: GuardOptions = { ...options };
  checkNames(copy);
  checkKinds(copy);
  return copy;
}

/** A clock that throws when it returns no number: comparing with that would allow calls. */
export function checkedClock(clock: Clock | undefined): Clock {
  if (clock === undefined) return { now: () => Date.now() };
  return {
    now: () => {
      const time: unknown = clock.now();
      if (typeof time === "number" && Number.isFinite(time)) return time;
      throw new TypeError("`clock.now()` returned no number");
    },
  };
}

/** A guard does not start on a workflow that nothing enforces, unless the caller accepts that explicitly. */
export function checkWorkflow({ workflow }: Artifact, given: unknown): void {
  if (given !== undefined && given !== "unenforced") throw new TypeError('`workflow` must be "unenforced"');
  if (workflow === null || given === "unenforced") return;
  throw new TypeError(
    "the artifact has a workflow, which no guard enforces yet: handoffs, workflow limits, shared resources, kill scopes and " +
      'close policies; pass `workflow: "unenforced"` to guard the sessions of its roles without them',
  );
}
