import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { REASONS, type Reason } from "../../../src/artifact/reasons.js";
import { sizeOf } from "../../support/size.js";
import { WORKFLOW_REASONS } from "../../support/workflow-reasons.js";
import type { Event } from "./brute-force.js";
import { type Comparison, compare } from "./compare.js";

const PACKS = sizeOf("AGREEMENT_PACKS", { share: 100, full: 2000 });
const SEED = Number(process.env.AGREEMENT_SEED ?? 1);
const CHUNKS = 10;
const TIMEOUT = 300_000;
/** A reason that hardly ever occurs is not really tried. */
const OFTEN = 5;

/** Reasons that no check of a call gives, so that there is nothing to explore. */
const OUTSIDE: Readonly<Partial<Record<Reason, string>>> = {
  ...WORKFLOW_REASONS,
  session_killed: "the session as a whole is over; the circuit breaker has sessions of its own",
  session_paused: "approvals are given at once",
  unmatched_tool: "only tools of the pack are called",
  arguments_not_json: "arguments are JSON",
  approval_denied: "approvals are given at once",
  approval_expired: "approvals are given at once",
  approval_mismatch: "approvals are given at once",
  approval_used: "approvals are given at once",
  output_not_json: "outputs are JSON",
  guard_fault: "nothing fails",
  approval_withdrawn: "approvals are given at once",
  call_key_used: "calls have no keys",
  call_key_mismatch: "calls have no keys",
  store_unavailable: "nothing fails",
  store_contended: "nobody else writes",
  unjudgeable_cost: "arguments are small",
  provider_incompatible: "requests are not judged",
  response_format_violated: "responses are not judged",
  response_unreadable: "responses are not judged",
};

const EXPECTED: readonly Event[] = [
  "allowed",
  "approval",
  ...Object.keys(REASONS).filter((reason): reason is Reason => !(reason in OUTSIDE)),
];

function described(seed: number, { small, disagreements }: Comparison): readonly string[] {
  return disagreements.map(({ tool, event, kind, session }) => {
    const { tools, session: contract, definitions } = small.pack;
    const files = [...tools, contract, definitions].filter((file) => file !== null);
    const pack = files.map((file) => stringify(file)).join("---\n");
    return `seed ${seed}: ${event} of ${tool} is ${kind}\n${JSON.stringify(session)}\n${pack}`;
  });
}

describe("the explorer and exhaustive enumeration", () => {
  const agreed = new Map<Event, number>();
  let compared = 0;
  let within = 0;
  let skipped = 0;

  async function compareChunk(chunk: number): Promise<readonly string[]> {
    const problems: string[] = [];
    for (let seed = SEED + chunk; seed < SEED + PACKS; seed += CHUNKS) {
      const comparison = await compare(seed);
      if (comparison === null) continue;
      compared += 1;
      within += comparison.within;
      skipped += comparison.skipped;
      for (const event of comparison.agreed) agreed.set(event, (agreed.get(event) ?? 0) + 1);
      problems.push(...described(seed, comparison));
    }
    return problems;
  }

  it.each(Array.from({ length: CHUNKS }, (_, chunk) => chunk))(
    "find the same of every pack, part %i",
    async (chunk) => {
      expect((await compareChunk(chunk)).join("\n\n")).toBe("");
    },
    TIMEOUT,
  );

  it("have nearly all packs compiled, and nearly none cut off by a bound", () => {
    const pairs = [...agreed.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...agreed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([event, count]) => `${event} ${count}`);
    console.info(`${compared} packs, ${pairs} pairs, ${skipped} cut off, ${within} within reach\n${counts.join(", ")}`);
    expect(compared).toBeGreaterThan(PACKS * 0.9);
    expect(skipped).toBeLessThan(pairs * 0.01);
    expect(within).toBeGreaterThan(compared);
  });

  it.skipIf(PACKS < 1000)("meet every reason that a call can be refused for", () => {
    expect(EXPECTED.filter((event) => (agreed.get(event) ?? 0) < OFTEN)).toEqual([]);
  });
});
