import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sectionOf, textOf } from "../support/documents.js";
import { REPOSITORY } from "../support/run-cli.js";
import { DRIVERS } from "./conformance/drivers.js";
import { cellOf, SITUATIONS, staged } from "./conformance/situations.js";

const FILE = "docs/adapters.md";
const HEADING = "## What each framework does";
const update = process.env.UPDATE === "1" && process.env.CI === undefined;

/** The rows of a table as the document has them. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.join(" | ")} |`);
  return [lines[0], `|${(rows[0] ?? []).map(() => "---").join("|")}|`, ...lines.slice(1)].join("\n");
}

function written(table: string): void {
  const path = join(REPOSITORY, FILE);
  const text = readFileSync(path, "utf8");
  const [before = "", rest = ""] = text.split(`\n${HEADING}\n`);
  const intro = rest.slice(0, rest.indexOf("\n|"));
  const after = /\n## [\s\S]*$/.exec(rest)?.[0] ?? "";
  writeFileSync(path, `${before}\n${HEADING}\n${intro}\n${table}\n${after}`);
}

describe("a call under each framework", () => {
  it("is settled, and seen by the model, as docs/adapters.md says", async () => {
    const columns = await Promise.all(
      DRIVERS.map(async (driver) => {
        const cells: string[] = [];
        for (const situation of SITUATIONS) {
          const { scene, summary } = await staged(situation, driver);
          const played = await driver.play(scene, situation);
          cells.push(cellOf(played, await summary()));
        }
        return cells;
      }),
    );
    const head = ["situation", ...DRIVERS.map(({ framework }) => framework)];
    const rows = SITUATIONS.map((situation, at) => [situation, ...columns.map((cells) => cells[at] ?? "")]);
    const table = tableOf([head, ...rows]);
    if (update) written(table);
    expect(sectionOf(textOf(FILE), HEADING)).toContain(table);
  });
});
