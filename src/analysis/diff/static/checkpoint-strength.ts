import type { CheckOf, CompiledPack } from "../../../artifact/compiled.js";
import { checksOf } from "../../model/checks-of.js";
import { isFalseOnlyWith } from "./entry-strength.js";
import { type AsStrong, always, inEveryField, more, type Reading } from "./strength.js";

type Checkpoint = CheckOf<"checkpoint">;

/** A person is asked unless the conditions are surely not met: whether the new ones ask wherever the old ones did. */
const asksAsOften: AsStrong<Checkpoint> = (after, before) => {
  if (after.when === null || before.when === null) return after.when === null;
  const [current, old] = [after.when, before.when];
  // Nobody is asked when all new conditions are false (any), or one of them is (all); then the same must go for the old.
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
 * Where silence means no, a longer time lets answers through that came too late; where it means yes, a shorter one leaves
 * less time to say no. From yes to no nothing is let through that was not, whatever the time.
 */
const isSilenceKept: AsStrong<Checkpoint> = (after, before) => {
  if (before.on_timeout === "deny") {
    return after.on_timeout === "deny" && after.timeout_seconds <= before.timeout_seconds;
  }
  return after.on_timeout === "deny" || after.timeout_seconds >= before.timeout_seconds;
};

/** Of an approval that is asked for. */
export const isCheckpointKept = inEveryField<Checkpoint>({
  kind: always,
  at: always,
  name: always,
  // Read together: the conditions, and how long an answer is waited for.
  when: asksAsOften,
  match: always,
  timeout_seconds: isSilenceKept,
  on_timeout: always,
  // What a person is shown may be put into other words, but not left out.
  context: more(({ context }) => context.map(({ path }) => path.text)),
});

/** The checkpoints that may ask about one call. */
function checkpointsOf({ tools, unmatched_checks: unmatched }: CompiledPack, tool: string | null) {
  const checks = tool === null ? unmatched : (tools.find(({ name }) => name === tool)?.checks ?? []);
  return checksOf(checks, "checkpoint");
}

const isDenial = ({ on_timeout: end }: Checkpoint) => end === "deny";

/** Whether silence beside others still means no where it did, and an answer is still late where it was. */
function isHurryKept(old: Checkpoint, before: readonly Checkpoint[], instead: readonly Checkpoint[]): boolean {
  // Its time matters only where silence means no: by itself, or by another checkpoint that waits longer.
  const isDue = isDenial(old) || before.some((each) => isDenial(each) && each.timeout_seconds > old.timeout_seconds);
  if (!isDue) return true;
  const isInTime = instead.some(({ timeout_seconds: seconds }) => seconds <= old.timeout_seconds);
  return isInTime && (!isDenial(old) || instead.some(isDenial));
}

/**
 * Checkpoints that ask about one call make one request, with the shortest time and a denial winning. So one that is as
 * strong by itself may weaken others: more time for it may be more time for all, and where silence means yes, a short time leaves
 * less time to say no. Whether neither an old checkpoint nor the new one in its place does so.
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
