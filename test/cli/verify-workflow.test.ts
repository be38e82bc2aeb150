import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { type Ran, waitForCli } from "../support/run-cli.js";

/** A role that takes two repositories, one after the other. */
function role(name: string, first: string, second: string): string {
  const tool = (
    at: string,
    key: string,
    move: string,
  ) => `#== packs/${name}/${name}_${at}.yaml (with the required fields)
side_effect: write
assertions: { input_invariants: [{ path: $.repository, one_of: [${key}] }], output_invariants: [] }
transitions: ${move}
`;
  return `#== packs/${name}/session.yaml (with the required fields)
agent: ${name}
phases: [{ name: open, initial: true }, { name: half }, { name: done, terminal: true }]
transitions: { open: [half], half: [done] }
resources: { repository: { type: repository, extract_from: { path: $.repository } } }
${tool("takes", first, "{ valid_in_phases: [open], advances_to: half }")}${tool("ends", second, "{ valid_in_phases: [half], advances_to: done }")}`;
}

function pack(second: readonly [string, string], claim: string, session = ""): string {
  return `#== claims.yaml (with the required fields)
claims:
  - ${claim}
#== workflow.yaml (with the required fields)
roles:
  - { name: one, session_contract: packs/one/session.yaml }
  - { name: two, session_contract: packs/two/session.yaml }
shared_resources:
  - { alias: repository, mode: single_writer }
${session}${role("one", "a", "b")}${role("two", ...second)}`;
}

const SAME: readonly [string, string] = ["a", "b"];
const CROSSED: readonly [string, string] = ["b", "a"];
const HOLDS = "never: { role: one, tool: two_ends }";
const suppressing = (check: string) => `#== session.yaml (with the required fields)
graph_analysis: { suppress: [{ check: ${check}, reason: "Nobody runs both at once" }] }
`;

function verify(text: string, ...options: readonly string[]): Promise<Ran> {
  return inPack(text, (folder) => waitForCli(["verify", folder, ...options]));
}

describe("contracts verify on a workflow", () => {
  it("says what is known of its claims, and that no deadlock was found", async () => {
    const { code, stdout } = await verify(pack(SAME, HOLDS));
    expect(code).toBe(0);
    expect(stdout.slice(stdout.indexOf("workflow example"))).toMatch(
      /^workflow example\n {2}claims {2}1 claim: 1 proved\n {4}proved: `two_ends` is never called by a session of the role `one`, because .+\n {2}waits {3}no deadlock was found\n {2}bound {3}\d+ states explored \(at most 1000 steps and 4000 states a search, and 2 sessions of a role\)\n/,
    );
  });

  it("fails on a claim that does not hold, and shows the run", async () => {
    const { code, stdout } = await verify(pack(SAME, "never: { role: two, tool: two_ends }"));
    expect(code).toBe(1);
    expect(stdout).toContain(
      "claims.yaml:2:3: error: this does not hold: `two_ends` is never called by a session of the role `two` [claim_violated]",
    );
    expect(stdout).toContain(`    counterexample: \`two_ends\` is never called by a session of the role \`two\`
      1. two-1 starts
      2. two-1: two_takes {"repository":"a"} -> {} (half)
      3. two-1: two_ends {"repository":"b"} -> {} (done)
`);
  });

  it("warns of sessions that can wait for each other, and shows how", async () => {
    const { code, stdout } = await verify(pack(CROSSED, HOLDS));
    expect(code).toBe(0);
    expect(stdout).toContain(
      'workflow.yaml:5:3: warning: sessions of `one` and `two` can wait for each other, and none of them can finish: `one-1` owns `repository` "a" and needs `repository` "b" for `one_ends`; `two-1` owns `repository` "b" and needs `repository` "a" for `two_ends` [workflow_deadlock]',
    );
    expect(stdout).toContain('6. two-1: two_ends {"repository":"a"} REFUSED: resource_conflict (half)');
  });

  it("leaves out a deadlock that is suppressed with a reason, and reports a suppression of none", async () => {
    const suppressed = await verify(pack(CROSSED, HOLDS, suppressing("workflow_deadlock")), "--warnings-as-errors");
    expect([suppressed.code, suppressed.stdout.includes("[workflow_deadlock]")]).toEqual([0, false]);
    const unused = await verify(pack(SAME, HOLDS, suppressing("workflow_deadlock")));
    expect(unused.stdout).toContain("nothing is suppressed: no finding `workflow_deadlock` [unused_suppression]");
  });

  it("gives programs the same, beside the packs", async () => {
    const { stdout } = await verify(pack(CROSSED, HOLDS), "--format", "json", "--sessions", "3");
    const { verification, workflow } = JSON.parse(stdout);
    expect(verification.map((each: { readonly pack: string }) => each.pack)).toEqual(["one", "two"]);
    expect(workflow).toMatchObject({
      workflow: "example",
      bounds: { depth: 1000, states: 4000, sessions: 3 },
      claims: [{ at: { file: "claims.yaml", line: 2 }, status: "proved", by: "no_contract", trace: null }],
      deadlocks: [
        {
          at: { file: "workflow.yaml", line: 5 },
          isProved: true,
          sessions: [
            { session: "one-1", role: "one", holds: [{ alias: "repository", key: "a" }], wants: { tool: "one_ends" } },
            { session: "two-1", role: "two", holds: [{ alias: "repository", key: "b" }], wants: { tool: "two_ends" } },
          ],
          trace: {
            sessions: [
              { session: "one-1", parent: null },
              { session: "two-1", parent: null },
            ],
          },
        },
      ],
    });
  });

  it("has no part for a workflow where there is none", async () => {
    const { stdout } = await inPack("#== read.yaml (with the required fields)\n", (folder) =>
      waitForCli(["verify", folder, "--format", "json"]),
    );
    expect(Object.keys(JSON.parse(stdout))).not.toContain("workflow");
  });

  it("rejects --sessions where nothing is explored", async () => {
    const { code, stderr } = await inPack(pack(SAME, HOLDS), (folder) =>
      waitForCli(["compile", folder, "--sessions", "3"]),
    );
    expect(code).toBe(2);
    expect(stderr).toContain("--sessions limits how far a workflow is explored, which was not asked for");
  });
});
