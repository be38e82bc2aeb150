import { beforeAll, describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { createGuard } from "../../src/guard/guard.js";
import { withPack } from "../support/pack-text.js";

/** One checkpoint: when it asks, how long it waits, and what silence means. */
type Kind = readonly [when: "always" | "large", seconds: number, end: "allow" | "deny"];

const KINDS: readonly Kind[] = (["always", "large"] as const).flatMap((when) =>
  [30, 300].flatMap((seconds) => (["allow", "deny"] as const).map((end): Kind => [when, seconds, end])),
);
/** None, one, or two on one call. */
const LISTS: readonly (readonly Kind[])[] = [
  [],
  ...KINDS.map((kind) => [kind]),
  ...KINDS.flatMap((one, at) => KINDS.slice(at).map((other) => [one, other])),
];

function compiled(kinds: readonly Kind[]): Artifact {
  const entries = kinds.map(([when, seconds, end], at) => {
    const condition = when === "always" ? "always" : '[{ path: "$.n", gte: 5 }]';
    return `  - { name: c${at}, tool: pay, when: ${condition}, timeout_seconds: ${seconds}, on_timeout: ${end} }\n`;
  });
  const checkpoints = entries.length === 0 ? "" : `checkpoints:\n${entries.join("")}`;
  const text = `#== session.yaml (with the required fields)
${checkpoints}#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", type: number }]
`;
  const { artifact } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(text);
  return artifact;
}

const ANSWERS = [10, 60].flatMap((seconds) => (["approve", "deny"] as const).map((answer) => ({ seconds, answer })));
/** An approver answers before the short deadline or between the two, or not at all. */
const SCENARIOS = [1, 9].flatMap((n) => [...ANSWERS, null].map((answer) => ({ n, answer })));

async function isAllowed(artifact: Artifact, { n, answer }: (typeof SCENARIOS)[number]): Promise<boolean> {
  let time = 0;
  const guard = await createGuard(artifact, { approver: "manual", clock: { now: () => time } });
  const verdict = await guard.propose({ tool: "pay", args: { n } });
  if (verdict.kind !== "approval_required") return verdict.kind === "allow";
  if (answer !== null) {
    time = answer.seconds * 1000;
    const answered = await guard[answer.answer](verdict.approvalId, { by: "boss" });
    if (answered.kind === "allow") return true;
  }
  time = 600_000;
  return (await guard.resume(verdict.approvalId)).kind === "allow";
}

/** A list of checkpoints, and which scenarios end in a call. */
interface Tried {
  readonly kinds: readonly Kind[];
  readonly artifact: Artifact;
  readonly allowed: readonly boolean[];
}

async function isLoosened(before: Tried, after: Tried): Promise<boolean> {
  const differences = await diffPacks(before.artifact, after.artifact, { bounds: null, wording: ({ id }) => id });
  return differences.some((difference) => gateOf(difference).loosened);
}

describe("the gate, of several checkpoints on one call", () => {
  const tried: Tried[] = [];
  beforeAll(async () => {
    for (const kinds of LISTS) {
      const artifact = compiled(kinds);
      const allowed: boolean[] = [];
      for (const scenario of SCENARIOS) allowed.push(await isAllowed(artifact, scenario));
      tried.push({ kinds, artifact, allowed });
    }
  }, 60_000);

  it("passes no change by which a call goes out that did not before, whenever an approver answers", async () => {
    const missed: unknown[] = [];
    const passed = { kept: 0, ofAllKept: 0 };
    for (const before of tried) {
      for (const after of tried) {
        const isKept = after.allowed.every((now, at) => !now || before.allowed[at] === true);
        const isPassed = !(await isLoosened(before, after));
        if (isPassed && !isKept) missed.push({ before: before.kinds, after: after.kinds });
        passed.ofAllKept += isKept ? 1 : 0;
        passed.kept += isKept && isPassed ? 1 : 0;
      }
    }
    expect(missed).toEqual([]);
    // Reading goes rule by rule, so that it passes fewer changes than are harmless, but not none.
    expect(passed.kept).toBeGreaterThan(passed.ofAllKept / 2);
  }, 120_000);

  it("passes one more checkpoint where silence means no, or the first of all", async () => {
    const [none] = tried;
    for (const one of tried.filter(({ kinds }) => kinds.length === 1)) {
      if (none !== undefined) expect(await isLoosened(none, one)).toBe(false);
      for (const two of tried) {
        const added = two.kinds.filter((kind) => kind !== one.kinds[0]);
        if (two.kinds.length !== 2 || added.length !== 1 || added[0]?.[2] !== "deny") continue;
        expect({ one: one.kinds, two: two.kinds, isLoosened: await isLoosened(one, two) }).toMatchObject({
          isLoosened: false,
        });
      }
    }
  });
});
