import { expect, it } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { exportLines } from "../../src/audit/export-log.js";
import { createGuard } from "../../src/guard/guard.js";
import { SessionReader } from "../../src/replay/formats/read-sessions.js";
import { SessionPlayer } from "../../src/replay/play-session.js";
import type { TracedSession } from "../../src/replay/traced-session.js";
import { openStore } from "../../src/stores/open-store.js";
import { compileText } from "../differential/compile-pack.js";
import { someOutcome } from "../differential/generate/outcomes.js";
import { Random } from "../differential/generate/random.js";
import { someObject } from "../differential/generate/values.js";
import { somePack } from "../differential/generate.js";
import { tool } from "../differential/scenario.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";

const ENV = { REGION: "EU", LETTER: "a", UNSET: "set here" };
const SEED = seedOf("RECORDED_SEED", 1);
const PACKS = sizeOf("RECORDED_PACKS", { share: 60, full: 2_000 });

interface Recorded {
  /** What the guard said of each call, for as long as the session was not killed. */
  readonly words: readonly string[];
  readonly session: TracedSession;
}

/** Whether the call may still be settled: what is no outcome is refused. */
async function settled(random: Random, settle: (outcome: unknown) => Promise<unknown>): Promise<void> {
  try {
    await settle(someOutcome(random));
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    await settle({ kind: "result", output: someObject(random) });
  }
}

async function recorded(artifact: Artifact, tools: readonly string[], random: Random): Promise<Recorded> {
  const store = await openStore("memory:");
  const storeArguments = random.pick(["needed", "needed", "all"] as const);
  const guard = await createGuard(artifact, { store, env: ENV, approver: "manual", storeArguments });
  const words: string[] = [];
  for (let made = random.below(14); made > 0 && !guard.state().killed; made--) {
    if (random.chance(0.2)) await guard.beginStep();
    const tool = random.chance(0.97) ? random.pick(tools) : "ghost";
    const args = random.chance(0.95) ? someObject(random) : [1];
    let verdict = await guard.propose({ tool, args });
    if (verdict.kind === "approval_required") {
      const answer = await guard.approve(verdict.approvalId, { by: "somebody" });
      if (answer.kind === "recorded") throw new Error("the guard that asked decides");
      verdict = answer;
    }
    words.push(verdict.kind === "block" ? `${tool} ${verdict.reason} ${verdict.rule?.line ?? ""}` : `${tool} made`);
    if (verdict.kind !== "allow") continue;
    const { callId } = verdict;
    await settled(random, (outcome) => guard.settle(callId, outcome as never));
  }
  const reader = new SessionReader(null);
  const sessions: TracedSession[] = [];
  for await (const line of exportLines(store, null)) sessions.push(...reader.read(JSON.parse(line)));
  const [session] = [...sessions, ...reader.end()];
  if (session === undefined) throw new Error("the store has a session");
  await store.close();
  return { words, session };
}

it(`decides what ${PACKS} packs recorded as their guards did (RECORDED_SEED=${SEED})`, {
  timeout: 600_000,
}, async () => {
  const seen = new Set<string>();
  let calls = 0;
  for (let at = 0; at < PACKS; at++) {
    const random = new Random(SEED * 1_000_000 + at);
    const pack = somePack(random);
    const { artifact } = compileText(pack);
    // Of principals an export has only digests.
    if (artifact === null || artifact.packs[0]?.needs_principal === true) continue;
    const player = new SessionPlayer(artifact, ENV);
    for (let round = 0; round < 3; round++) {
      const tools = pack.tools.map(({ tool }) => tool);
      const { words, session } = await recorded(artifact, tools, random);
      const ours = player
        .play(session)
        .map((call, index) =>
          call.kind === "block"
            ? `${session.calls[index]?.tool} ${call.reason} ${call.rule?.line ?? ""}`
            : `${session.calls[index]?.tool} made`,
        );
      expect(ours, `pack ${at}, session ${round}`).toEqual(words);
      for (const word of ours) seen.add(word.split(" ")[1] ?? "");
      calls += ours.length;
    }
  }
  expect(calls).toBeGreaterThan(PACKS);
  // Sessions that are all refused at once would agree too.
  expect([...seen]).toEqual(expect.arrayContaining(["made", "schema_mismatch", "prior_tool_missing", "ref_mismatch"]));
});

it("takes what an edited export says twice for said once", () => {
  const { artifact } = compileText({ tools: [tool("pay")], session: null, definitions: null });
  if (artifact === null) throw new Error("the pack compiles");
  const settled = { kind: "settled", callId: "c1", ending: "committed", sign: "success" };
  const events = [{ kind: "reserved", callId: "c1", tool: "pay", args: {}, isApproved: false }, settled, settled];
  const reader = new SessionReader(null);
  for (const [at, event] of events.entries()) reader.read({ v: 1, n: at + 1, prev: "", session: "s", event });
  const [session] = reader.end();
  if (session === undefined) throw new Error("the export has a session");
  expect(new SessionPlayer(artifact, ENV).play(session)).toMatchObject([{ kind: "allow", isCommitted: true }]);
});
