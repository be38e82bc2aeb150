import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { sectionOf, tableRows, textOf } from "../support/documents.js";

const SRC = new URL("../../src/", import.meta.url).pathname;

/** What each folder of src may import from the others; a new edge is a change of this table, reviewed as such. */
const ALLOWED: Readonly<Record<string, readonly string[] | "any">> = {
  base: [],
  diagnostics: ["base"],
  operators: ["base"],
  artifact: ["base", "operators"],
  domain: ["base", "operators", "artifact"],
  language: ["base", "diagnostics", "operators"],
  compiler: ["base", "diagnostics", "operators", "language", "artifact", "domain"],
  guard: ["base", "operators", "artifact"],
  workflow: ["base", "artifact", "guard"],
  sessions: ["base", "artifact", "guard", "workflow"],
  // The entry point of the package has the tools for operators too.
  stores: ["base", "artifact", "guard", "sessions"],
  pipelines: ["base", "artifact", "guard", "workflow"],
  adapters: ["base", "artifact", "guard"],
  otel: ["base", "artifact", "guard"],
  // Checks what the analysis proves, and shares no code with it but the types of the artifact.
  certificate: ["artifact"],
  analysis: ["base", "operators", "artifact", "domain", "guard", "workflow", "certificate"],
  golden: ["base", "artifact", "guard"],
  replay: ["base", "artifact", "guard"],
  init: ["base", "language", "replay"],
  audit: ["base", "artifact", "guard", "workflow"],
  report: ["base", "operators", "artifact", "analysis"],
  cli: "any",
  "index.ts": "any",
};

/** The packages that each folder may use; what runs beside an agent needs next to none. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // Types of parsed patterns only.
  base: ["@eslint-community/regexpp"],
  diagnostics: [],
  operators: [],
  artifact: [],
  domain: ["@eslint-community/regexpp"],
  // TypeBox only in schema/: the build writes the schemas out.
  language: ["yaml", "typebox", "jsonc-parser", "@eslint-community/regexpp"],
  compiler: ["@dagrejs/graphlib", "@marcbachmann/cel-js"],
  guard: ["@eslint-community/regexpp"],
  workflow: [],
  sessions: [],
  // Loaded when such a store is opened: users of another one do not need them.
  stores: ["pg", "@photostructure/sqlite"],
  pipelines: ["ajv"],
  // Of the two clients of models types only: an application brings the client.
  adapters: [
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/server",
    "@anthropic-ai/sdk",
    "ai",
    "langchain",
    "openai",
  ],
  otel: ["@opentelemetry/api"],
  certificate: [],
  analysis: ["@eslint-community/regexpp"],
  golden: [],
  // Paths of a mapping that a user gives; nothing of a contract goes through it.
  replay: ["jsonpath-plus"],
  init: [],
  audit: [],
  report: ["@dagrejs/dagre"],
  cli: ["commander"],
  "index.ts": [],
};

interface Import {
  readonly file: string;
  readonly folder: string;
  readonly target: string;
}

const imports: readonly Import[] = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const text = readFileSync(join(SRC, file), "utf8");
    const folder = file.split("/")[0] ?? "";
    const targets = /^(?:import|export)\b[^;"]*\bfrom "([^"]+)";$|\bimport\("([^"]+)"\)/gm;
    return [...text.matchAll(targets)].map(([, fixed = "", late = ""]) => ({ file, folder, target: fixed || late }));
  });

function folderOf({ file, target }: Import): string {
  return relative(SRC, join(SRC, file, "..", target)).split("/")[0] ?? "";
}

describe("the layers of src", () => {
  it("are all in the table", () => {
    expect(readdirSync(SRC).filter((name) => !(name in ALLOWED))).toEqual([]);
  });

  it("are in the table of docs/architecture.md, which allows the same", () => {
    const rows = tableRows(sectionOf(textOf("docs/architecture.md"), "## Layers"));
    const documented = rows.map(([folder = "", , imports = ""]) => [folder.replaceAll("`", ""), imports]);
    const allowed = Object.entries(ALLOWED).filter(([name]) => !name.endsWith(".ts"));
    const worded = allowed.map(([name, imports]) => [
      name,
      imports === "any" ? "any" : imports.join(", ") || "nothing",
    ]);
    expect(documented).toEqual(worded);
  });

  it("import only what the table allows", () => {
    const stray = imports
      .filter(({ target }) => target.startsWith("."))
      .filter((edge) => {
        const allowed = ALLOWED[edge.folder] ?? [];
        const target = folderOf(edge);
        return allowed !== "any" && target !== edge.folder && !allowed.includes(target);
      });
    expect(stray).toEqual([]);
  });

  it("use only the packages the table allows", () => {
    const stray = imports
      .filter(({ target }) => !target.startsWith(".") && !target.startsWith("node:"))
      .filter(({ folder, target }) => {
        const name = target
          .split("/")
          .slice(0, target.startsWith("@") ? 2 : 1)
          .join("/");
        return !(PACKAGES[folder] ?? []).includes(name);
      });
    expect(stray).toEqual([]);
  });

  it("reach files and the network only where a pack enters, a command writes or a call goes out", () => {
    const users = imports
      .filter(({ target }) => /^node:(?:fs|child_process|net|http)/.test(target))
      .map(({ file }) => file);
    expect([...new Set(users)].sort()).toEqual([
      "cli/audit/store-files.ts",
      "cli/audit/write-lines.ts",
      "cli/commands/check-response.ts",
      "cli/golden/changed-files.ts",
      "cli/init/ask-mcp-server.ts",
      "cli/init/new-folder.ts",
      "cli/pack-folder.ts",
      "cli/package-file.ts",
      "cli/read-lines.ts",
      "cli/read-named-file.ts",
      "cli/write-output.ts",
      "language/file-tree.ts",
      "pipelines/doctor/doctor-proxy.ts",
      "pipelines/wire/http-post.ts",
      "stores/sqlite/open-database.ts",
      "stores/sqlite/open-file.ts",
    ]);
  });
});
