import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const BUNDLE = join(REPOSITORY, "dist/bundle");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const MANIFEST: Manifest = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));

function packageOf(target: string): string {
  return target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
}

/** What a file imports before it runs, and what it may import later. */
function importsOf(file: string): { readonly first: readonly string[]; readonly later: readonly string[] } {
  const text = readFileSync(file, "utf8");
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, target = "", bare]) => bare ?? target);
  return {
    first: all(/^(?:import .*|export .*|\}) from "([^"]+)";$|^import "([^"]+)";$/gm),
    later: all(/\bimport\("([^"]+)"\)/g),
  };
}

/** The files of the bundle that are loaded with these, and the packages. */
function loadedWith(names: readonly string[]): {
  readonly files: readonly string[];
  readonly packages: readonly string[];
} {
  const files = new Set(names.map((name) => join(BUNDLE, name)));
  const packages = new Set<string>();
  for (const file of files) {
    for (const target of importsOf(file).first) {
      if (target.startsWith(".")) files.add(join(dirname(file), target));
      else if (!isBuiltin(target)) packages.add(packageOf(target));
    }
  }
  return { files: [...files], packages: [...packages].sort() };
}

const NAMES = readdirSync(BUNDLE, { recursive: true, encoding: "utf8" }).filter((name) => /\.c?js$/.test(name));
const starting = (prefix: string) => NAMES.filter((name) => name.startsWith(prefix));
/** Of each module in a file the bundler writes where it came from. */
const modulesIn = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/^\s*\/\/ (\S+\.[mc]?[jt]s)$/gm)].map(([, name = ""]) => name);

/** A pack with a mistake in a pattern, in an expression and in its tool definitions. */
const MISTAKES = {
  "session.yaml": 'schema_version: "1.1"\n',
  "tools.json": "[{]",
  "get_weather.yaml": `${readFileSync(join(REPOSITORY, "contracts/minimal/get_weather.yaml"), "utf8")}
  - path: "$.city"
    regex: "("
requires:
  - that: args.city.contains(" #1")
    reason: the city has no number
`,
};
const packageIn = (module: string) => packageOf(module.slice("node_modules/".length));

