import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { coverageOf } from "../../src/report/coverage.js";
import { artifactOf } from "../support/guard-artifact.js";
import { exampleArtifact } from "./content.js";

const PACK = `
#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: half }, { name: done, terminal: true }]
transitions: { open: [half, done], half: [done] }
#== look.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.id", type: string }
#== go.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: half }
#== tell.yaml (with the required fields)
side_effect: write
evidence_class: unverifiable
commit_requirement: none
transitions: { valid_in_phases: [half], advances_to: done }
checkpoint: { when: always, timeout_seconds: 60 }
`;

/** The events that listeners of two sessions get, as lines. */
async function recorded(): Promise<string> {
  const artifact = artifactOf(PACK);
  const lines: string[] = [];
  for (const session of ["one", "two"]) {
    const guard = await createGuard(artifact, { approver: "manual" });
    const record = (event: object) => lines.push(JSON.stringify({ session, ...event }));
    for (const event of ["decision", "settled", "approval_requested", "approval_answered"] as const) {
      guard.on(event, record);
    }
    await guard.propose({ tool: "look", args: { id: 3 } });
    const going = await guard.propose({ tool: "go", args: {} });
    if (going.kind === "allow") await guard.settle(going.callId, { kind: "result", output: {} });
    await guard.propose({ tool: "go", args: {} });
    const asked = await guard.propose({ tool: "tell", args: {} });
    if (session === "one" && asked.kind === "approval_required") await guard.approve(asked.approvalId, { by: "ada" });
    await guard.propose({ tool: "unheard_of", args: {} });
  }
  return lines.join("\n");
}

describe("coverage", () => {
  it("counts the events that listeners of a guard got", async () => {
    const result = coverageOf(artifactOf(PACK), await recorded());
    if (!result.ok) throw new Error(result.problem);
    const { calls, sessions, foreign, unexplained, packs } = result.coverage;
    // Of the two sessions one waits for its approval: there the last call is refused because it is paused.
    expect({ calls, sessions, foreign, unexplained }).toEqual({ calls: 10, sessions: 2, foreign: 0, unexplained: 2 });
    const [pack] = packs;
    expect([...(pack?.tools ?? [])].sort()).toEqual([
      ["go", { allowed: 2, refused: 2 }],
      ["look", { allowed: 0, refused: 2 }],
      ["tell", { allowed: 1, refused: 0 }],
    ]);
    expect(pack?.transitions).toEqual([
      { from: "half", to: "done", taken: 1 },
      { from: "open", to: "half", taken: 2 },
      { from: "open", to: "done", taken: 0 },
    ]);
    const kinds = [...(pack?.rules ?? [])].map(([id, count]) => [id.replace(/@.*/, ""), count]);
    expect(kinds.sort()).toEqual([
      ["argument_invariant", 2],
      ["checkpoint", 2],
      ["phase", 2],
    ]);
  });

  it("counts lines that are no events, and never fails on them", () => {
    const lines = [
      '{"tool":"go","kind":"allow"}',
      "",
      "no JSON",
      "[]",
      "null",
      '{"kind":"other","tool":"go"}',
      '{"a":1}',
    ];
    const result = coverageOf(artifactOf(PACK), lines.join("\n"));
    expect(result).toMatchObject({ ok: true, coverage: { calls: 1, foreign: 5 } });
  });

  it("says so where no line is an event", () => {
    expect(coverageOf(artifactOf(PACK), "hello\n")).toEqual({ ok: false, problem: "no line is a guard event" });
  });

  it("does not credit a rule with a refusal at its place for another reason", () => {
    const [pack] = artifactOf(PACK).packs;
    const at = pack?.tools
      .find(({ name }) => name === "look")
      ?.checks.find(({ kind }) => kind === "argument_invariant");
    const rule = at !== undefined && "at" in at ? at.at : null;
    const line = (reason: string) => JSON.stringify({ tool: "look", kind: "block", reason, rule });
    const text = [line("argument_invariant_failed"), line("loop_detected")].join("\n");
    const result = coverageOf(artifactOf(PACK), text);
    expect(result).toMatchObject({ ok: true, coverage: { unexplained: 1 } });
  });

  it("takes the pack of the role that a line names", () => {
    const artifact = exampleArtifact("code-review");
    const [worker] = artifact.workflow?.roles.filter(({ name }) => name === "worker") ?? [];
    const result = coverageOf(artifact, '{"tool":"read_file","kind":"allow","callId":"a","role":"worker"}');
    if (!result.ok) throw new Error(result.problem);
    expect(result.coverage.packs[worker?.pack ?? -1]?.tools.get("read_file")?.allowed).toBe(1);
  });
});
