import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { WORKFLOW_REASONS } from "../support/workflow-reasons.js";
import { tryCompileWorkflow } from "../workflow-reference/compile-workflow.js";
import type { Side } from "../workflow-reference/operation.js";
import { plainState } from "../workflow-reference/plain-state.js";
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

describe.each(TABLES)("%s", (_name, cases) => {
  it.each(cases.map((example) => [example.sentence, example] as const))("reference: %s", async (_, example) => {
    await play(example, new ReferenceSide(example.pack));
  });

  it("are written on workflows that compile", () => {
    const broken = [...new Set(cases.map(({ pack }) => pack))].map(tryCompileWorkflow);
    expect(broken.filter((artifact) => typeof artifact === "string")).toEqual([]);
  });
});

it("has a case for every reason of workflows", () => {
  const words = TABLES.flatMap(([, cases]) =>
    cases.flatMap(({ rows }) => rows.map((row) => ("state" in row ? "" : row[1]))),
  );
  expect(Object.keys(WORKFLOW_REASONS).filter((reason) => !words.includes(reason))).toEqual([]);
});
