import { describe, expect, it, onTestFinished } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { openStore } from "../../src/stores/open-store.js";
import { openWorkflow } from "../../src/workflow/public.js";
import { artifactOf } from "../support/guard-artifact.js";
import { propose } from "../workflow/team.js";

interface Form {
  /** Further keys of workflow.yaml. */
  readonly workflow?: string;
  /** The circuit breaker of the writer. */
  readonly breaker?: string;
  /** Further keys of the tool that the writer calls in vain. */
  readonly tool?: string;
}

const WRITES = "shared_resources: [{ alias: file, mode: single_writer }]";
const SERIAL = "shared_resources: [{ alias: file, mode: serial_only }]";

function formed({ workflow = WRITES, breaker, tool = "" }: Form): Artifact {
  return artifactOf(`
#== workflow.yaml (with the required fields)
roles: [{ name: writer, session_contract: packs/writer/session.yaml }]
${workflow}
#== packs/writer/session.yaml (with the required fields)
agent: writer
resources: { file: { type: file, extract_from: { path: $.file } } }
${breaker === undefined ? "" : `session_limits: { circuit_breaker: ${breaker} }`}
#== packs/writer/edit.yaml (with the required fields)
side_effect: write
#== packs/writer/look.yaml (with the required fields)
side_effect: read
${tool}
`);
}

const FAILED: Outcome = { kind: "error", code: "SLOW" };
const EMPTY: Outcome = { kind: "result", output: { found: false } };

/** After the same calls of one session: what a second one may do. */
async function left(artifact: Artifact, vain: Outcome | "refused", asked: "edit" | "start"): Promise<string> {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const workflow = await openWorkflow(artifact, { store, env: {} });
  const first = await workflow.start("writer");
  const edit = await first.guard.propose({ tool: "edit", args: { file: "a" } });
  if (edit.kind !== "allow") throw new Error(edit.kind);
  await first.guard.settle(edit.callId, { kind: "result", output: {} });
  for (let count = 0; count < 2; count++) {
    const look = await first.guard.propose({ tool: vain === "refused" ? "absent" : "look", args: {} });
    if (look.kind === "allow" && vain !== "refused") await first.guard.settle(look.callId, vain);
  }
  if (asked === "edit") return propose(await workflow.start("writer"), "edit", { file: "a" });
  return workflow.start("writer").then(
    () => "started",
    ({ verdict }) => verdict.reason,
  );
}

async function isLoosened(before: Artifact, after: Artifact): Promise<boolean> {
  const differences = await diffPacks(before, after, { bounds: null, wording: ({ body }) => body.kind });
  return differences.some((difference) => gateOf(difference).loosened);
}

const ERRORS = "{ consecutive_errors: 2 }";
const ALLOWED = "allowed_errors: [{ code: SLOW }]";
const INVARIANT = "assertions: { input_invariants: [], output_invariants: [{ path: $.found, equals: true }] }";

describe("a session that ends sooner", () => {
  it.each<[string, Form, Form, Outcome | "refused"]>([
    ["errors in a row", { breaker: "{ consecutive_errors: 3 }" }, { breaker: ERRORS }, FAILED],
    ["a first breaker", {}, { breaker: ERRORS }, FAILED],
    ["blocks in a row", { breaker: "{ consecutive_blocks: 3 }" }, { breaker: "{ consecutive_blocks: 2 }" }, "refused"],
    ["an expected error less", { breaker: ERRORS, tool: ALLOWED }, { breaker: ERRORS }, FAILED],
    ["rejected results", { breaker: ERRORS }, { breaker: ERRORS, tool: INVARIANT }, EMPTY],
  ])("gives up what it owns: %s", async (_, before, after, vain) => {
    expect(await left(formed(before), vain, "edit")).toBe("resource_conflict");
    expect(await left(formed(after), vain, "edit")).toBe("allow");
    expect(await isLoosened(formed(before), formed(after))).toBe(true);
    const unowned = (form: Form) => formed({ ...form, workflow: SERIAL });
    expect(await isLoosened(unowned(before), unowned(after))).toBe(false);
  });

  it("gives up its place", async () => {
    const workflow = "workflow_limits: { max_active_sessions: 1 }";
    const [before, after] = [formed({ workflow }), formed({ workflow, breaker: ERRORS })];
    expect(await left(before, FAILED, "start")).toBe("workflow_limit_exceeded");
    expect(await left(after, FAILED, "start")).toBe("started");
    expect(await isLoosened(before, after)).toBe(true);
  });
});

/** Three roles in a row; the last one changes files, and so does the first. */
function inRow(policy: string): Artifact {
  const pack = (role: string) => `#== packs/${role}/session.yaml (with the required fields)
agent: ${role}
resources: { file: { type: file, extract_from: { path: $.file } } }
#== packs/${role}/edit.yaml (with the required fields)
side_effect: write
`;
  return artifactOf(`
#== workflow.yaml (with the required fields)
roles: [${["lead", "planner", "writer"].map((role) => `{ name: ${role}, session_contract: packs/${role}/session.yaml }`).join()}]
handoffs:
  - { from: lead, to: planner, parent_close_policy: terminate }
  - { from: planner, to: writer, parent_close_policy: ${policy} }
${WRITES}
${["lead", "planner", "writer"].map(pack).join("")}`);
}

describe("a child that is no longer abandoned", () => {
  /** After all above the writer have ended: what somebody else may do. */
  async function left(artifact: Artifact): Promise<string> {
    const store = await openStore("memory:");
    onTestFinished(() => store.close());
    const workflow = await openWorkflow(artifact, { store, env: {} });
    const lead = await workflow.start("lead");
    const planner = await lead.handoff("planner");
    const writer = await planner.handoff("writer");
    const edit = await writer.guard.propose({ tool: "edit", args: { file: "a" } });
    if (edit.kind !== "allow") throw new Error(edit.kind);
    await writer.guard.settle(edit.callId, { kind: "result", output: {} });
    await planner.close();
    await lead.close();
    return propose(await workflow.start("lead"), "edit", { file: "a" });
  }

  it("is killed with those above it, and gives up what it owns", async () => {
    const [before, after] = [inRow("abandon"), inRow("request_cancel")];
    expect(await left(before)).toBe("resource_conflict");
    expect(await left(after)).toBe("allow");
    expect(await isLoosened(before, after)).toBe(true);
  });
});
