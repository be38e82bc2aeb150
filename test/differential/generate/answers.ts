import type { Operation, Setting } from "./operation.js";
import type { Random } from "./random.js";

/** People, some of them written in several ways, and nobody. */
const PEOPLE = ["ann", "ann", "bob", "bob", "cy", "dora", "zoe", " Ann", "BOB ", "ZOE", "", " "];

/** How many people have to approve, and who asks. */
export function someApprovals(random: Random): Setting["first"] {
  return {
    approvals: {
      ...random.maybe(0.5, () => ({ quorum: random.pick([1, 2, 2, 3]) })),
      ...random.maybe(0.3, () => ({ notRequester: random.chance(0.5) })),
    },
    ...random.maybe(0.5, () => ({ requester: random.pick(["zoe", "Zoe ", "ann"]) })),
  };
}

function someAnswer(random: Random): Operation {
  const op = random.pick(["approve", "approve", "approve", "approve", "deny", "resume", "resume"] as const);
  const back = random.chance(0.04) ? null : random.chance(0.85) ? 0 : random.below(3);
  return op === "resume" ? { op, back } : { op, back, by: random.pick(PEOPLE) };
}

/** As many people approve as have to, some of them twice, and the call is resumed. */
function someGrant(random: Random, quorum: number): readonly Operation[] {
  const from = random.below(2);
  const people = ["ann", "bob", "cy", "dora"].slice(from, from + quorum);
  const names = people.flatMap((by) => (random.chance(0.3) ? [by, ` ${by.toUpperCase()}`] : [by]));
  return [...names.map((by) => ({ op: "approve", back: 0, by }) as const), { op: "resume", back: 0 }];
}

/** One answer to a request or, where more than one person has to approve, mostly some more. */
export function someAnswers(random: Random, quorum: number): readonly Operation[] {
  if (random.chance(0.25)) return someGrant(random, quorum);
  const wait = random.chance(0.15) ? [{ op: "wait" as const, seconds: random.pick([29, 30, 60, 90]) }] : [];
  return [...wait, ...random.list(1 + random.below(2 * quorum - 1), () => someAnswer(random))];
}
