import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS } from "../../src/analysis/default-bounds.js";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { PackUnderTest } from "../../src/analysis/model/pack-under-test.js";
import { retrace } from "../../src/analysis/trace/retrace.js";
import { verify } from "../../src/analysis/verify.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";

const packOf = (limits: string) => `#== session.yaml (with the required fields)
schema_version: "1.1"
phases: [{ name: open, initial: true }, { name: done, terminal: true }]
transitions: { open: [done] }
session_limits: { ${limits} }
#== send.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open] }
#== end.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open], advances_to: done }
`;

async function statusOf(limits: string) {
  const [found] = await verify(artifactOf(packOf(limits)), [], DEFAULT_BOUNDS);
  return found?.rules.find(({ rule }) => rule.startsWith("max_calls_per_step@"));
}

describe("a limit of calls per step", () => {
  it("is tried in no session in which a step begins beyond the limit of steps", () => {
    const artifact = artifactOf(packOf("max_steps: 2, max_calls_per_step: 2"));
    const [pack] = artifact.packs;
    if (pack === undefined) throw new Error("no pack");
    const program = new PackUnderTest(artifact, pack).slice(new Set(["send"]), null);
    const call = { kind: "call", tool: "send", args: {}, outcome: { kind: "result", output: null } } as const;
    const step = { kind: "step" } as const;
    expect(retrace(program, [call, step, call])?.session.ownSteps).toBe(1);
    expect(retrace(program, [call, call, step, call])).toBeNull();
  });

  it("is shown to refuse a call, in a session that opens a step", async () => {
    const rule = await statusOf("max_calls_per_step: 3");
    expect(rule?.status).toBe("fires");
    const kinds = rule?.trace?.steps.map((step) => step.kind);
    expect(kinds).toEqual(["step", "call", "call", "call", "call"]);
  });

  it("is proved never to refuse one where a session has fewer calls", async () => {
    expect((await statusOf("max_calls_per_step: 9, max_tool_calls: 4"))?.status).toBe("cannot_fire");
  });

  it("is weaker the more calls it allows", async () => {
    const options = { bounds: DEFAULT_BOUNDS, wording: sentenceOf };
    const [before, after] = [packOf("max_calls_per_step: 2"), packOf("max_calls_per_step: 3")].map(artifactOf);
    if (before === undefined || after === undefined) throw new Error("no artifacts");
    const [loosened] = await diffPacks(before, after, options);
    expect(loosened?.changes).toMatchObject([
      { kind: "loosened", before: "A step has at most 2 calls.", after: "A step has at most 3 calls." },
    ]);
    const [tightened] = await diffPacks(after, before, options);
    expect(tightened?.changes).toMatchObject([{ kind: "tightened" }]);
  });
});
