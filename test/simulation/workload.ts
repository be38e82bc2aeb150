import type { JsonObject } from "../../src/base/json.js";
import type { Random } from "../support/random.js";
import { APPROVED_FROM, BOUNDS, ITEMS } from "./pack.js";
import type { Intent, Registry } from "./registry.js";

const PAYEES = ["ann", "bob", "cid", "dee", "eve", "fay"];

type Make = (random: Random, ref: string) => JsonObject;

/** Keys are in the order in which they are stored. Arguments on both sides of the bounds, mostly inside. */
const CALLS: readonly { readonly tool: string; readonly weight: number; readonly make: Make }[] = [
  {
    tool: "pay",
    weight: 30,
    make: (random, ref) => ({ amount: amount(random), ref, to: payee(random) }),
  },
  { tool: "pay", weight: 1, make: (_, ref) => ({ amount: BOUNDS.largest + 1, ref, to: "ann" }) },
  { tool: "pay", weight: 1, make: (_, ref) => ({ amount: 0, ref, to: "ann" }) },
  { tool: "pay", weight: 1, make: (_, ref) => ({ amount: 5, extra: true, ref, to: "ann" }) },
  { tool: "wire", weight: 6, make: (random, ref) => ({ amount: 1 + random.below(30), ref }) },
  { tool: "wire", weight: 1, make: (_, ref) => ({ amount: "much", ref }) },
  {
    tool: "order",
    weight: 10,
    make: (random, ref) => ({ item: random.pick(ITEMS), price: 5 + random.below(30), ref }),
  },
  { tool: "notify", weight: 5, make: (_, ref) => ({ ref }) },
  { tool: "beacon", weight: 3, make: (_, ref) => ({ ref }) },
  { tool: "review", weight: 7, make: (_, ref) => ({ ref }) },
  { tool: "reopen", weight: 3, make: (_, ref) => ({ ref }) },
  { tool: "close", weight: 1, make: (_, ref) => ({ ref }) },
];

/** Calls that change nothing, and may be made again with the same arguments. */
const REPEATABLE: readonly { readonly tool: string; readonly make: (random: Random) => JsonObject }[] = [
  { tool: "quote", make: (random) => ({ item: random.pick(ITEMS) }) },
  { tool: "lookup", make: (random) => ({ q: random.below(3) }) },
];

function amount(random: Random): number {
  const isLarge = random.below(8) === 0;
  return isLarge ? APPROVED_FROM + random.below(BOUNDS.largest - APPROVED_FROM) : 1 + random.below(80) / 2;
}

function payee(random: Random): string {
  return PAYEES[random.below(10) === 0 ? random.below(PAYEES.length) : random.below(3)] ?? "ann";
}

const TOTAL = CALLS.reduce((sum, { weight }) => sum + weight, 0);

/** A call that somebody might make. */
export function anyCall(random: Random, registry: Registry, ref: string): Intent {
  if (random.below(4) === 0) {
    const { tool, make } = random.pick(REPEATABLE);
    const args = make(random);
    return registry.intent(tool, args, `${tool} ${JSON.stringify(args)}`);
  }
  let left = random.below(TOTAL);
  for (const { tool, weight, make } of CALLS) {
    left -= weight;
    if (left < 0) return registry.intent(tool, make(random, ref), ref);
  }
  return registry.intent("unknown_tool", { ref }, ref);
}

/** A call that needs an approval. */
export function callToApprove(random: Random, registry: Registry, ref: string): Intent {
  const args = { amount: APPROVED_FROM + random.below(5), ref, to: payee(random) };
  return registry.intent("pay", args, ref);
}
