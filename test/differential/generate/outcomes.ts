import type { Json } from "../../../src/base/json.js";
import type { Random } from "./random.js";
import { notJson, someObject } from "./values.js";

function someOutput(random: Random): unknown {
  if (random.chance(0.95)) return someObject(random);
  return random.chance(0.6) ? random.pick<Json>([null, "done", [{ ok: true }, { n: [1, 2] }]]) : notJson(random);
}

/** An error with every mixture of the fields that it may have. */
function someError(random: Random): object {
  return {
    kind: "error",
    ...random.maybe(0.5, () => ({ sent: random.chance(0.6) })),
    ...random.maybe(0.3, () => ({ answered: random.chance(0.6) })),
    ...random.maybe(0.5, () => ({ status: random.pick([302, 400, 404, 408, 429, 499, 500, 503]) })),
    ...random.maybe(0.4, () => ({ code: random.pick(["busy", "gone", "odd", "ABORT_ERR"]) })),
    ...random.maybe(0.5, () => ({ message: random.pick(["temporary failure", "temporary", "failure"]) })),
  };
}

/** What is no outcome. */
function misshapen(random: Random): unknown {
  const odd = random.pick<unknown>(["false", 0, 1, null, {}, []]);
  return random.make<unknown>([
    () => random.pick<unknown>([null, undefined, "happened", 5, {}]),
    () => ({ kind: random.pick<unknown>(["success", "", null, 1, "toString"]) }),
    () => ({ kind: "error", sent: odd }),
    () => ({ kind: "error", answered: odd, status: 500 }),
    () => ({ kind: "error", status: random.pick<unknown>(["404", null, {}]) }),
    () => ({ kind: "error", code: random.pick<unknown>([404, null, ["busy"]]) }),
    () => ({ kind: "error", message: random.pick<unknown>([404, null, ["temporary"]]) }),
    () => ({ kind: "error", state: 404 }),
    () => ({ kind: "timeout", sent: odd }),
    () => ({ kind: "timeout", status: 404 }),
    () => ({ kind: "did_not_happen", because: "so" }),
    () => ({ kind: "result", output: {}, sent: false }),
  ]);
}

/** How a call ended, as its caller says. */
export function someOutcome(random: Random): unknown {
  const roll = random.next();
  if (roll < 0.58) return { kind: "result", output: someOutput(random) };
  if (roll < 0.74) return someError(random);
  if (roll < 0.82) return { kind: "timeout", ...random.maybe(0.6, () => ({ sent: random.chance(0.7) })) };
  if (roll < 0.91) return { kind: "happened", ...random.maybe(0.6, () => ({ output: someObject(random) })) };
  if (roll < 0.97) return { kind: "did_not_happen" };
  return misshapen(random);
}
