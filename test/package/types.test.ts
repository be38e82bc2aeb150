import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { REPOSITORY } from "../support/run-cli.js";

/** What a project with ordinary settings writes against the entry points. */
const CONSUMER = `
import { createServer } from "node:http";
import { compilePack, ContractViolation, createGuard } from "contract-guard";
import { createGuard as createGuardAlone, decodeArtifact } from "contract-guard/guard";
import { checkAgentResponse, createDispatchHandler, createProxyCall, toNodeListener } from "contract-guard/pipelines";
import { type DurableStore, migrateStore, openStore, StoreError, type StreamWrite } from "contract-guard/stores";
import { type ConformanceCase, storeConformance } from "contract-guard/stores/conformance";

const store: DurableStore = await openStore("sqlite:./guard.db", { timeoutMs: 1000, synchronous: "normal" });
const write: StreamWrite = { stream: "s", expectedRevision: 0, records: ["{}"], head: "{}" };
const { kind, now } = await store.append("id", [write]).catch((error: unknown) => {
  throw error instanceof StoreError ? error.code : error;
});
const stop: () => void = await store.watch("s", ({ revision }) => revision.toFixed());
export const stored = [kind === "appended", now ?? 0, (await store.load("s", { after: 3 })).snapshot?.data, stop];
export const migrated: number = (await migrateStore("postgres://h/d")).to;
export const cases: readonly ConformanceCase[] = storeConformance({ open: () => openStore("memory:") });

const { artifact } = await compilePack("./contracts/refunds");
const guard = await createGuard(artifact, { principal: { department: "support" }, sessionId: "1" });
const call = guard.wrap(createProxyCall({ proxyUrl: "http://127.0.0.1:1", runToken: "t" }));
export const output: unknown = await call("get_order", { order_id: "1" }).catch((error: unknown) =>
  error instanceof ContractViolation ? error.verdict.reason : null,
);

export const handler = createDispatchHandler({
  auth: { token: process.env.AGENT_TOKEN },
  artifact,
  principal: ({ runId }) => ({ runId }),
  approver: async ({ tool }) => ({ decision: tool === "a" ? "approve" : "deny", by: "me" }),
  responseContract: { response_mode: "rich", strictness: "strict" },
  agent: async ({ userInstruction, taskInput, history, callTool, trace, handoff, signal, run }) => {
    trace("thinking", { text: userInstruction, taskInput, length: history.length });
    handoff({ to: String(run.runId) });
    await callTool("look", {}, { actorId: "a", signal });
    return { finalResponse: "x", messages: [{ role: "user", content: "x" }], metadata: { model: "m" } };
  },
});
createServer(toNodeListener(handler));

const decoded = decodeArtifact("{}");
if (decoded.ok) await createGuardAlone(decoded.artifact);
export const codes: string[] = checkAgentResponse({}).softWarnings.map(({ code }) => code);
`;

/** The same without the types of Node: what the package's own types mention must come with it, or with every browser. */
const NODELESS = `
import * as all from "contract-guard";
import * as guard from "contract-guard/guard";
import * as kit from "contract-guard/pipelines";
import * as stores from "contract-guard/stores";
import * as conformance from "contract-guard/stores/conformance";
export const entries = [all, guard, kit, stores, conformance];
`;

interface Consumer {
  readonly hasNode?: boolean;
}

function typeCheck(text: string, { hasNode = true }: Consumer = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "consumer-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(REPOSITORY, join(folder, "node_modules/contract-guard"));
  if (hasNode) symlinkSync(join(REPOSITORY, "node_modules/@types"), join(folder, "node_modules/@types"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "consumer.ts"), text);
  const flags = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    hasNode ? "node" : "",
  ];
  const tsc = join(REPOSITORY, "node_modules/.bin/tsc");
  return spawnSync(tsc, [...flags, "consumer.ts"], { cwd: folder, encoding: "utf8" }).stdout;
}

describe("the types of the package", () => {
  it("fit what users write, also where their settings are less strict than ours", () => {
    expect(typeCheck(CONSUMER)).toBe("");
  });

  it("need no package that this one does not bring", () => {
    expect(typeCheck(NODELESS, { hasNode: false })).toBe("");
  });

  it("are really checked", () => {
    expect(typeCheck(CONSUMER.replace('mode: "rich"', 'mode: "poor"'))).toContain("error TS");
  });
});
