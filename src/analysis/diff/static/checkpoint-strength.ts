import type { CheckOf, CompiledPack } from "../../../artifact/compiled.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { checksOf } from "../../model/checks-of.js";
import { isFalseOnlyWith as isEntryFalseOnlyWith } from "./entry-strength.js";
import { type AsStrong, always, inEveryField, more, type Reading } from "./strength.js";

type Checkpoint = CheckOf<"checkpoint">;

type Condition = NonNullable<Checkpoint["when"]>[number];

/** Whether a condition is false only where another one is; of expressions that is known only if they are the same. */
function isFalseOnlyWith(now: Condition, then: Condition): boolean {
  if ("that" in now || "that" in then)
    return "that" in now && "that" in then && canonicalJson(now.that.tree) === canonicalJson(then.that.tree);
  return isEntryFalseOnlyWith(now, then);
}

/** Whether the new conditions ask wherever the old ones did; a checkpoint asks unless its conditions are surely not met. */
const asksAsOften: AsStrong<Checkpoint> = (after, before) => {
  if (after.when === null || before.when === null) return after.when === null;
  const [current, old] = [after.when, before.when];
  // No approver is asked if all new conditions are false (any), or one is (all); then the same must be true of the old ones.
  if (before.match === "any") {
    return after.match === "any"
      ? old.every((then) => current.some((now) => isFalseOnlyWith(now, then)))
      : old.every((then) => current.every((now) => isFalseOnlyWith(now, then)));
  }
  return after.match === "any"
    ? old.some((then) => current.some((now) => isFalseOnlyWith(now, then)))
    : current.every((now) => old.some((then) => isFalseOnlyWith(now, then)));
};

/**
 * If a timeout denies, a longer one accepts approvals that were too late before; if it allows, a shorter one leaves less
 * time to deny. From allow to deny, no timeout allows more than before.
 */
const isSilenceKept: AsStrong<Checkpoint> = (after, before) => {
  if (before.on_timeout === "deny") {
    return after.on_timeout === "deny" && after.timeout_seconds <= before.timeout_seconds;
  }
  return after.on_timeout === "deny" || after.timeout_seconds >= before.timeout_seconds;
};

/** Compares the fields of a checkpoint. */
export const isCheckpointKept = inEveryField<Checkpoint>({
  kind: always,
  at: always,
  name: always,
  because: always,
  // Compared together: the conditions, and the timeout with its effect.
  when: asksAsOften,
  match: always,
  timeout_seconds: isSilenceKept,
  on_timeout: always,
  // The context shown to an approver may be reworded, but not removed.
  context: more(({ context }) => context.map(({ path }) => path.text)),
});

/** The checkpoints that may ask about one call. */
function checkpointsOf({ tools, unmatched_checks: unmatched }: CompiledPack, tool: string | null) {
  const checks = tool === null ? unmatched : (tools.find(({ name }) => name === tool)?.checks ?? []);
  return checksOf(checks, "checkpoint");
}

const isDenial = ({ on_timeout: end }: Checkpoint) => end === "deny";

/** Whether a timeout, with the other checkpoints, still denies where it did, and an answer is late where it was. */
function isHurryKept(old: Checkpoint, before: readonly Checkpoint[], instead: readonly Checkpoint[]): boolean {
  // Its timeout matters only if it denies: its own, or that of another checkpoint that waits longer.
  const isDue = isDenial(old) || before.some((each) => isDenial(each) && each.timeout_seconds > old.timeout_seconds);
  if (!isDue) return true;
  const isInTime = instead.some(({ timeout_seconds: seconds }) => seconds <= old.timeout_seconds);
  return isInTime && (!isDenial(old) || instead.some(isDenial));
}

/**
 * Checkpoints that ask about one call make one request, with the shortest timeout and a denial winning. So one that is as
 * strong alone may weaken others: a longer timeout may be longer for all, and if a timeout allows, a short one leaves less
 * time to deny. Whether the new checkpoint does not do so.
 */
export function isKeptBesideOthers(old: Checkpoint | null, current: Checkpoint | null, reading: Reading): boolean {
  const before = checkpointsOf(reading.before, reading.tool);
  const after = checkpointsOf(reading.after, reading.tool);
  const insteadOf = (one: Checkpoint) => after.filter((each) => asksAsOften(each, one, reading));
  if (old !== null && !isHurryKept(old, before, insteadOf(old))) return false;
  if (current === null || isDenial(current)) return true;
  const { timeout_seconds: seconds } = current;
  const wasThere = before.some(
    (each) => (isDenial(each) || each.timeout_seconds <= seconds) && asksAsOften(each, current, reading),
  );
  const longer = before.filter((each) => !isDenial(each) && each.timeout_seconds > seconds);
  return wasThere || longer.every((each) => insteadOf(each).some(isDenial));
}
