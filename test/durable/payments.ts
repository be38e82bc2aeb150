import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { artifactOf } from "../support/guard-artifact.js";

/** The bounds of a session that pays. */
export interface Bounds {
  /** The most payments. */
  readonly calls: number;
  /** The most money. */
  readonly sum: number;
  /** How long one payment may take, in milliseconds. */
  readonly totalMs?: number;
}

/** A pack with one tool, which pays. From 500 on somebody has to approve; nothing is paid in a session labelled `frozen`. */
export function paymentsArtifact({ calls, sum, totalMs = 20_000 }: Bounds): Artifact {
  return artifactOf(`
#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: ${calls} }, max_steps: 1000000, max_cost_per_session: 1000 }
policy: { label_gates: [{ when_label: frozen, deny_tools: [pay], reason: Frozen }] }
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.amount, lte: ${sum}, reason: Budget }]
#== pay.yaml (with the required fields)
side_effect: financial
timeouts: { total_ms: ${totalMs} }
argument_value_invariants: [{ path: $.reference, regex: "." }]
checkpoint:
  { when: [{ path: $.amount, gte: 500 }], timeout_seconds: 600, context: [{ path: $.reference, label: Reference }] }
`);
}

/** The artifact in a file, for other processes; it is removed when the test is over. */
export function artifactFile(artifact: Artifact): string {
  const folder = mkdtempSync(join(tmpdir(), "artifact-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "artifact.json");
  writeFileSync(path, encodeArtifact(artifact));
  return path;
}
