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
  storeArguments: true,
  seal: true,
  open: true,
  requester: true,
  approvals: true,
  resolver: true,
  storeTimeoutMs: true,
  settleTimeoutMs: true,
  clock: true,
  env: true,
};

/** What somebody may look for here, and would believe to be in force. */
const OF_WORKFLOWS: ReadonlySet<string> = new Set(["role", "workflow"]);

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === "function");
}

/** A misspelt option would be ignored without a word, and with it whatever the caller relies on. */
function checkNames(options: GuardOptions): void {
  const known = Object.keys(KNOWN);
  for (const [name, value] of Object.entries(options)) {
    if (OF_WORKFLOWS.has(name) && value !== undefined) {
      throw new TypeError(
        `there is no option \`${name}\`: \`openWorkflow\` of contract-guard/workflow starts sessions of roles`,
      );
    }
    const meant = known.includes(name) ? undefined : suggest(name, known);
    if (meant !== undefined) throw new TypeError(`there is no option \`${name}\`; did you mean \`${meant}\`?`);
  }
}

/** Rejects values that no guard can work with. Undefined is an option that was not given; null is not. */
function checkKinds({ sessionId, mode, unmatched, approver, store, clock, env }: GuardOptions): void {
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
}

/** The options about what is stored, and about approvals. */
function checkStored({ storeArguments, seal, open, requester, approvals, resolver }: GuardOptions): void {
  const wrong = (what: string) => new TypeError(what);
  if (storeArguments !== undefined && !["needed", "all"].includes(storeArguments)) {
    throw wrong("`storeArguments` is needed or all");
  }
  if (
    [seal, open].some((each) => each !== undefined && typeof each !== "function") ||
    (seal === undefined) !== (open === undefined)
  ) {
    throw wrong("`seal` and `open` are two functions; give both or neither");
  }
  if (requester !== undefined && (typeof requester !== "string" || requester.trim() === "")) {
    throw wrong("`requester` is a name");
  }
  if (resolver !== undefined && typeof resolver !== "function") throw wrong("`resolver` is a function");
  if (approvals !== undefined) checkApprovals(approvals);
}

function checkApprovals(approvals: unknown): void {
  if (!isObject(approvals)) throw new TypeError("`approvals` is an object: `{ quorum, notRequester }`");
  const { quorum, notRequester, ...others }: { quorum?: unknown; notRequester?: unknown } = { ...approvals };
  const [stray] = Object.keys(others);
  if (stray !== undefined) throw new TypeError("`approvals` has `quorum` and `notRequester`, and nothing else");
  if (quorum !== undefined && !(typeof quorum === "number" && Number.isSafeInteger(quorum) && quorum >= 1)) {
    throw new TypeError("`approvals.quorum` is a whole number from 1 on");
  }
  if (notRequester !== undefined && typeof notRequester !== "boolean") {
    throw new TypeError("`approvals.notRequester` is true or false");
  }
}

/** Checks the options of a guard and copies them, so that each is read once. */
export function checkedOptions(options: unknown): GuardOptions {
  if (!isObject(options) || Array.isArray(options)) throw new TypeError("the options of a guard must be an object");
  const copy: GuardOptions = { ...options };
  checkNames(copy);
  checkKinds(copy);
  checkStored(copy);
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

/** The sessions of a workflow depend on each other, so that none of them has a guard of its own alone. */
export function checkWorkflow({ workflow }: Artifact): void {
  if (workflow === null) return;
  throw new TypeError(
    "the artifact has a workflow: open it with `openWorkflow` of contract-guard/workflow, and start its sessions with `start` " +
      "and `handoff`; each of them has its `guard`",
  );
}
