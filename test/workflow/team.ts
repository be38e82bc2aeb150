import { onTestFinished } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { BlockVerdict, Verdict } from "../../src/guard/public.js";
import { openStore } from "../../src/stores/open-store.js";
import {
  openWorkflow,
  type Workflow,
  type WorkflowOptions,
  WorkflowRefused,
  type WorkflowSession,
} from "../../src/workflow/public.js";
import { artifactOf } from "../support/guard-artifact.js";

/** Parts of the workflow of a team, as YAML; each has a default. */
export interface Team {
  readonly handoffs?: string;
  readonly limits?: string;
  readonly shared?: string;
  /** Further keys of workflow.yaml. */
  readonly rest?: string;
  /** Further keys of every session.yaml. */
  readonly session?: string;
}

const HANDOFFS = "[{ from: lead, to: worker }, { from: worker, to: helper }]";

function packOf(role: string, session: string): string {
  return `
#== packs/${role}/session.yaml (with the required fields)
resources: { file: { type: file, extract_from: { path: $.file } } }
${session}
#== packs/${role}/look.yaml (with the required fields)
side_effect: read
#== packs/${role}/edit.yaml (with the required fields)
side_effect: write
#== packs/${role}/tell.yaml (with the required fields)
side_effect: write
commit_requirement: none
#== packs/${role}/ask.yaml (with the required fields)
side_effect: write
checkpoint: { when: always, timeout_seconds: 600 }
`;
}

/** A lead that hands off to workers, which hand off to helpers. All of them may look at files, edit them and ask. */
export function teamArtifact({ handoffs = HANDOFFS, limits, shared, rest = "", session = "" }: Team = {}): Artifact {
  const roles = ["lead", "worker", "helper"];
  return artifactOf(`
#== workflow.yaml (with the required fields)
roles: [${roles.map((role) => `{ name: ${role}, session_contract: packs/${role}/session.yaml }`).join(", ")}]
handoffs: ${handoffs}
${limits === undefined ? "" : `workflow_limits: ${limits}`}
${shared === undefined ? "" : `shared_resources: [{ alias: file, mode: ${shared} }]`}
${rest}
${roles.map((role) => packOf(role, session)).join("")}`);
}

export const WORKFLOW = "review-17";

/** A store in memory that closes with the test. */
export async function memory(): Promise<DurableStore> {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  return store;
}

/** A workflow of the team, on a store of its own unless one is given. */
export async function team(setting: Team = {}, options: Partial<WorkflowOptions> = {}): Promise<Workflow> {
  const store = options.store ?? (await memory());
  return openWorkflow(teamArtifact(setting), { env: {}, workflowId: WORKFLOW, ...options, store });
}

/** The verdict of something that the workflow refuses. */
export async function refusalOf(work: Promise<unknown>): Promise<BlockVerdict> {
  const refused = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (refused instanceof WorkflowRefused) return refused.verdict;
  throw new Error(`not refused, but ${String(refused)}`);
}

/** `allow`, `approval_required`, or why not. */
export function told(verdict: Verdict | { readonly kind: "allow" }): string {
  return verdict.kind === "block" ? verdict.reason : verdict.kind;
}

/** Proposes a call and leaves it running. */
export async function propose({ guard }: WorkflowSession, tool: string, args: object = {}): Promise<string> {
  return told(await guard.propose({ tool, args }));
}

/** Proposes a call and reports its result. */
export async function run({ guard }: WorkflowSession, tool: string, args: object = {}): Promise<string> {
  const verdict = await guard.propose({ tool, args });
  if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output: {} });
  return told(verdict);
}
