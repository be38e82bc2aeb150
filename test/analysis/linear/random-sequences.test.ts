import { expect, it } from "vitest";
import { type Random, randomFrom } from "../../support/random.js";
import { seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { explored } from "../explored.js";

const PACKS = sizeOf("SEQUENCE_PACKS", { share: 30, full: 600 });
const MOST = 7;

/** Two calls that say a whole number each, and an order with two that hang on them. */
interface Case {
  readonly factors: readonly number[];
  readonly op: "<=" | ">=" | "==" | "!=";
  readonly total: number;
  readonly tolerance: number;
  readonly band: number;
  readonly least: number;
}

function caseFrom(random: Random): Case {
  return {
    factors: Array.from({ length: 4 }, () => random.below(9) - 4),
    op: random.pick(["<=", ">=", "==", "==", "!="] as const),
    total: random.below(60) - 30,
    tolerance: random.pick([0, 0.2, 0.5, 1]),
    band: random.pick([0.1, 0.3, 0.5]),
    least: random.below(MOST + 1),
  };
}

function packOf({ factors, op, total, tolerance, band, least }: Case): string {
  const [a, b, c, d] = factors;
  const sum = `${a} * slots.first + ${b} * args.second + ${c} * args.left + ${d} * args.right`;
  const whole = (name: string) => `{ path: $.${name}, type: integer }, { path: $.${name}, gte: 0, lte: ${MOST} }`;
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
envelopes:
  - { name: near, constraint: within_band, band: ${band}, reason: Near, stages: [{ tool: quote, path: $.second, role: anchor }, { tool: order, path: $.right, role: constrained }] }
#== say.yaml (with the required fields)
argument_value_invariants: [${whole("first")}]
binds: [{ name: first, source: arguments, path: $.first }]
#== quote.yaml (with the required fields)
argument_value_invariants: [${whole("second")}]
#== order.yaml (with the required fields)
argument_value_invariants: [${whole("left")}, ${whole("right")}, ${whole("second")}, { path: $.left, ref: first, tolerance: ${tolerance} }, { path: $.right, gte: ${least} }]
requires: [{ that: "${sum} ${op} ${total}", reason: As agreed }]
`;
}

function isPossible({ factors, op, total, tolerance, band, least }: Case): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = factors;
  const numbers = Array.from({ length: MOST + 1 }, (_, at) => at);
  return numbers.some((first) =>
    numbers.some((left) => {
      if (Math.abs(left - first) * 10 > tolerance * 10 * first) return false;
      return numbers.some((right) => {
        const isNear = numbers.some((quoted) => Math.abs(right - quoted) * 10 <= Math.round(band * 10) * quoted);
        if (right < least || !isNear) return false;
        return numbers.some((second) => {
          const sum = a * first + b * second + c * left + d * right;
          if (op === "<=") return sum <= total;
          if (op === ">=") return sum >= total;
          return op === "==" ? sum === total : sum !== total;
        });
      });
    }),
  );
}

it(`finds numbers for an order exactly where there are some, in ${PACKS} random packs`, { timeout: 600_000 }, () => {
  const random = randomFrom(seedOf("SEQUENCE_SEED", 184));
  const counts = { possible: 0, impossible: 0 };
  for (let run = 0; run < PACKS; run++) {
    const asked = caseFrom(random);
    const expected = isPossible(asked);
    counts[expected ? "possible" : "impossible"] += 1;
    expect({ run, ...asked, isAllowed: explored(packOf(asked)).isAllowed("order") }).toEqual({
      run,
      ...asked,
      isAllowed: expected,
    });
  }
  expect(Math.min(counts.possible, counts.impossible)).toBeGreaterThan(PACKS / 10);
});
