import { someApprovals } from "./answers.js";
import type { Operation, Setting } from "./operation.js";
import type { Random } from "./random.js";

/** How the guards of a session share the operations. */
interface Sharing {
  readonly second: Setting["second"];
  readonly padding: number;
  spread(operations: readonly Operation[]): readonly Operation[];
}

interface Session {
  readonly store: Setting["store"];
  /** Whether anybody may be asked, so that one guard can answer for another. */
  readonly approves: boolean;
  readonly first: Setting["first"];
}

/** About so many records of a session are between two of its snapshots. */
const SNAPSHOT_EVERY = 250;

const ANSWERS: ReadonlySet<Operation["op"]> = new Set(["approve", "deny", "resume", "acknowledge"]);

/** Mostly the guard stays the same, because a change makes the real guards wait; either may give an answer. */
function someTurns(random: Random, operations: readonly Operation[]): readonly Operation[] {
  let isSecond = false;
  return operations.map((operation) => {
    if (random.chance(ANSWERS.has(operation.op) ? 0.5 : 0.1)) isSecond = !isSecond;
    return isSecond ? { ...operation, guard: 1 } : operation;
  });
}

/** Some sessions have two guards, and guards on durable stores are made anew now and then. */
export function someSharing(random: Random, { store, approves, first }: Session): Sharing {
  const isShared = random.chance(approves ? 0.3 : 0.02);
  const isPadded = store === "durable" && random.chance(0.04);
  const padding = isPadded ? SNAPSHOT_EVERY - 1 - random.below(20) : 0;
  const reopening = isPadded ? 0.4 : store === "durable" ? random.pick([0, 0.05, 0.15]) : 0;
  const withReopening = (operation: Operation): readonly Operation[] =>
    random.chance(reopening) ? [{ op: "reopen" }, operation] : [operation];
  // Mostly both have the same options.
  const second = random.chance(0.8) ? first : someApprovals(random);
  return {
    second: isShared ? second : null,
    padding,
    spread(operations) {
      const all = operations.flatMap(withReopening);
      return isShared ? someTurns(random, all) : all;
    },
  };
}
