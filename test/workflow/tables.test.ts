import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { WORKFLOW_REASONS } from "../support/workflow-reasons.js";
import { tryCompileWorkflow } from "../workflow-reference/compile-workflow.js";
import type { Side } from "../workflow-reference/operation.js";
import { plainState } from "../workflow-reference/plain-state.js";
import { RealSide } from "../workflow-reference/real-side.js";
import type { WorkflowPack } from "../workflow-reference/reference/model.js";
import { ReferenceSide } from "../workflow-reference/reference-side.js";
import { TABLES } from "./tables/index.js";
import type { Case } from "./tables/parts.js";

/** Plays the rows of a case; every answer and every state must be the one of its row. */
async function play({ rows }: Case, side: Side): Promise<void> {
  for (const [at, row] of rows.entries()) {
    if ("state" in row) {
      expect(plainState(await side.state(0)), `row ${at}`).toMatchObject(row.state);
      continue;
    }
    const [operation, word] = row;
    expect(await side.perform(operation), `row ${at}: ${inspect(operation).slice(0, 200)}`).toBe(word);
  }
}

const artifacts = new Map<WorkflowPack, Artifact>();

function artifactOf({ pack }: Case): Artifact {
  const artifact = artifacts.get(pack) ?? tryCompileWorkflow(pack);
  if (typeof artifact === "string") throw new Error(artifact);
  artifacts.set(pack, artifact);
  return artifact;
}

describe.each(TABLES)("%s", (_name, cases) => {
  it.each(cases.map((example) => [example.sentence, example] as const))("reference: %s", async (_, example) => {
    await play(example, new ReferenceSide(example.pack));
  });

  it.each(cases.map((example) => [example.sentence, example] as const))("real: %s", async (_, example) => {
    await play(example, await RealSide.open(artifactOf(example)));
  });
});

it("has a case for every reason of workflows", () => {
  const words = TABLES.flatMap(([, cases]) =>
    cases.flatMap(({ rows }) => rows.map((row) => ("state" in row ? "" : row[1]))),
  );
  expect(Object.keys(WORKFLOW_REASONS).filter((reason) => !words.includes(reason))).toEqual([]);
});
