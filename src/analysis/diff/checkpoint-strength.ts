import type { CheckOf } from "../../artifact/compiled.js";
import { isFalseOnlyWith } from "./entry-strength.js";
import { type AsStrong, always, inEveryField, more } from "./strength.js";

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
