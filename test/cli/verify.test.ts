import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const SESSION = `#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: done, terminal: true }
transitions:
  open: [done]
`;
const CLOSE = `#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
`;
const DEAD_RULE = `${SESSION}${CLOSE}#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
preconditions: [{ requires_step_count: { gte: 0 } }]
`;
const SUPPRESSED = DEAD_RULE.replace(
  "transitions:\n  open: [done]\n",
  `transitions:
  open: [done]
graph_analysis:
  suppress:
    - { check: rule_cannot_fire, tool: note, reason: "kept for the next version" }
`,
);
const STUCK = `${SESSION}${CLOSE}#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
forbids_after: [close]
`;
const BROKEN_CLAIM = `${SESSION}${CLOSE}#== claims.yaml (with the required fields)
claims:
  - never: { tool: note, without_prior: close }
#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "verify-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function packOf(name: string, text: string): string {
  const path = join(folder, name);
  withPack(text, (written) => cpSync(written, path, { recursive: true }));
  return path;
}

describe("contracts verify", () => {
  it("fails on a rule that can never refuse anything, at its place", async () => {
    const { code, stdout } = await waitForCli(["verify", packOf("dead", DEAD_RULE)]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "note.yaml:2:1: error: no call is ever refused by this rule, because no session has fewer steps:",
    );
    expect(stdout).toContain("[rule_cannot_fire]");
    expect(stdout).toContain("1 proved never to fire");
  });

  it("passes where that is suppressed with a reason", async () => {
    const { code, stdout } = await waitForCli(["verify", packOf("suppressed", SUPPRESSED)]);
    expect({ code, hasFinding: stdout.includes("[rule_cannot_fire]") }).toEqual({ code: 0, hasFinding: false });
  });

  it("finds a suppression of its own findings that silences nothing; check leaves it to verify", async () => {
    const pack = packOf("unused", SUPPRESSED.replace("gte: 0", "gte: 1"));
    expect((await waitForCli(["check", pack, "--warnings-as-errors"])).code).toBe(0);
    const { code, stdout } = await waitForCli(["verify", pack, "--warnings-as-errors"]);
    expect(code).toBe(1);
    expect(stdout).toContain("no finding `rule_cannot_fire` about `note` [unused_suppression]");
  });

  it("shows how a session gets stuck, as a warning", async () => {
    const { code, stdout } = await waitForCli(["verify", packOf("stuck", STUCK)]);
    expect(code).toBe(0);
    expect(stdout).toContain("[stuck_session]");
    expect(stdout).toContain("    stuck in open:\n      1. note {} -> {} (open)\n");
  });

  it("fails on a claim that does not hold, and shows the counterexample", async () => {
    const { code, stdout } = await waitForCli(["verify", packOf("claim", BROKEN_CLAIM)]);
    expect(code).toBe(1);
    expect(stdout).toContain("claims.yaml:2:3: error: this does not hold: `note` is never called before");
    expect(stdout).toContain(
      "counterexample: `note` is never called before a call of `close` was committed\n      1. note {}",
    );
  });

  it("distinguishes proved claims from those without a counterexample, and fails on neither", async () => {
    const text = `${SESSION}${CLOSE}#== claims.yaml (with the required fields)
claims:
  - never: { tool: note, after: close }
  - always_possible: { reach: terminal }
