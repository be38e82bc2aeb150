import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/run-cli.js";

/** The files that npm would publish, with the artifacts lying about that compiling the examples leaves behind. */
function packed(): ReadonlySet<string> {
  const folder = mkdtempSync(join(tmpdir(), "package-"));
  try {
    for (const name of ["package.json", "README.md", "LICENSE", ".gitignore", "bin", "contracts", "docs"]) {
      cpSync(join(REPOSITORY, name), join(folder, name), { recursive: true });
    }
    for (const pack of ["refunds", "minimal"]) writeFileSync(join(folder, "contracts", pack, "artifact.json"), "{}");
    const npm = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: folder,
      encoding: "utf8",
    });
    const [{ files }]: [{ files: readonly { path: string }[] }] = JSON.parse(npm.stdout);
    return new Set(files.map(({ path }) => path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("the package", () => {
  let files: ReadonlySet<string>;

  beforeAll(() => {
    files = packed();
  });

  it("holds what the links of its documents lead to", () => {
    const documents = [...files].filter((file) => file.endsWith(".md"));
    expect(documents).toContain("README.md");
    const broken = documents.flatMap((file) => {
      const text = readFileSync(join(REPOSITORY, file), "utf8").replace(/```[\s\S]*?```/g, "");
      const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
      return links
        .filter((link) => !/^https?:/.test(link))
        .map((link) => posix.join(posix.dirname(file), link))
        .filter((link) => ![...files].some((known) => known === link || known.startsWith(link)))
        .map((link) => `${file}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  it("holds the example packs, but nothing that was compiled from them", () => {
    expect(files).toContain("contracts/refunds/session.yaml");
    expect([...files].filter((file) => file.endsWith("artifact.json"))).toEqual([]);
  });

  it("lets others read its package.json", async () => {
    const manifest = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));
    expect(manifest.exports["./package.json"]).toBe("./package.json");
  });
});
