import { describe, expect, it } from "vitest";
import { areErrorsKept } from "../../src/analysis/diff/static/error-strength.js";
import type { CompiledTool } from "../../src/artifact/compiled.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { leavesEffectUnknown } from "../../src/guard/session/settlement.js";
import { withPack } from "../support/pack-text.js";
import { type Random, randomFrom } from "../support/random.js";

type Errors = CompiledTool["allowed_errors"];
type Failure = Outcome & { readonly kind: "error" };

const SEED = 50_321;

const [PAY] =
  withPack("#== pay.yaml (with the required fields)\n", (folder) => compileFolder(folder)).artifact?.packs[0]?.tools ??
  [];

const MESSAGES = ["x", "y"].map((source) => ({ engine: "native", source }) as const);
const NONE = { at: { file: "pay.yaml", line: 1 }, status: null, code: null, message: null, outcome: null } as const;

function entryFrom(random: Random): Errors[number] {
  const matcher = random.pick([
    { status: "404" },
    { status: "500" },
    { status: "5xx" },
    { code: "late" },
    { message: random.pick(MESSAGES) },
    { status: "500", code: "late" },
  ]);
  return { ...NONE, ...matcher, outcome: random.pick([null, "not_executed", "unknown"]) };
}

function changedFrom(random: Random, errors: Errors): Errors {
  const at = random.below(Math.max(1, errors.length));
  return random.pick([
    errors.filter((_, index) => index !== at),
    random.shuffled(errors),
    errors.map((entry, index) => (index === at ? { ...entry, outcome: entryFrom(random).outcome } : entry)),
    [...errors, entryFrom(random)],
  ]);
}

const FAILURES: readonly Failure[] = [undefined, 404, 408, 500].flatMap((status) =>
  [undefined, "late"].flatMap((code) =>
    [undefined, "x", "xy"].map((message) => ({
      kind: "error" as const,
      ...(status === undefined ? {} : { status }),
      ...(code === undefined ? {} : { code }),
      ...(message === undefined ? {} : { message }),
    })),
  ),
);

/** An error after which the call stayed counted, and is released now. */
function newlyReleased(after: Errors, before: Errors): Failure | undefined {
  if (PAY === undefined) throw new Error("the pack does not compile");
  const [now, then] = [after, before].map((errors) => ({ ...PAY, allowed_errors: errors }));
  return FAILURES.find(
    (failure) => leavesEffectUnknown(then ?? null, failure) && !leavesEffectUnknown(now ?? null, failure),
  );
}

describe("reading allowed errors", () => {
  it("sees that an entry which said nothing held no place before one that did", () => {
    const before: Errors = [
      { ...NONE, status: "500" },
      { ...NONE, code: "late", outcome: "unknown" },
      { ...NONE, status: "500", outcome: "not_executed" },
    ];
    const after = before.slice(1).reverse();
    expect(newlyReleased(after, before)).toEqual({ kind: "error", status: 500, code: "late" });
    expect(areErrorsKept(after, before)).toBe(false);
  });

  it("never calls as strong what frees a call", () => {
    const random = randomFrom(SEED);
    const mistakes: unknown[] = [];
    let said = 0;
    for (let run = 0; run < 20_000; run++) {
      const before = Array.from({ length: random.below(5) }, () => entryFrom(random));
      const after = changedFrom(random, changedFrom(random, before));
      if (!areErrorsKept(after, before)) continue;
      said += 1;
      const wrong = newlyReleased(after, before);
      if (wrong !== undefined) mistakes.push({ before, after, wrong });
    }
    expect(mistakes).toEqual([]);
    expect(said).toBeGreaterThan(5000);
  });
});
