import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== buy.yaml (with the required fields)
binds: [{ name: bought, source: output, path: $.at, key: { source: arguments, path: $.id } }]
#== give_back.yaml (with the required fields)
requires:
  - that: |
      now - timestamp(slots.bought[args.id]) <= duration("24h")
    reason: Things are taken back for a day
ensures:
  - that: |
      timestamp(output.at) <= now
    reason: Nothing happens in the future
`;

const BUY = { tool: "buy", arguments: { id: "a" }, output: { at: "2026-05-01T10:00:00Z" }, at: "2026-05-01T10:00:00Z" };

/** What becomes of giving back at a moment, with an answer of another one. */
function givenBack(at: unknown, answered = "2026-05-01T10:00:00Z") {
  return { calls: [BUY, { tool: "give_back", arguments: { id: "a" }, output: { at: answered }, at }] };
}

it("`now` of expressions is the recorded moment of the call", () =>
  inPack(PACK, async (cwd) => {
    const sessions = [
      givenBack("2026-05-02T10:00:00Z"),
      givenBack("2026-05-02T10:00:00.001Z"),
      givenBack(Date.parse("2026-05-02T09:59:59Z")),
      givenBack("2026-05-02T10:00:00Z", "2026-05-02T10:00:01Z"),
    ];
    writeFileSync(join(cwd, "t.jsonl"), sessions.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const { stdout } = await waitForCli(["replay", ".", "t.jsonl", "--format", "json"], { cwd });
    const report: { sessions: { verdicts: { kind: string; reason?: string }[] }[] } = JSON.parse(stdout);
    expect(report.sessions.map(({ verdicts }) => [verdicts[1]?.kind, verdicts[1]?.reason])).toEqual([
      ["allow", undefined],
      ["block", "requirement_failed"],
      ["allow", undefined],
      ["allow", "guarantee_failed"],
    ]);
  }));
