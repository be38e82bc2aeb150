import type { Random } from "./random.js";

/** What an expression may read. */
interface Readable {
  readonly slots: ReadonlySet<string>;
  readonly output: boolean;
}

/** About the arguments that generated calls have; each is often true, often false and now and then not to be judged. */
const OF_ARGUMENTS: readonly string[] = [
  "args.n <= 2",
  "args.n + args.m < 5",
  "args.n * 2 - args.m >= 0",
  "args.n / args.m < 1",
  "args.n % 2 == 1",
  "math.round(args.n, 0) == args.n",
  "[args.n, args.m].sum() > 2",
  "math.greatest(args.n, args.m) < 5",
  'args.s in ["a", "b"]',
  "size(args.s) < 3",
  'args.s.matches("^[ab]+$")',
  'args.s.startsWith("a") || args.flag',
  'args.s < "b"',
  'args.id == "e1"',
  'args.obj == {"n": 1}',
  "!has(args.m) || args.m > 1",
  "has(args.obj.n) && args.obj.n > 0",
  "args.list.all(i, i > 0)",
  "args.list.exists(i, i == args.n)",
  "args.list.exists_one(i, i == 1)",
  "size(args.list.filter(i, i > 1)) > 0",
  "args.list.map(i, i * 2).sum() < 10",
  "args.list[0] <= args.n",
  "args.flag ? args.n > 0 : args.m > 0",
  "args.n <= constants.max",
  "args.n >= constants.fees[args.s]",
  "limit > 1",
];

const OF_SESSION: readonly string[] = [
  "principal.tier >= 2",
  '"a" in principal.roles',
  'principal.type == "human" || args.n < 2',
  '!("secret" in labels) || args.flag',
  "now.getSeconds() < 30",
  'now - timestamp("1970-01-01T00:00:00Z") < duration("1m")',
];

const OF_SLOTS: { readonly [slot: string]: readonly string[] } = {
  x: ["slots.x == args.n", "slots.x <= args.n", "!has(slots.x) || slots.x == args.n", "args.flag || slots.x == 1"],
  y: ["slots.y == args.n", "has(slots.y)", "args.n in [slots.y, 1]"],
  text: ["!has(slots.text) || slots.text != args.id", "slots.text == args.id", "has(slots.text)"],
  order: [
    "args.id in slots.order",
    "!(args.id in slots.order)",
    "slots.order[args.id].ok == true",
    "slots.order[args.id].n >= args.n",
    "!(args.id in slots.order) || slots.order[args.id].n == 1",
    "args.flag || slots.order[args.id].n == 1",
    "size(slots.order) < 2",
    "slots.order.exists(k, k == args.id)",
    "slots.order.all(k, slots.order[k].n <= 5)",
  ],
  offer: [
    "args.id in slots.offer",
    "args.s in slots.offer[args.id]",
    "slots.offer[args.id][args.s].n >= 1",
    "!(args.id in slots.offer) || size(slots.offer[args.id]) < 2",
  ],
  seen: ["args.id in slots.seen", "!(args.id in slots.seen)", "size(slots.seen) <= 2", "!(args.n in slots.seen)"],
};

const OF_OUTPUT: readonly string[] = [
  "output.ok == true",
  "output.n <= args.n",
  "!has(output.m) || output.m > 0",
  "output.list.all(i, i <= 5)",
];

/** A boolean expression over what generated sessions have: mostly about slots, where there are any. */
export function someThat(random: Random, { slots, output }: Readable): string {
  const ofSlots = Object.keys(OF_SLOTS).filter((slot) => slots.has(slot));
  const one = (): string => {
    if (output && random.chance(0.6)) return random.pick(OF_OUTPUT);
    if (ofSlots.length > 0 && random.chance(0.7)) return random.pick(OF_SLOTS[random.pick(ofSlots)] ?? OF_ARGUMENTS);
    return random.pick(random.chance(0.2) ? OF_SESSION : OF_ARGUMENTS);
  };
  const roll = random.next();
  if (roll < 0.6) return one();
  if (roll < 0.75) return `(${one()}) && (${one()})`;
  return roll < 0.9 ? `(${one()}) || (${one()})` : `!(${one()})`;
}
