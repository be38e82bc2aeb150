import { describe, expect, it } from "vitest";
import { verify } from "../../../src/analysis/verify.js";
import { verifyWorkflow } from "../../../src/analysis/workflow/verify-workflow.js";
import { compileFolder } from "../../../src/compiler/compile-pack.js";
import { MemoryStore } from "../../../src/stores/memory-store.js";
import { withPack } from "../../support/pack-text.js";
import { randomFrom } from "../../support/random.js";
import { isReseeded, seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { enumerated } from "./brute-force.js";
import { smallWorkflow } from "./small-workflow.js";

const WORKFLOWS = sizeOf("AGREEMENT_WORKFLOWS", { share: 10, full: 120 });
const SEED = seedOf("AGREEMENT_WORKFLOWS_SEED", 1);

const seen = { proved: 0, violated: 0, deadlocks: 0 };

describe("what verifying says of small workflows, against every order of events", () => {
  it.each(Array.from({ length: WORKFLOWS }, (_, run) => run))("workflow %i", async (run) => {
    const small = smallWorkflow(randomFrom(SEED, run));
    const { artifact, claims, roleClaims } = withPack(small.text, (folder) => compileFolder(folder));
    if (artifact === null) throw new Error("it does not compile");
    const bounds = { depth: 30, states: 4000, sessions: small.bound };
    const packs = await verify(artifact, claims, { depth: 30, states: 300 });
    const explored = packs.values();
    const byPack = artifact.packs.map((pack) => (pack.tools.length === 0 ? null : (explored.next().value ?? null)));
    const found = await verifyWorkflow(
      artifact,
      { claims: roleClaims, packs: byPack, openStore: () => new MemoryStore(() => 0) },
      bounds,
    );
    const all = enumerated(artifact, small);
    const said = found?.claims.map(({ text, status }) => `${text}: ${status === "violated" ? "violated" : "kept"}`);
    const real = roleClaims.map((claim, at) => {
      const text = found?.claims[at]?.text ?? "";
      return `${text}: ${all.isBroken(claim) ? "violated" : "kept"}`;
    });
    expect(said).toEqual(real);
    expect(found?.deadlocks.length !== 0).toBe(all.hasDeadlock);
    for (const { status } of found?.claims ?? []) if (status !== "no_counterexample") seen[status] += 1;
    seen.deadlocks += all.hasDeadlock ? 1 : 0;
  });

  it("are of all kinds", () => {
    // A few random ones need not be.
    if (isReseeded("AGREEMENT_WORKFLOWS_SEED")) return;
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });
});
