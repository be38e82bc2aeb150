import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GOLDEN_FINDINGS } from "../../src/diagnostics/golden-findings.js";
import { expectGolden } from "../support/golden.js";
import { inPack } from "../support/pack-text.js";
import { goldenFixture, read } from "../support/rule-fixtures.js";
import { waitForCli } from "../support/run-cli.js";

const CODES = GOLDEN_FINDINGS.map(({ code }) => code);

describe.each(CODES)("%s", (code) => {
  it("is reported exactly so", async () => {
    const file = goldenFixture(code, "invalid");
    const { code: exit, stdout } = await inPack(read(file), (folder) => waitForCli(["check", folder]));
    expect(exit).toBe(1);
    expect(stdout).toContain(`[${code}]`);
    expectGolden(file.replace(/\.yaml$/, ".out"), stdout);
  });

  it("is not reported where all is well", async () => {
    const { code: exit, stdout } = await inPack(read(goldenFixture(code, "valid")), (folder) =>
      waitForCli(["check", folder, "--format", "json"]),
    );
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, diagnostics: [] });
  });

  it("is explained", async () => {
    const { code: exit, stdout } = await waitForCli(["explain", code]);
    expect(exit).toBe(0);
    expect(stdout).toContain(`${code} (error)`);
    expect(stdout).toContain("golden_cases:");
  });

  it.each([
    ["json", (text: string) => JSON.parse(text).diagnostics[0]],
    ["sarif", (text: string) => ({ code: JSON.parse(text).runs[0].tool.driver.rules[0].id })],
    ["github", (text: string) => ({ code: /title=([a-z_]+)::/.exec(text)?.[1] })],
  ])("is reported in the format %s", async (format, first) => {
    const { code: exit, stdout } = await inPack(read(goldenFixture(code, "invalid")), (folder) =>
      waitForCli(["check", folder, "--format", format]),
    );
    expect(exit).toBe(1);
    expect(first(stdout)).toMatchObject({ code });
  });

  it("cannot be suppressed", async () => {
    const session = `#== session.yaml (with the required fields)\ngraph_analysis: { suppress: [{ check: ${code}, reason: no }] }\n`;
    const { stdout } = await inPack(`${read(goldenFixture(code, "valid"))}${session}`, (folder) =>
      waitForCli(["check", folder]),
    );
    expect(stdout).toContain("[unknown_check]");
  });
});

it("every folder of fixtures belongs to a finding", () => {
  const folders = readdirSync(new URL("./", import.meta.url), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name.replaceAll("-", "_")).sort()).toEqual([...CODES].sort());
});
