import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { type Random, randomFrom } from "../support/random.js";
import { waitForCli } from "../support/run-cli.js";
import { sizeOf } from "../support/size.js";
import { compiled, edited, filesOf, mutantsOf, type PackFiles } from "./diff-mutants.js";

const SEED = 4711;
const PACKS = ["minimal", "refunds", "trading", "code-review/packs/orchestrator", "code-review/packs/worker"] as const;
const TRIED = sizeOf("GATE_EDITS", { share: 3, full: 40 });

/** Weakenings of the examples that are none: another rule of the same entry asks for it, or it asks for more. */
const NONE = [
  "check_eligibility.yaml assertions.output_invariants.1: without type",
  "compute_var.yaml assertions.output_invariants.0: without type",
  "get_quote.yaml assertions.output_invariants.0: without type",
  "assign_review.yaml assertions.input_invariants.1: without type",
  "issue_refund.yaml checkpoint: match all",
  "issue_refund.yaml checkpoint.when.0: gte lowered",
  "hedge_position.yaml checkpoint.when.0: gte lowered",
  "session.yaml checkpoints.0.when.0: gte lowered",
];

function artifactOf(files: PackFiles): Artifact {
  const artifact = compiled(files);
  if (artifact === null) throw new Error("the example does not compile");
  return artifact;
}

/** Without cases to test with, which a weakening may rightly fail. */
function untested(files: PackFiles): PackFiles {
  return [...files.keys()].reduce<PackFiles>(
    (all, file) =>
      edited(all, file, [], (root) => {
        if ("golden_cases" in root) Reflect.set(root, "golden_cases", []);
      }),
    files,
  );
}

async function isLoosened(before: Artifact, after: Artifact): Promise<boolean> {
  const differences = await diffPacks(before, after, { bounds: null, wording: sentenceOf });
  return differences.some((difference) => gateOf(difference).loosened);
}

/** Everything that means the same in any order. */
function shuffled(random: Random, value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffled(random, item));
    const isFree =
      /^(?:input_invariants|output_invariants|arguments|argument_value_invariants|preconditions|one_of|valid_in_phases|rules|allow|deny|deny_tools|forbids_after|aggregates|envelopes|checkpoints|label_gates|context|binds|retry_on|required|enum)$/.test(
        key,
      );
    return isFree ? random.shuffled(items) : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => [name, shuffled(random, item, name)]);
  return Object.fromEntries(random.shuffled(entries).map(([name, item]) => [name, reworded(name, item)]));
}

function reworded(name: string, value: unknown): unknown {
  const isWord = name === "reason" || name === "label" || name === "description";
  return isWord && typeof value === "string" ? `${value}, in other words` : value;
}

describe.each(PACKS)("the gate on edits of %s", (pack) => {
  const files = untested(filesOf(pack));
  const old = artifactOf(files);

  it("fails on every weakening", async () => {
    const random = randomFrom(SEED, PACKS.indexOf(pack));
    const mutants = random.shuffled([...mutantsOf(files)]).slice(0, TRIED);
    const passed: string[] = [];
    for (const { name, files: weakened } of mutants) {
      const artifact = compiled(weakened);
      if (artifact === null || canonicalJson(artifact.packs) === canonicalJson(old.packs)) continue;
      if (!(await isLoosened(old, artifact))) passed.push(name);
    }
    expect(passed.filter((name) => !NONE.includes(name))).toEqual([]);
  });

  it("passes the same rules in another order and in other words", async () => {
    const random = randomFrom(SEED + 1, PACKS.indexOf(pack));
    for (let run = 0; run < 8; run++) {
      // The definitions of a pack of 1.1 are pinned, with their words.
      const isPinned = (file: string) => file === "tools.json" && old.packs[0]?.tools[0]?.definition !== undefined;
      // A reason in a scenario is a code that is expected, not the words of a rule.
      const isKept = (file: string) => isPinned(file) || file.startsWith("tests/");
      const moved = new Map([...files].map(([file, root]) => [file, isKept(file) ? root : shuffled(random, root)]));
      const artifact = artifactOf(moved);
      expect(await isLoosened(old, artifact)).toBe(false);
      expect(await isLoosened(artifact, old)).toBe(false);
    }
  });
});

describe("what the gate lets pass by reading", () => {
  const SMALL = ["minimal", "code-review/packs/worker"] as const;

  it.each(SMALL)("allows nothing new in %s, as far as a search can tell", async (pack) => {
    const files = untested(filesOf(pack));
    const old = artifactOf(files);
    const random = randomFrom(SEED + 2, SMALL.indexOf(pack));
    for (const { name, files: weakened } of random.shuffled([...mutantsOf(files)]).slice(0, 12)) {
      const artifact = compiled(weakened);
      if (artifact === null || (await isLoosened(artifact, old))) continue;
      const found = await diffPacks(artifact, old, { bounds: { depth: 20, states: 60 }, wording: sentenceOf });
      expect([name, found.filter((difference) => difference.isLoosened)]).toEqual([name, []]);
    }
  });
});

