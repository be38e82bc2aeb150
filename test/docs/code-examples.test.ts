import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/run-cli.js";

const PRELUDE = `const principal = { department: "support", type: "agent" };
const sessionId = "example";
const proxyCall = async (tool, args) => ({ status: "shipped" });
`;

/** Of examples that ask a model: one that runs on this machine. */
const MODEL = `import { modelServer } from "${REPOSITORY}test/docs/model-server.mjs";
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

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the examples in the package, which import it as others would. */
function ranExamples(): readonly Ran[] {
  const folder = mkdtempSync(join(REPOSITORY, "dist/examples-"));
  try {
    const scripts = examples.map(({ code }, index) => {
      const script = join(folder, `${index}.mjs`);
      writeFileSync(script, (code.includes("baseURL") ? MODEL : "") + PRELUDE + code);
      return script;
    });
    const runner = join(REPOSITORY, "test/docs/examples-process.mjs");
    const { stdout } = spawnSync(process.execPath, [runner, ...scripts], { cwd: REPOSITORY, encoding: "utf8" });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("code in the documents", () => {
  let ran: readonly Ran[];
  beforeAll(() => {
    ran = ranExamples();
  }, 120_000);

  // A comment behind `console.log(…)` says what it prints.
  it.each(examples.map((example, at) => ({ ...example, at })))("runs: $file, example $index", ({ code, at }) => {
    const printed = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
    expect(ran[at]?.stderr).toBe("");
    expect(ran[at]?.stdout.replaceAll("'", '"').trim()).toBe(printed.join("\n"));
  });

  it("is there", () => {
    expect(examples.length).toBeGreaterThan(3);
    expect(existsSync(join(REPOSITORY, "dist/bundle/index.js"))).toBe(true);
  });
});
