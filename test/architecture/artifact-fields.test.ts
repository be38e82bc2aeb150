import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { createGuard } from "../../src/guard/guard.js";
import { createRoleGuard } from "../../src/guard/role-guard.js";
import { EVERY_KEYWORD_ARGS, EVERY_KEYWORD_PACK } from "../support/every-keyword-pack.js";
import { artifactOf } from "../support/guard-artifact.js";
import { runCase, type Table } from "../support/guard-steps.js";
import { ALL_FIELDS, fieldsRead, watchedArtifact } from "../support/watched-artifact.js";

// Guards run as they always do, on artifacts that note what is read of them.
vi.mock("../../src/guard/resolved-options.js", async (original) => {
  const real = await original<typeof import("../../src/guard/resolved-options.js")>();
  type Given = Parameters<typeof real.trustedArtifact>[0];
  return { ...real, trustedArtifact: (given: Given) => watchedArtifact(real.trustedArtifact(given)) };
});

const LOADED = "read when an artifact is loaded, before a guard is made of it";
const NAMES = "names what a report or the analysis shows";
const COMPILED = "compiled into another field, which is read";
const OF_MCP = "compared by contract-guard/mcp, which sees the definitions that a server offers";
const LATER = "what workflows lay down is enforced by a later release";

/** Fields that nothing reads by name while calls are judged; an entry that ends in a dot is for all below it. */
const UNREAD: readonly (readonly [field: string, why: string])[] = [
  ["artifact.format", LOADED],
  ["artifact.language", LOADED],
  ["artifact.packs[].folder", NAMES],
  ["artifact.packs[].agent", NAMES],
  ["artifact.packs[].phases.names", NAMES],
  ["artifact.packs[].phases.terminal", "terminal phases refuse nothing; the analysis asks whether sessions can end"],
  ["artifact.packs[].resources", LATER],
  ["artifact.packs[].resources[].", LATER],
  ["artifact.packs[].tools[].at", NAMES],
  ["artifact.packs[].tools[].evidence_class", `${COMPILED}: \`commits\``],
  ["artifact.packs[].tools[].forbids_after", `${COMPILED}: \`forbidden_by\` of the tools it forbids`],
  ["artifact.packs[].tools[].allowed_errors[].at", NAMES],
  ["artifact.packs[].tools[].binds[].at", NAMES],
  // Of every condition; the rule that it belongs to has a place of its own.
  ["artifact.packs[].tools[].checks[](policy).denies[].principal[].at", NAMES],
  ["artifact.packs[].tools[].unbinds[].at", NAMES],
  ["artifact.packs[].tools[].checks[](checkpoint).name", NAMES],
  ["artifact.packs[].tools[].checks[](checkpoint).when[].at", NAMES],
  ["artifact.packs[].tools[].checks[](schema).schema.root[](all_of).", "the compiler writes none: it merges `allOf`"],
  ["artifact.packs[].tools[].definition", OF_MCP],
  ["artifact.packs[].tools[].definition.", OF_MCP],
  ["artifact.packs[].aggregates[].when[].at", NAMES],
  ["artifact.packs[].envelopes[].name", NAMES],
  ["artifact.workflow.at", NAMES],
  ["artifact.workflow.name", LATER],
  ["artifact.workflow.roles[].at", NAMES],
  ["artifact.workflow.handoffs", LATER],
  ["artifact.workflow.handoffs[].", LATER],
  ["artifact.workflow.limits", LATER],
  ["artifact.workflow.limits.", LATER],
  ["artifact.workflow.shared_resources", LATER],
  ["artifact.workflow.shared_resources[].", LATER],
  ["artifact.workflow.subtree_kill", LATER],
  ["artifact.workflow.workflow_kill", LATER],
  ["artifact.workflow.parent_close_policy", LATER],
];

function covers(entry: string, field: string): boolean {
  return entry === field || (entry.endsWith(".") && field.startsWith(entry));
}

const TABLES = new URL("../checks/", import.meta.url);

async function playTables(): Promise<void> {
  for (const name of readdirSync(TABLES).filter((file) => file.endsWith(".yaml"))) {
    const { given = {}, cases }: Table = parse(readFileSync(new URL(name, TABLES), "utf8"));
    for (const example of cases) await runCase({ ...example, pack: given[example.pack] ?? example.pack });
  }
}

async function judgeEveryKeyword(): Promise<void> {
  const guard = await createGuard(artifactOf(EVERY_KEYWORD_PACK), { env: {} });
  expect(await guard.propose({ tool: "everything", args: EVERY_KEYWORD_ARGS })).toMatchObject({ kind: "allow" });
}

/** A call that is tried again after a 429, so that everything that governs attempts is asked for. */
async function carryCalls(): Promise<void> {
  const pack = `
#== look.yaml (with the required fields)
retries: { max_attempts: 2, retry_on: ["429"] }
rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } }
`;
  const guard = await createGuard(artifactOf(pack), { env: {} });
  let attempts = 0;
  const call = guard.wrap(async () => {
    attempts += 1;
    if (attempts > 1) return { done: true };
    throw Object.assign(new Error("busy"), { status: 429, retryAfterMs: 0 });
  });
  expect(await call("look", {})).toEqual({ done: true });
}

async function judgeBodies(): Promise<void> {
  const pack = `
#== session.yaml (with the required fields)
provider_constraints:
  openai: { block_incompatible: ["n=2"], warn_incompatible: ["n=3"], warn_floating_alias: true }
#== look.yaml (with the required fields)
response_format_invariants: { finish_reason: tool_calls, content_when_tool_calls: empty, tool_calls_present: true }
`;
  const guard = await createGuard(artifactOf(pack), { env: {} });
  for (const n of [2, 3]) guard.checkRequest({ provider: "openai", request: { model: "gpt-4o", n } });
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  for (const finish of ["stop", "tool_calls"]) {
    const choice = { message: { content: null, tool_calls: [call] }, finish_reason: finish };
    guard.checkResponse({ provider: "openai", response: { choices: [choice] } });
  }
}

async function playRole(): Promise<void> {
  const pack = `
#== workflow.yaml (with the required fields)
roles: [{ name: worker, session_contract: packs/worker/session.yaml }]
#== packs/worker/session.yaml (with the required fields)
#== packs/worker/look.yaml (with the required fields)
`;
  await createRoleGuard(artifactOf(pack), { env: {}, role: "worker" });
}

beforeAll(async () => {
  await playTables();
  await judgeEveryKeyword();
  await carryCalls();
  await judgeBodies();
  await playRole();
}, 120_000);

describe("the fields of a compiled artifact", () => {
  it("are known", () => {
    expect(ALL_FIELDS.length).toBeGreaterThan(150);
    expect(ALL_FIELDS).toContain("artifact.packs[].tools[].response_format.finish_reason");
  });

  it("are all read by the guard, or are on the list with a reason", () => {
    const listed = (field: string) => UNREAD.some(([entry]) => covers(entry, field));
    expect(ALL_FIELDS.filter((field) => !fieldsRead.has(field) && !listed(field))).toEqual([]);
  });

  it("are on the list only while nothing reads them", () => {
    const isIdle = (entry: string) => {
      const fields = ALL_FIELDS.filter((field) => covers(entry, field));
      return fields.length > 0 && !fields.some((field) => fieldsRead.has(field));
    };
    expect(UNREAD.filter(([entry]) => !isIdle(entry))).toEqual([]);
  });
});
