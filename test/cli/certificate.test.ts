import { cpSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const PACK = `#== pay.yaml (with the required fields)
side_effect: write
preconditions: [{ requires_prior_tool: login }]
binds: [{ name: paid, path: $.n }]
#== login.yaml (with the required fields)
#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 2 } }
#== claims.yaml (with the required fields)
claims:
  - never: { tool: pay, without_prior: login }
  - at_most: { tool: pay, calls: 2 }
`;

let cwd: string;
let text: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "certificate-"));
  withPack(PACK, (written) => cpSync(written, join(cwd, "pack"), { recursive: true }));
  withPack(PACK.replace("pay: 2", "pay: 3"), (written) => cpSync(written, join(cwd, "later"), { recursive: true }));
  await run("verify pack --certificate proofs.json");
  text = readFileSync(join(cwd, "proofs.json"), "utf8");
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true }));

async function run(command: string) {
  return await waitForCli(command.split(" "), { cwd });
}

async function check(content: string) {
  writeFileSync(join(cwd, "changed.json"), content);
  return await run("verify pack --check changed.json");
}

describe("a certificate", () => {
  it("is written and holds", async () => {
    const { code, stdout } = await run("verify pack --check proofs.json");
    expect(stdout).toBe("proofs.json holds: 2 proofs, 2 claims\n");
    expect(code).toBe(0);
  });

  it("is rejected with what is wrong, for another pack, a broken file and a proof that does not hold", async () => {
    const later = await run("verify later --check proofs.json");
    expect([later.code, later.stdout]).toEqual([
      1,
      expect.stringContaining("proofs.json is rejected: it is about the artifact sha256-"),
    ]);
    const weaker = await check(text.replace('"calls":2,"kind":"at_most"', '"calls":1,"kind":"at_most"'));
    expect([weaker.code, weaker.stdout]).toEqual([
      1,
      expect.stringMatching(/^changed.json is rejected: proof 2 \(at_most of `pay`\): /),
    ]);
    const cut = await check(text.slice(0, -10));
    expect([cut.code, cut.stdout]).toEqual([
      1,
      "changed.json is rejected: the certificate is not JSON: it was cut off or changed\n",
    ]);
    const newer = await check(text.replace('"certificate":1', '"certificate":9'));
    expect([newer.code, newer.stdout]).toEqual([
      1,
      "changed.json is rejected: the certificate has version 9; this program reads version 1: write it again\n",
    ]);
    const malformed = await check(text.replace('"past":0', '"past":"0"'));
    expect([malformed.code, malformed.stdout]).toEqual([1, expect.stringContaining("past")]);
  });

  it("must be a file, and is checked with no option that explores", async () => {
    const missing = await run("verify pack --check nothing.json");
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("`nothing.json` cannot be read")]);
    const idle = await run("verify pack --check proofs.json --witnesses");
    expect([idle.code, idle.stderr]).toEqual([
      2,
      "contracts: --witnesses has no effect with --check, which explores nothing\n",
    ]);
    const both = await run("verify pack --check proofs.json --certificate other.json");
    expect(both.code).toBe(2);
  });

  it("is not written where it would replace a file of the pack", async () => {
    const { code, stderr } = await run("verify pack --certificate pack/pay.yaml");
    expect([code, stderr]).toEqual([2, expect.stringContaining("cannot write the certificate")]);
  });

  it("is not written over the report of the same run, nor over what that compares with", async () => {
    const page = await run("verify pack --report page.html --certificate page.html");
    expect([page.code, page.stderr]).toEqual([
      2,
      "contracts: `page.html` is where the certificate goes; choose another file for --report\n",
    ]);
    await run("compile pack -o old.json");
    const old = readFileSync(join(cwd, "old.json"), "utf8");
    const { code, stderr } = await run("verify pack --report page.html --diff old.json --certificate old.json");
    expect([code, stderr]).toEqual([2, expect.stringContaining("it is what the command reads")]);
    expect(readFileSync(join(cwd, "old.json"), "utf8")).toBe(old);
    // Two names of one file.
    writeFileSync(join(cwd, "one.html"), "");
    linkSync(join(cwd, "one.html"), join(cwd, "two.html"));
    for (const command of ["verify pack --certificate two.html", "compile pack -o two.html"]) {
      expect((await run(`${command} --report one.html`)).stderr).toContain("choose another file for --report");
    }
  });
});
