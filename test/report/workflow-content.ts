import { verify } from "../../src/analysis/verify.js";
import { verifyWorkflow } from "../../src/analysis/workflow/verify-workflow.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { MemoryStore } from "../../src/stores/memory-store.js";
import { inPack } from "../support/pack-text.js";
import { bareContent } from "./content.js";

const BOUNDS = { depth: 50, states: 1000, sessions: 2 };

/** A role whose sessions change two repositories, one after the other. */
function role(name: string, tools: readonly (readonly [tool: string, key: string, more: string])[]): string {
  const phases = ["open", "half", "done"];
  const texts = tools.map(
    ([tool, key, more], at) => `#== packs/${name}/${tool}.yaml (with the required fields)
side_effect: write
assertions: { input_invariants: [{ path: $.repository, one_of: [${key}] }], output_invariants: [] }
transitions: { valid_in_phases: [${phases[at]}], advances_to: ${phases[at + 1]} }
${more}
`,
  );
  return `#== packs/${name}/session.yaml (with the required fields)
agent: ${name}-agent
phases: [{ name: open, initial: true }, { name: half }, { name: done, terminal: true }]
transitions: { open: [half], half: [done] }
resources: { repository: { type: repository, extract_from: { path: $.repository } } }
${texts.join("")}`;
}

/** A workflow with claims of every status, and sessions that can wait for each other and for an approval. */
export const CROSSED = `#== claims.yaml (with the required fields)
claims:
  - never: { role: worker, tool: push_branch }
  - never: { role: worker, tool: merge_branch }
  - at_most: { role: worker, sessions: 5000 }
#== workflow.yaml (with the required fields)
workflow: releases
roles:
  - { name: reviewer, session_contract: packs/reviewer/session.yaml }
  - { name: worker, session_contract: packs/worker/session.yaml }
handoffs: [{ from: reviewer, to: worker, requires_artifacts: [task] }]
shared_resources: [{ alias: repository, mode: single_writer }]
${role("reviewer", [
  ["merge_branch", "docs", ""],
  ["tag_release", "code", "checkpoint: { when: always, timeout_seconds: 60 }"],
])}
${role("worker", [
  ["write_file", "code", "policy: { allow: [{ principal: { path: $.team, equals: core } }] }"],
  ["push_branch", "docs", ""],
])}`;

/** The report on a workflow, with what exploring it and its packs shows. */
export function verifiedContent(text: string): Promise<ReportContent> {
  return inPack(text, verifiedFolder);
}

/** The same of a folder. */
export async function verifiedFolder(folder: string): Promise<ReportContent> {
  const { artifact, claims, roleClaims, diagnostics } = compileFolder(folder);
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const explored = (await verify(artifact, claims, BOUNDS)).values();
  const verifications = artifact.packs.map(({ tools }) =>
    tools.length === 0 ? null : (explored.next().value ?? null),
  );
  const given = { claims: roleClaims, packs: verifications, openStore: () => new MemoryStore(() => 0) };
  const workflow = await verifyWorkflow(artifact, given, BOUNDS);
  return { ...bareContent(artifact), verifications, workflow };
}
