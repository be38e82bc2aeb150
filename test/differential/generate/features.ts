import type { Random } from "./random.js";

/** Parts of the language that a pack may use; a pack uses a few, so that late checks are reached too. */
const FEATURES = [
  "gate",
  "risk",
  "policy",
  "labels",
  "phases",
  "forbids",
  "preconditions",
  "limits",
  "loop",
  "breaker",
  "schema",
  "input",
  "execution",
  "values",
  "refs",
  "aggregates",
  "envelopes",
  "checkpoints",
  "output",
  "errors",
  "dispatch",
  "silent",
] as const;
export type Feature = (typeof FEATURES)[number];

/** Features whose refusals come first and would hide all the others, were they as frequent. */
const EARLY: ReadonlySet<Feature> = new Set([
  "gate",
  "risk",
  "policy",
  "labels",
  "phases",
  "forbids",
  "limits",
  "breaker",
]);

/** Features that say most together: what outputs decide, and when they are known. */
const TOGETHER: readonly (readonly Feature[])[] = [
  ["refs", "dispatch"],
  ["refs", "aggregates"],
  ["refs", "aggregates", "dispatch"],
  ["preconditions", "dispatch"],
  ["preconditions", "output"],
  ["preconditions"],
  ["preconditions", "errors"],
  ["envelopes", "dispatch"],
  ["envelopes", "output"],
  ["phases", "output"],
  ["checkpoints", "labels"],
  ["checkpoints", "aggregates"],
  ["errors", "breaker"],
];

/** The features of a pack: one or a few for certain, some others by chance. */
export function someFeatures(random: Random): ReadonlySet<Feature> {
  const density = random.pick([0, 0.1, 0.25]);
  const others = FEATURES.filter((feature) => random.chance(EARLY.has(feature) ? density * 0.5 : density));
  const certain = random.chance(0.5) ? random.pick(TOGETHER) : [random.pick(FEATURES), random.pick(FEATURES)];
  return new Set([...certain, ...others]);
}

/** What the parts of a pack have in common while it is made. */
export interface Plan {
  readonly random: Random;
  readonly features: ReadonlySet<Feature>;
  readonly tools: readonly string[];
  /** Tools whose outputs may be read: all but `unverifiable` ones. */
  readonly observable: ReadonlySet<string>;
  readonly phases: readonly string[];
  /** Slots that some tool binds, so that rules may refer to them. */
  readonly slots: Set<string>;
}

/** The part where the pack uses the feature, by chance once more for each place it may stand at. */
export function part<T extends object>(
  { features, random }: Plan,
  feature: Feature,
  probability: number,
  make: () => T,
): T | Record<never, never> {
  return features.has(feature) ? random.maybe(probability, make) : {};
}
