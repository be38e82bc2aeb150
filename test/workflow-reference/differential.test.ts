import { describe, expect, it } from "vitest";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { WORKFLOW_REASONS } from "../support/workflow-reasons.js";
import { runWorkflows } from "./run.js";

const SEED = seedOf("WORKFLOW_SEED", 1);
const OPERATIONS = sizeOf("WORKFLOW_OPERATIONS", { share: 1_000, full: 100_000 });

/** An answer that hardly ever occurs is not really compared. */
const OFTEN = OPERATIONS / 5_000;

describe("workflows against the reference", () => {
  it(
    "give the same answers and the same states on generated workflows, for every reason there is",
    async () => {
      const started = performance.now();
      const { operations, workflows, perWord, mismatch } = await runWorkflows({ seed: SEED, operations: OPERATIONS });
      expect(mismatch ?? "no difference").toBe("no difference");
      const seconds = (performance.now() - started) / 1000;
      console.info(`${operations} operations, ${workflows} workflows, ${Math.round(operations / seconds)} a second`);
      console.info(Object.fromEntries([...perWord].sort()));
      const words = [...perWord].map(([word, count]) => ({ word: word.split(": ").at(-1), count }));
      const often = (reason: string) =>
        words.reduce((sum, { word, count }) => sum + (word === reason ? count : 0), 0) >= OFTEN;
      // A smaller run may miss what is rare.
      if (OPERATIONS >= 5_000) expect(Object.keys(WORKFLOW_REASONS).filter((reason) => !often(reason))).toEqual([]);
    },
    Math.max(600_000, 10 * OPERATIONS),
  );
});
