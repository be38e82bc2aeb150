import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/run-cli.js";

const document = readFileSync(join(REPOSITORY, "docs/guard.md"), "utf8");
const [, section = ""] = /\n## What is guaranteed\n([\s\S]*?)\n## /.exec(document) ?? [];
const lines = section.split(/^- /m).slice(1);

function testsOf(line: string): readonly string[] {
  return [...line.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file);
}

describe("what docs/guard.md guarantees", () => {
  it("is a list", () => {
    expect(lines.length).toBeGreaterThan(10);
  });

  it.each(lines.map((line) => [line.slice(0, 60), line]))("is shown by tests: %s", (_, line) => {
    expect(testsOf(line)).not.toEqual([]);
    expect(testsOf(line).filter((file) => !existsSync(join(REPOSITORY, file)))).toEqual([]);
  });
});