#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
`;
    const pack = packOf("claims", text);
    const { code, stdout } = await waitForCli(["verify", pack, "--warnings-as-errors"]);
    expect(code).toBe(0);
    expect(stdout).toContain("2 claims: 1 proved, 1 without a counterexample");
    expect(stdout).toContain("committed, because after `close` a session is only ever in done");
    expect(stdout).toMatch(/no counterexample in \d+ states: `done` can always be reached \(met: [a-z_, ]+\)/);
    const report = JSON.parse((await waitForCli(["verify", pack, "--format", "json"])).stdout);
    const [proved, open] = report.verification[0].claims;
    expect(proved).toMatchObject({ status: "proved", by: "phase_left", states: 0, met: [], trace: null });
    expect(open).toMatchObject({ status: "no_counterexample", by: null, because: null, trace: null });
    expect(open.met).toContain("sampled_values");
  });

  it("reports everything to programs", async () => {
    const { code, stdout } = await waitForCli(["verify", packOf("json", BROKEN_CLAIM), "--format", "json"]);
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(Object.keys(report)).toEqual(["ok", "artifact", "diagnostics", "verification"]);
    expect(report.diagnostics.map((found: { code: string }) => found.code)).toContain("claim_violated");
    expect(Object.keys(report.verification[0])).toEqual(["pack", "bounds", "rules", "tools", "claims", "stuck"]);
  });

  it.each(["sarif", "github"])("names its findings in --format %s too", async (format) => {
    const { stdout } = await waitForCli(["verify", packOf(`formats-${format}`, DEAD_RULE), "--format", format]);
    expect(stdout).toContain("rule_cannot_fire");
  });

  it("refuses bounds that are no numbers", async () => {
    const { code, stderr } = await waitForCli(["verify", "contracts/minimal", "--states", "many"]);
    expect(code).toBe(2);
    expect(stderr).toContain("expected a whole number above 0");
  });
});

describe("contracts compile --verify", () => {
  it("writes no artifact where exploring finds an error, and one where it finds none", async () => {
    const dead = packOf("compile-dead", DEAD_RULE);
    expect((await waitForCli(["compile", dead, "--verify"])).code).toBe(1);
    expect(existsSync(join(dead, "artifact.json"))).toBe(false);
    const sound = packOf("compile-sound", STUCK);
    expect((await waitForCli(["compile", sound, "--verify"])).code).toBe(0);
    expect(existsSync(join(sound, "artifact.json"))).toBe(true);
  });
});

describe("the report", () => {
  it("is written by compile, with what exploring found", async () => {
    const out = join(folder, "report.html");
    const { code } = await waitForCli(["compile", packOf("report", STUCK), "--verify", "--report", out]);
    expect(code).toBe(0);
    const page = readFileSync(out, "utf8");
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain("stuck_session");
  });

  it("is what graph draws as html, from a pack and from its artifact", async () => {
    const pack = packOf("graph", STUCK);
    await waitForCli(["compile", pack]);
    for (const source of [pack, join(pack, "artifact.json")]) {
      const { code, stdout } = await waitForCli(["graph", source, "--format", "html"]);
      expect(code).toBe(0);
      expect(stdout).toContain("A session can get stuck");
    }
    const { stdout } = await waitForCli(["graph", pack, "--format", "html", "--no-verify"]);
    expect(stdout).not.toContain("A session can get stuck");
  });

  it("has no red banner where what was found is suppressed with a reason", async () => {
    const banner = /<p class="verdict (\w+)/;
    const dead = (await waitForCli(["graph", packOf("banner-dead", DEAD_RULE), "--format", "html"])).stdout;
    expect(banner.exec(dead)?.[1]).toBe("bad");
    const meant = (await waitForCli(["graph", packOf("banner-meant", SUPPRESSED), "--format", "html"])).stdout;
    expect(banner.exec(meant)?.[1]).toBe("good");
    expect(meant).toContain("proved never to fire, suppressed");
  });

  it("highlights what changed since an earlier pack", async () => {
    const before = packOf("report-before", STUCK);
    const after = packOf("report-after", STUCK.replace("forbids_after: [close]\n", ""));
    const out = join(folder, "changes.html");
    const { code } = await waitForCli(["compile", after, "--report", out, "--diff", before]);
    expect(code).toBe(0);
    expect(readFileSync(out, "utf8")).toContain('id="p0changes"');
    const { stdout } = await waitForCli(["graph", after, "--format", "html", "--diff", before]);
    expect(stdout).toContain('id="p0changes"');
    expect((await waitForCli(["graph", after, "--format", "html"])).stdout).not.toContain('id="p0changes"');
  });

  it("counts recorded events, and says where there are none to read", async () => {
    const pack = packOf("traces", STUCK);
    const traces = join(folder, "events.jsonl");
    writeFileSync(traces, '{"session":"s1","tool":"note","kind":"allow","callId":"call_1"}\n');
    const { code } = await waitForCli(["graph", pack, "--format", "html", "--traces", traces]);
    expect(code).toBe(0);
    const missing = await waitForCli(["graph", pack, "--format", "html", "--traces", join(folder, "nowhere")]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("cannot be read");
  });
});

describe("contracts diff", () => {
  it("says what a change allows, and fails on it when asked to", async () => {
    const before = packOf("before", STUCK);
    const after = packOf("after", STUCK.replace("forbids_after: [close]\n", ""));
    const { code, stdout } = await waitForCli(["diff", before, after]);
    expect(code).toBe(0);
    expect(stdout).toContain("close");
    expect((await waitForCli(["diff", before, after, "--fail-on", "loosened"])).code).toBe(1);
    expect((await waitForCli(["diff", after, before, "--fail-on", "loosened"])).code).toBe(0);
    expect((await waitForCli(["diff", before, before, "--fail-on", "loosened"])).code).toBe(0);
    const json = JSON.parse((await waitForCli(["diff", before, after, "--format", "json"])).stdout);
    expect(json[0]).toMatchObject({ isLoosened: true, isTightened: false });
  });
});