describe("the bundle", () => {
  it("imports nothing but Node and the dependencies of the package", () => {
    const declared = new Set(Object.keys({ ...MANIFEST.dependencies, ...MANIFEST.peerDependencies }));
    const stray = NAMES.flatMap((name) => {
      const { first, later } = importsOf(join(BUNDLE, name));
      return [...first, ...later].filter((target) => !target.startsWith(".") && !isBuiltin(target));
    }).filter((target) => !declared.has(packageOf(target)));
    expect(stray).toEqual([]);
  });

  it("holds the license of every package that is part of it", () => {
    const packages = NAMES.flatMap((name) => modulesIn(join(BUNDLE, name)))
      .filter((module) => module.startsWith("node_modules/"))
      .map(packageIn);
    expect([...new Set(packages)].sort()).toEqual([
      "@dagrejs/dagre",
      "@dagrejs/graphlib",
      "@eslint-community/regexpp",
      "@marcbachmann/cel-js",
      "commander",
      "jsonc-parser",
      "jsonpath-plus",
      "yaml",
    ]);
    const licenses = readFileSync(join(BUNDLE, "LICENSES.txt"), "utf8");
    expect([...licenses.matchAll(/^(\S+) \S+ \((?:MIT|ISC)\)$/gm)].map(([, name]) => name)).toEqual([
      "@dagrejs/dagre",
      "@dagrejs/graphlib",
      "@eslint-community/regexpp",
      "@marcbachmann/cel-js",
      "ajv",
      "commander",
      "jsonc-parser",
      "jsonpath-plus",
      "yaml",
    ]);
    expect(licenses.match(/Copyright/g)).toHaveLength(9);
  });

  it("has a guard that loads no package, and nothing of the compiler", () => {
    const { files, packages } = loadedWith(["guard.js"]);
    expect(packages).toEqual([]);
    const folders = new Set(files.flatMap(modulesIn).map((module) => module.split("/")[1]));
    expect([...folders].sort()).toEqual(["@eslint-community", "artifact", "base", "guard", "operators"]);
  });

  it("has a check that loads nothing that explores, draws or serves", () => {
    const { files, packages: outside } = loadedWith(["cli.js", ...starting("checking-")]);
    expect(files.length).toBeGreaterThan(3);
    expect(outside).toEqual([]);
    const modules = files.flatMap(modulesIn);
    expect(modules).toContain("src/compiler/compile.ts");
    expect(modules.filter((module) => /^src\/(?:pipelines|report\/page\/page|analysis\/search)/.test(module))).toEqual(
      [],
    );
    // The parsers of patterns, expressions and JSON are files that a pack without them does not load.
    const packages = modules.filter((module) => module.startsWith("node_modules/")).map(packageIn);
    expect([...new Set(packages)].sort()).toEqual(["@dagrejs/graphlib", "commander", "yaml"]);
    expect(starting("").filter((name) => name.endsWith(".cjs"))).toEqual(["cel.cjs", "jsonc.cjs", "regexpp.cjs"]);
  });

  it("has a check that finds what is wrong with patterns, expressions and JSON, as the sources do", async () => {
    const pack = mkdtempSync(join(tmpdir(), "mistakes-"));
    onTestFinished(() => rmSync(pack, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(MISTAKES)) writeFileSync(join(pack, name), text);
    const args = ["check", pack];
    const bundled = spawnSync(process.execPath, [join(REPOSITORY, "bin/contracts.js"), ...args], { encoding: "utf8" });
    const { code, stdout, stderr } = await waitForCli(args);
    expect({ code: bundled.status, stdout: bundled.stdout, stderr: bundled.stderr }).toEqual({ code, stdout, stderr });
    for (const rule of ["bad_regex", "bad_expression", "json_syntax"]) expect(stdout + stderr).toContain(rule);
  });
});

describe("the declarations", () => {
  it("need no packages but those that telemetry and adapters are for, and nothing that is not there", () => {
    const types = join(REPOSITORY, "dist/types");
    const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
    expect(files).toContain("index.d.ts");
    const targets = files.flatMap((file) => {
      const text = readFileSync(join(types, file), "utf8");
      const found = [...text.matchAll(/(?:\bfrom |\bimport\()"([^"]+)"/g)].map(([, target = ""]) => target);
      return found.map((target) => (target.startsWith(".") ? join(file, "..", target) : target));
    });
    const others = targets.filter((target) => !files.includes(target.replace(/\.js$/, ".d.ts")));
    expect([...new Set(others)].sort()).toEqual([
      "@anthropic-ai/sdk",
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/server/stdio",
      "@opentelemetry/api",
      "ai",
      "langchain",
      "openai",
    ]);
  });
});

/** The package as npm would install it: the files of its tarball beside its own dependencies, and a driver for stores. */
function installed(): string {
  const folder = mkdtempSync(join(tmpdir(), "installed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packed = spawnSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: REPOSITORY,
    encoding: "utf8",
  });
  const [{ filename }]: [{ filename: string }] = JSON.parse(packed.stdout);
  const target = join(folder, "node_modules/contract-guard");
  mkdirSync(target, { recursive: true });
  spawnSync("tar", ["-xzf", join(folder, filename), "-C", target, "--strip-components=1"]);
  for (const name of [...Object.keys(MANIFEST.dependencies), "@photostructure/sqlite"]) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(join(REPOSITORY, "node_modules", name), join(folder, "node_modules", name));
  }
  return folder;
}

const USES = `
const [all, guard, kit, stores, { storeConformance }] = await Promise.all(
  ["", "/guard", "/pipelines", "/stores", "/stores/conformance"].map((name) => import("contract-guard" + name)),
);
const { artifact } = await all.compilePack("node_modules/contract-guard/contracts/refunds");
const decoded = guard.decodeArtifact(all.encodeArtifact(artifact));
const verdict = await (await guard.createGuard(decoded.artifact, { principal: {} })).propose({ tool: "no", args: {} });
const isOneClass = new Set([all, guard, kit].map((each) => each.ContractViolation)).size === 1;
const away = { list: () => Promise.reject(new Error("away")) };
const unavailable = await stores.openApprovals(away).list().catch((cause) => cause instanceof guard.StoreUnavailable);
const store = await stores.openStore("sqlite:./guard.db");
const { kind } = await store.append("1", [{ stream: "s", expectedRevision: 0, records: ["1"], head: "{}" }]);
await store.close();
const [firstCase] = storeConformance({ open: () => stores.openStore("memory:") });
await firstCase.run();
console.log(JSON.stringify([verdict.reason, isOneClass, unavailable, kind]));
`;

describe("the installed package", () => {
  it("runs with its dependencies alone, and stores with their driver", () => {
    const folder = installed();
    const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    const contracts = (...args: string[]) => run("node_modules/contract-guard/bin/contracts.js", ...args);
    const pack = "node_modules/contract-guard/contracts/refunds";
    expect(run("--input-type=module", "-e", USES)).toMatchObject({
      stderr: "",
      stdout: '["unmatched_tool",true,true,"appended"]\n',
    });
    expect(contracts("store", "migrate", "sqlite:./guard.db")).toMatchObject({ stderr: "", status: 0 });
    expect(contracts("check", pack)).toMatchObject({ stderr: "", status: 0 });
    expect(contracts("verify", "node_modules/contract-guard/contracts/minimal")).toMatchObject({
      stderr: "",
      status: 0,
    });
    expect(contracts("graph", pack, "--format", "svg")).toMatchObject({ stderr: "", status: 0 });
    expect(contracts("explain", "missing_band")).toMatchObject({ stderr: "", status: 0 });
    expect(contracts("demo")).toMatchObject({ stderr: "", status: 0 });
    // Its packages are not installed with ours.
    expect(contracts("mcp", "--pack", pack, "--", "node")).toMatchObject({
      stderr:
        "contracts: `contracts mcp` needs the SDK of the protocol: npm install @modelcontextprotocol/server @modelcontextprotocol/client\n",
      status: 2,
    });
    expect(contracts("doctor", "--url", "http://127.0.0.1:9", "--pack", pack).stdout).toMatch(
      /ok +the tools can be imported +6 tools/,
    );
  });
});
