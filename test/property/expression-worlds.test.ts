import { expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { fc } from "../support/fast-check.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

type Slots = Readonly<{ x?: number; y?: number }>;
/** Null if it cannot be judged. */
type Truth = boolean | null;

/** Expressions over two slots, each with what it means. */
const RULES: readonly (readonly [text: string, meaning: (slots: Slots) => Truth])[] = [
  ["slots.x + slots.y <= 3", ({ x, y }) => (x === undefined || y === undefined ? null : x + y <= 3)],
  [
    "slots.x == 1 || slots.y == 1",
    ({ x, y }) => (x === 1 || y === 1 ? true : x === undefined || y === undefined ? null : false),
  ],
  [
    "slots.x != 2 && slots.y != 2",
    ({ x, y }) => (x === 2 || y === 2 ? false : x === undefined || y === undefined ? null : true),
  ],
  ["!has(slots.x) || slots.x < 3", ({ x }) => x === undefined || x < 3],
  ["has(slots.x) == has(slots.y)", ({ x, y }) => (x === undefined) === (y === undefined)],
  ["(has(slots.x) ? slots.x : 0) <= (has(slots.y) ? slots.y : 0) + 1", ({ x = 0, y = 0 }) => x <= y + 1],
];

const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== set_x.yaml (with the required fields)
side_effect: write
binds: [{ name: x, path: $.n }]
#== set_y.yaml (with the required fields)
side_effect: write
binds: [{ name: y, path: $.n }]
#== set_both.yaml (with the required fields)
side_effect: write
binds: [{ name: x, path: $.n }, { name: y, path: $.n }]
${RULES.map(
  ([text], index) => `#== use_${index}.yaml (with the required fields)
requires:
  - that: |
      ${text}
    reason: Rule ${index}
`,
).join("")}`;

const WRITES = { set_x: ["x"], set_y: ["y"], set_both: ["x", "y"] } as const;

interface Call {
  readonly tool: keyof typeof WRITES;
  readonly n: number;
}

function after(slots: Slots, { tool, n }: Call): Slots {
  return { ...slots, ...Object.fromEntries(WRITES[tool].map((slot) => [slot, n])) };
}

/** Every state that some of the calls lead to, in some order; the present one first. */
function worldsOf(now: Slots, open: readonly Call[]): readonly Slots[] {
  return [
    now,
    ...open.flatMap((call, at) =>
      worldsOf(
        after(now, call),
        open.filter((_, index) => index !== at),
      ),
    ),
  ];
}

function expected(meaning: (slots: Slots) => Truth, now: Slots, open: readonly Call[]): string {
  const present = meaning(now);
  if (present === null) return "requirement_unjudgeable";
  const truths = worldsOf(now, open).map(meaning);
  if (truths.includes(false)) return "requirement_failed";
  return truths.includes(null) ? "requirement_unjudgeable" : "allow";
}

const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom("set_x", "set_y", "set_both"),
  n: fc.integer({ min: 0, max: 3 }),
});

it("a requirement holds only if it holds however the unsettled calls end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 3 }), fc.array(call, { maxLength: 4 }), async (settled, open) => {
      const guard = await createGuard(artifactOf(PACK), { env: {} });
      let now: Slots = {};
      for (const [at, { tool, n }] of [...settled, ...open].entries()) {
        const verdict = await guard.propose({ tool, args: { n } });
        if (verdict.kind !== "allow") throw new Error(told(verdict));
        if (at >= settled.length) continue;
        await guard.settle(verdict.callId, { kind: "result", output: {} });
        now = after(now, { tool, n });
      }
      const verdicts = RULES.map(
        (_, index) => guard.explain({ tool: `use_${index}`, args: {} }).map(told)[0] ?? "allow",
      );
      expect(verdicts).toEqual(RULES.map(([, meaning]) => expected(meaning, now, open)));
    }),
    { numRuns: 400 },
  );
});
