import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Artifact, CompiledCheck } from "../../src/artifact/compiled.js";
import { decodeArtifact } from "../../src/artifact/decode.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { compilePack } from "../../src/compiler/compile-pack.js";
import { expectGolden } from "../support/golden.js";
import { REPOSITORY } from "../support/run-cli.js";

const FOLDER = join(REPOSITORY, "contracts");
const packs = readdirSync(FOLDER).filter((name) => name !== "broken");

function placeOf(check: CompiledCheck): string {
  return "at" in check ? ` ${check.at.file}:${check.at.line}` : "";
}

/** What an artifact holds, one line a check, so that a change of lowering shows in review. */
function outline({ packs: all, workflow }: Artifact): string {
  const lines = all.flatMap(({ folder, agent, phases, tools }) => [
    `pack ${folder || "."} (${agent ?? "no session"})`,
    `  phases ${phases?.transitions.map(({ from, to }) => `${from}->${to}`).join(" ") ?? "none"}`,
    ...tools.flatMap(({ name, commits, checks }) => [
      `  ${name} commits ${commits}`,
      ...checks.map((check) => `    ${check.kind}${placeOf(check)}`),
    ]),
  ]);
  const roles = workflow?.roles.map(({ name, pack }) => `role ${name} -> pack ${pack}`) ?? [];
  return `${[...lines, ...roles].join("\n")}\n`;
}

describe.each(packs)("contracts/%s", (name) => {
  it("compiles without any finding", async () => {
    expect(await compilePack(join(FOLDER, name))).toMatchObject({ ok: true, diagnostics: [] });
  });

  it("gives the checks that its outline shows, in the documented order", async () => {
    const { artifact } = await compilePack(join(FOLDER, name));
    if (artifact === null) throw new Error("no artifact");
    expectGolden(new URL(`${name}.outline.txt`, import.meta.url).pathname, outline(artifact));
  });

  it("gives an artifact that decodes to itself", async () => {
    const { artifact } = await compilePack(join(FOLDER, name));
    if (artifact === null) throw new Error("no artifact");
    expect(decodeArtifact(encodeArtifact(artifact))).toEqual({ ok: true, artifact });
  });
});

describe("contracts/broken", () => {
  it("gives no artifact", async () => {
    expect(await compilePack(join(FOLDER, "broken"))).toMatchObject({ ok: false, artifact: null });
  });
});
