import type { Operation } from "./operation.js";
import type { Random } from "./random.js";
import { someObject } from "./values.js";

function someAcknowledgement(random: Random): Operation {
  const found = { by: "operator", why: "looked it up", happened: random.chance(0.6) };
  const among = random.chance(0.9) ? "undone" : random.pick(["any", "open", "nothing"] as const);
  return { op: "acknowledge", among, back: random.chance(0.8) ? 0 : random.below(3), found };
}

/** Settles a call as `did_not_happen`, gives its result, proposes calls meanwhile, and acknowledges the result. */
export function someLateResult(random: Random, propose: () => Operation): readonly Operation[] {
  const back = random.below(3);
  const result = { kind: "result", output: someObject(random) };
  const late = () => ({ op: "settle", among: "undone", back: random.chance(0.8) ? 0 : 1, outcome: result }) as const;
  return [
    { op: "settle", among: "open", back, outcome: { kind: "did_not_happen" } },
    ...(random.chance(0.2) ? [propose()] : []),
    late(),
    ...random.list(random.below(3), propose),
    ...(random.chance(0.2) ? [late()] : []),
    ...random.list(random.pick([0, 1, 1, 1, 2]), () => someAcknowledgement(random)),
    ...(random.chance(0.1) ? [late(), someAcknowledgement(random)] : []),
  ];
}
