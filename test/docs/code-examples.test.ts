import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/run-cli.js";

const PRELUDE = `const principal = { department: "support", type: "agent" };
const sessionId = "example";
const proxyCall = async (tool, args) => ({ status: "shipped" });
`;

/** Of examples that ask a model: one that runs on this machine. */
const MODEL = `import { modelServer } from "./test/docs/model-server.mjs";
const baseURL = await modelServer();
const apiKey = "none";
`;

const files = ["README.md", ...readdirSync(join(REPOSITORY, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);
const examples = files.flatMap((file) =>
  [...readFileSync(join(REPOSITORY, file), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, code = ""], index) => ({ file, index, code }),
  ),
);

/** Runs an example in the package, which imports itself as others would; a comment behind `console.log(…)` says what it prints. */
function run(code: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const before = code.includes("baseURL") ? MODEL + PRELUDE : PRELUDE;
  const options = { cwd: REPOSITORY, encoding: "utf8" } as const;
  return spawnSync(process.execPath, ["--input-type=module", "-e", before + code], options);
}

describe("code in the documents", () => {
  it.each(examples)("runs: $file, example $index", ({ code }) => {
    const { status, stderr, stdout } = run(code);
    const printed = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.replaceAll("'", '"').trim()).toBe(printed.join("\n"));
  });

  it("is there", () => {
    expect(examples.length).toBeGreaterThan(3);
    expect(existsSync(join(REPOSITORY, "dist/bundle/index.js"))).toBe(true);
  });
});
