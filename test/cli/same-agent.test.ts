import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Difference } from "../../src/analysis/difference.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { artifactOf } from "../support/guard-artifact.js";
import { waitForCli } from "../support/run-cli.js";

/** Two roles whose packs have one agent and one tool, in folders `one` and `two`; each has an invariant of its own. */
function workflow(one: string, two: string): string {
  return `
#== workflow.yaml (with the required fields)
roles:
  - { name: first, session_contract: one/session.yaml }
  - { name: second, session_contract: two/session.yaml }
#== one/session.yaml (with the required fields)
agent: twin
#== one/look.yaml (with the required fields)
argument_value_invariants: [${one}]
#== two/session.yaml (with the required fields)
agent: twin
#== two/look.yaml (with the required fields)
argument_value_invariants: [${two}]
`;
}

const NEW = workflow('{ path: "$.alpha", type: string }', '{ path: "$.beta", lte: 9 }');
const OLD = workflow('{ path: "$.alpha", type: string }', '{ path: "$.beta", lte: 5 }');
/** The same packs, the second role before the first. */
const SWAPPED = NEW.replace(/( {2}- .*one.*\n)( {2}- .*two.*\n)/, "$2$1");

/** The first pack is in another folder, which comes later in the order of the roles. */
const MOVED = SWAPPED.replaceAll("one/", "zoo/");

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "same-agent-"));
  writeFileSync(join(folder, "new.json"), encodeArtifact(artifactOf(NEW)));
  writeFileSync(join(folder, "old.json"), encodeArtifact(artifactOf(OLD)));
  writeFileSync(join(folder, "swapped.json"), encodeArtifact(artifactOf(SWAPPED)));
  writeFileSync(join(folder, "moved.json"), encodeArtifact(artifactOf(MOVED)));
  const lines = [
    { session: "s", role: "second", tool: "look", kind: "allow", callId: "call_1" },
    { session: "s", role: "second", tool: "look", kind: "allow", callId: "call_2" },
  ];
  writeFileSync(join(folder, "events.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The parts of a page that are about each pack. */
function packParts(page: string): readonly string[] {
  return page.split(/<div class="pack" id="p\d+"/).slice(1);
}

async function output(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await waitForCli(args, { cwd: folder });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return stdout;
}

describe("two packs of one agent", () => {
  it("each have their own results, changes and counts on the page", async () => {
    const args = ["graph", "new.json", "--format", "html", "--diff", "old.json", "--traces", "events.jsonl"];
    const [one = "", two = ""] = packParts(await output(...args));
    expect(one).not.toContain('id="p0changes"');
    expect(two).toContain('id="p1changes"');
    expect(one).toContain("allowed 0 times, refused 0 times");
    expect(two).toContain("allowed 2 times, refused 0 times");
    for (const part of [one, two]) expect(part).toContain("1 shown to fire");
  });

  it("are compared each with its own, whatever the order", async () => {
    const names = async (before: string, after: string) => {
      const differences: readonly Difference[] = JSON.parse(await output("diff", before, after, "--format", "json"));
      return differences.flatMap(({ changes }) => changes).filter(({ what }) => what !== "setting");
    };
    expect(await names("new.json", "swapped.json")).toEqual([]);
    expect(await names("new.json", "moved.json")).toEqual([]);
    expect(await names("moved.json", "new.json")).toEqual([]);
    expect(await names("old.json", "swapped.json")).toMatchObject([{ kind: "loosened", tools: ["look"] }]);
  });
});
