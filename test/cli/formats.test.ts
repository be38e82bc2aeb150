import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeArtifact } from "../../src/artifact/decode.js";
import { inPack } from "../support/pack-text.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const WARNS = `#== notify.yaml (with the required fields)
side_effect: write
evidence_class: unverifiable
`;

describe("--format sarif", () => {
  let validate: ValidateFunction;

  beforeAll(() => {
    const schema: unknown = createRequire(import.meta.url)("schemastore/schemas/json/sarif-2.1.0.json");
    if (typeof schema !== "object" || schema === null) throw new Error("the SARIF schema is not there");
    validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
  });

  it.each(["broken", "refunds"])("is SARIF 2.1.0 by the official schema for contracts/%s", async (pack) => {
    const { stdout } = await waitForCli(["check", `contracts/${pack}`, "--format", "sarif"]);
    expect([validate(JSON.parse(stdout)), validate.errors]).toEqual([true, null]);
  });

  it("is refused by that schema once a required part is taken out", async () => {
    const log = JSON.parse((await waitForCli(["check", "contracts/broken", "--format", "sarif"])).stdout);
    delete log.runs[0].tool.driver.name;
    expect(validate(log)).toBe(false);
  });

  it("names files from where the command runs", async () => {
    const log = JSON.parse((await waitForCli(["check", "contracts/broken", "--format", "sarif"])).stdout);
    expect(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toMatch(/^contracts\/broken\//);
  });
});

describe("--format json", () => {
  it("has exactly the public shape", async () => {
    const { stdout } = await waitForCli(["check", "contracts/broken", "--format", "json"]);
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(["ok", "artifact", "diagnostics"]);
    expect(report).toMatchObject({ ok: false, artifact: null });
    for (const finding of report.diagnostics) {
      expect(Object.keys(finding).filter((key) => key !== "help")).toEqual([
        "code",
        "severity",
        "message",
        "file",
        "line",
        "column",
        "endLine",
        "endColumn",
      ]);
    }
  });

  it("reports the file relative to the pack", async () => {
    const { diagnostics } = JSON.parse((await waitForCli(["check", "contracts/broken", "--format", "json"])).stdout);
    expect(new Set(diagnostics.map(({ file }: { file: string }) => file))).toEqual(
      new Set(["approve_payout.yaml", "send_payout.yaml", "session.yaml"]),
    );
  });
});

describe("--format text", () => {
  it("colours only a terminal, and not against NO_COLOR", async () => {
    const colour = "\u001b[";
    expect((await waitForCli(["check", "contracts/broken"], { isTTY: true })).stdout).toContain(colour);
    expect(
      (await waitForCli(["check", "contracts/broken"], { isTTY: true, env: { NO_COLOR: "1" } })).stdout,
    ).not.toContain(colour);
    expect((await waitForCli(["check", "contracts/broken"])).stdout).not.toContain(colour);
  });

  it("shows at most 100 findings and counts the rest", async () => {
    const keys = Array.from({ length: 130 }, (_, index) => `wrong_${index}: 1\n`).join("");
    const { stdout } = await inPack(`#== pay.yaml (with the required fields)\n${keys}`, (folder) =>
      waitForCli(["check", folder]),
    );
    expect(stdout.match(/\[unknown_key\]/g)).toHaveLength(100);
    expect(stdout).toContain("… and 30 more\n");
    expect(stdout).toMatch(/\n130 errors\n$/);
  });
});

describe("contracts compile", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "out-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("writes an artifact that decodes to the reported hash", async () => {
    const out = join(folder, "refunds.json");
    const { code, stdout } = await waitForCli(["compile", "contracts/refunds", "-o", out, "--format", "json"]);
    const report = JSON.parse(stdout);
    const decoded = decodeArtifact(readFileSync(out, "utf8"));
    expect(code).toBe(0);
    expect(report.artifact).toEqual({ hash: decoded.ok ? decoded.artifact.hash : "refused", path: out });
  });

  it("writes to artifact.json in the pack by default", async () => {
    await inPack("#== get_order.yaml (with the required fields)\n", async (pack) => {
      expect((await waitForCli(["compile", pack])).code).toBe(0);
      expect(existsSync(join(pack, "artifact.json"))).toBe(true);
      expect((await waitForCli(["compile", pack])).stdout).toContain(join(pack, "artifact.json"));
    });
  });

  it("writes nothing when there is an error", async () => {
    const out = join(folder, "broken.json");
    expect((await waitForCli(["compile", "contracts/broken", "-o", out])).code).toBe(1);
    expect(existsSync(out)).toBe(false);
  });

  it("lets warnings pass, and fails on them when asked to", async () => {
    await inPack(WARNS, async (pack) => {
      const lenient = await waitForCli(["check", pack]);
      expect(lenient.stdout).toContain("[acknowledged_unverifiable]");
      expect(lenient.code).toBe(0);
      const strict = await waitForCli(["compile", pack, "--warnings-as-errors", "--format", "json"]);
      expect(strict.code).toBe(1);
      expect(JSON.parse(strict.stdout)).toMatchObject({ ok: false, artifact: null });
      expect(existsSync(join(pack, "artifact.json"))).toBe(false);
    });
  });

  it("takes tool definitions from another file with --tools", async () => {
    await inPack(
      '#== get_order.yaml (with the required fields)\n#== other/defs.json\n[{ "name": "get_order" }]\n',
      async (pack) => {
        const { code, stdout } = await waitForCli(["check", pack, "--tools", join(pack, "other/defs.json")]);
        expect(code).toBe(1);
        expect(stdout).toContain("other/defs.json:1:2: error: tool `get_order` has no input schema");
      },
    );
  });

  it("does not name a place of this machine in an artifact", async () => {
    const out = join(folder, "trading.json");
    await waitForCli(["compile", "contracts/trading", "-o", out]);
    expect(readFileSync(out, "utf8")).not.toContain(REPOSITORY);
  });
});

describe("contracts explain", () => {
  it("shows the bad example, its output and the good one", async () => {
    const { code, stdout } = await waitForCli(["explain", "missing_band"]);
    expect(code).toBe(0);
    expect(stdout).toContain("missing_band (error)");
    expect(stdout).toContain("Bad:");
    expect(stdout).toContain("error: `within_band` needs a `band`");
    expect(stdout).toContain("    band: 0.05");
  });
});
