import { expect, it } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { SessionPlayer } from "../../src/replay/play-session.js";
import { type Beside, outcomeOf, type TracedCall, type TracedSession } from "../../src/replay/traced-session.js";
import { compileText } from "../differential/compile-pack.js";
import { Random } from "../differential/generate/random.js";
import { someObject, somePrincipal } from "../differential/generate/values.js";
import { somePack } from "../differential/generate.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";

const ENV = { REGION: "EU", LETTER: "a", UNSET: "set here" };
const SEED = seedOf("REPLAY_SEED", 1);
const PACKS = sizeOf("REPLAY_PACKS", { share: 200, full: 3_000 });

function someBefore(random: Random, opensSteps: boolean): readonly Beside[] {
  const before: Beside[] = [];
  if (opensSteps && random.chance(0.6)) before.push({ kind: "step" });
  if (random.chance(0.1)) before.push({ kind: "label", label: random.pick(["red", "blue"]) });
  if (random.chance(0.1)) before.push({ kind: "cost", usd: random.pick([0.1, 1, 5]) });
  return before;
}

/** What records say of how calls ended. */
function someOutcome(random: Random): Outcome | undefined {
  const unsaid = { sent: undefined, answered: undefined, status: undefined, code: undefined, message: undefined };
  return random.make<Outcome | undefined>([
    () => ({ kind: "result", output: someObject(random) }),
    () => ({ kind: "result", output: someObject(random) }),
    () => ({ kind: "result", output: someObject(random) }),
    () => ({ kind: "error", ...unsaid, answered: true, message: random.pick(["temporary failure", "failure"]) }),
    () => ({
      kind: "error",
      ...unsaid,
      status: random.pick([400, 404, 408, 500]),
      code: random.pick(["busy", "gone"]),
    }),
    () => ({ kind: "timeout", sent: undefined }),
    () => undefined,
  ]);
}

function someCall(random: Random, tools: readonly string[], opensSteps: boolean): TracedCall {
  return {
    tool: random.chance(0.97) ? random.pick(tools) : "ghost",
    args: someObject(random),
    outcome: someOutcome(random),
    before: someBefore(random, opensSteps),
    at: null,
  };
}

function someSession(random: Random, tools: readonly string[]): TracedSession {
  const opensSteps = random.chance(0.5);
  const calls = random.list(random.below(14), () => someCall(random, tools, opensSteps));
  return { id: null, principal: somePrincipal(random), labels: [], calls };
}

/** The same session on a guard as agents have it, which is told everything as it happens. */
async function onGuard(artifact: Artifact, { principal, calls }: TracedSession): Promise<readonly string[]> {
  const guard = await createGuard(artifact, {
    env: ENV,
    approver: "manual",
    ...(principal === null ? {} : { principal }),
  });
  const words: string[] = [];
  for (const call of calls) {
    const { tool, args, before } = call;
    let refused: string | null = null;
    for (const beside of before) {
      if (beside.kind === "label") await guard.addLabel(beside.label);
      else if (beside.kind === "cost") await guard.recordCost(beside.usd);
      else {
        const step = await guard.beginStep();
        if (step.kind === "block") refused = `${step.reason} ${step.rule?.line ?? ""}`;
      }
    }
    if (refused !== null) {
      words.push(`block ${refused}`.trim());
      continue;
    }
    const verdict = await guard.propose({ tool, args });
    if (verdict.kind === "block") {
      words.push(`block ${verdict.reason} ${verdict.rule?.line ?? ""}`.trim());
      continue;
    }
    if (verdict.kind === "approval_required") await guard.approve(verdict.approvalId, { by: "somebody" });
    const { violation } = await guard.settle(verdict.callId, outcomeOf(call) ?? { kind: "happened" });
    words.push(`${verdict.kind} ${violation?.reason ?? ""}`.trim());
  }
  return words;
}

function played(player: SessionPlayer, session: TracedSession): readonly string[] {
  return player.play(session).map((call) => {
    if (call.kind !== "block") return `${call.kind} ${call.violation?.reason ?? ""}`.trim();
    return `block ${call.reason} ${call.rule?.line ?? ""}`.trim();
  });
}

it(`decides ${PACKS} packs as the guard of an agent does (REPLAY_SEED=${SEED})`, { timeout: 600_000 }, async () => {
  const seen = new Set<string>();
  for (let at = 0; at < PACKS; at++) {
    const random = new Random(SEED * 1_000_000 + at);
    const pack = somePack(random);
    const { artifact } = compileText(pack);
    if (artifact === null) continue;
    const player = new SessionPlayer(artifact, ENV);
    for (let round = 0; round < 3; round++) {
      const session = someSession(
        random,
        pack.tools.map(({ tool }) => tool),
      );
      const ours = played(player, session);
      for (const word of ours) seen.add(word.split(" ").slice(0, 2).join(" "));
      expect(ours, `pack ${at}, session ${round}`).toEqual(await onGuard(artifact, session));
    }
  }
  // Sessions that are all refused at once would agree too.
  expect([...seen]).toEqual(
    expect.arrayContaining(["allow", "approval_required", "block ref_mismatch", "block phase_not_allowed"]),
  );
});
