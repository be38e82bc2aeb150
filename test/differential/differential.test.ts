import { describe, expect, it } from "vitest";
import { REASONS } from "../../src/artifact/reasons.js";
import { runCases } from "./run.js";

const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const DECISIONS = Number(process.env.DIFFERENTIAL_DECISIONS ?? 200_000);

/** A reason that hardly ever occurs is not really compared. */
const OFTEN = 100;

describe("the guard against the reference guard", () => {
  it(
    "gives the same answers on generated packs and sessions, for every reason there is",
    async () => {
      const started = performance.now();
      const { decisions, packs, perReason, mismatch } = await runCases({ seed: SEED, decisions: DECISIONS });
      expect(mismatch?.text ?? "no difference").toBe("no difference");
      const seconds = (performance.now() - started) / 1000;
      console.info(`${decisions} decisions on ${packs} packs, ${Math.round(decisions / seconds)} a second`);
      console.info(Object.fromEntries(perReason));
      const rare = Object.keys(REASONS).filter((reason) => (perReason.get(reason) ?? 0) < OFTEN);
      expect(rare).toEqual([]);
    },
    Math.max(600_000, DECISIONS),
  );
});