describe("the gate on edits of a workflow", () => {
  const files = untested(filesOf("code-review"));
  const old = artifactOf(files);
  const put = (trail: readonly (string | number)[], key: string | number, value: unknown): Artifact =>
    artifactOf(edited(files, "workflow.yaml", trail, (container) => Reflect.set(container, key, value)));

  const WEAKER: readonly (readonly [string, readonly (string | number)[], string | number, unknown])[] = [
    ["more sessions", ["workflow_limits"], "max_sessions", 9],
    ["more active sessions", ["workflow_limits"], "max_active_sessions", 5],
    ["more steps", ["workflow_limits"], "max_total_steps", 201],
    ["more cost", ["workflow_limits"], "max_total_cost", 25.5],
    ["more handoffs", ["workflow_limits"], "max_open_handoffs", 7],
    ["an artifact less", ["handoffs", 0], "requires_artifacts", ["task_summary"]],
    ["a resource that is shared more freely", ["shared_resources", 0], "mode", "serial_only"],
    ["a kill by anybody", ["cancellation"], "workflow_kill", undefined],
  ];

  it.each(WEAKER)("fails on %s, and passes the opposite", async (_name, trail, key, value) => {
    const after = put(trail, key, value);
    expect(await isLoosened(old, after)).toBe(true);
    expect(await isLoosened(after, old)).toBe(false);
  });

  it("fails on children that may finish, and on children that give up at once what others wait for", async () => {
    const after = put(["handoffs", 0], "parent_close_policy", "terminate");
    expect(await isLoosened(old, after)).toBe(true);
    expect(await isLoosened(after, old)).toBe(true);
  });

  it("fails on a child that goes on, and on one that a kill of its subtree reaches again", async () => {
    const after = put(["handoffs", 0], "parent_close_policy", "abandon");
    expect(await isLoosened(old, after)).toBe(true);
    expect(await isLoosened(after, old)).toBe(true);
  });

  it("passes another default policy that no handoff takes", async () => {
    const after = put(["parent_close_policy"], "default", "request_cancel");
    expect(await isLoosened(old, after)).toBe(false);
    expect(await isLoosened(after, old)).toBe(false);
  });

  it("fails on a handoff less, for what it led to can be started by anybody then", async () => {
    expect(await isLoosened(old, put([], "handoffs", []))).toBe(true);
  });

  it("fails on a handoff more, and on no workflow at all", async () => {
    const [handoff] = (files.get("workflow.yaml") as { readonly handoffs: readonly unknown[] }).handoffs;
    const back = { from: "worker", to: "worker" };
    expect(await isLoosened(old, put([], "handoffs", [handoff, back]))).toBe(true);
    expect(await isLoosened(old, { ...old, workflow: null })).toBe(true);
  });

  it("fails on a right to kill that came or went", async () => {
    const after = put(["cancellation"], "subtree_kill", false);
    expect(await isLoosened(old, after)).toBe(true);
    expect(await isLoosened(after, old)).toBe(true);
  });

  it("fails on roles that change their packs", async () => {
    const { workflow } = old;
    if (workflow === null) throw new Error("no workflow");
    const packs = workflow.roles.map(({ pack }) => pack).reverse();
    const roles = workflow.roles.map((role, at) => ({ ...role, pack: packs[at] ?? 0 }));
    expect(await isLoosened(old, { ...old, workflow: { ...workflow, roles } })).toBe(true);
  });

  it("fails on another version of the language", async () => {
    expect(await isLoosened(old, { ...old, language: "9.9" })).toBe(true);
  });
});

describe("the gate on the command line", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gate-packs-"));
    cpSync(join(dirname(new URL(import.meta.url).pathname), "../../contracts/refunds"), join(folder, "old"), {
      recursive: true,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("reads packs and artifacts alike", async () => {
    const files = untested(filesOf("refunds"));
    writeFileSync(join(folder, "old.json"), encodeArtifact(artifactOf(files)));
    cpSync(join(folder, "old"), join(folder, "new"), { recursive: true });
    for (const [file, root] of files) {
      writeFileSync(join(folder, "new", file), file.endsWith(".json") ? JSON.stringify(root) : stringify(root));
    }
    const run = (...args: readonly string[]) => waitForCli(["diff", ...args, "--fail-on", "loosened"], { cwd: folder });
    expect(await run("old.json", "new")).toMatchObject({ code: 0, stdout: "No difference\n" });
    const session = edited(files, "session.yaml", ["session_limits"], (limits) => Reflect.set(limits, "max_steps", 31));
    writeFileSync(join(folder, "new", "session.yaml"), stringify(session.get("session.yaml")));
    expect((await run("old.json", "new", "--no-search")).code).toBe(1);
    expect((await run("new", "old.json", "--no-search")).code).toBe(0);
  });
});
