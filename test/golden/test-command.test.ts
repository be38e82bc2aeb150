import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { type Ran, waitForCli } from "../support/run-cli.js";

const PACK = `#== look.yaml (with the required fields)
golden_cases: [{ id: plain, arguments: {}, expect_ok: true }]
#== pay.yaml (with the required fields)
golden_cases:
  - { id: small, arguments: { amount: 1 }, expect_ok: true }
  - { id: plain, arguments: { amount: 1 }, expect_ok: true }
  - { id: large, arguments: { amount: 11 }, expect_ok: true }
argument_value_invariants:
  - { path: $.amount, lte: 10 }
`;

function test(pack: string, ...args: readonly string[]): Promise<Ran> {
  return inPack(pack, (folder) => waitForCli(["test", ".", ...args], { cwd: folder }));
}

/** A pack with one case of this id, which fails. */
function named(id: string): string {
  const fields = JSON.stringify({ id, arguments: {}, expect_ok: false });
  return `#== pay.yaml (with the required fields)\ngolden_cases: [${fields}]\n`;
}

describe("contracts test", () => {
  it("reports exactly this to programs", async () => {
    const { code, stdout } = await test(PACK, "--format", "json", "--only", "large");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      tests: [
        {
          id: "large",
          tool: "pay",
          file: "pay.yaml",
          line: 4,
          ok: false,
          expected: { ok: true },
          actual: { kind: "block", reason: "argument_invariant_failed", rule: { file: "pay.yaml", line: 6 } },
        },
      ],
      summary: { passed: 0, failed: 1 },
    });
  });

  it("reports each failing case to people in one line, and how many there are", async () => {
    const { code, stdout } = await test(PACK);
    expect(code).toBe(1);
    expect(stdout).toBe(
      "FAIL pay.yaml:4 the golden case `large` expects an allowed call, but the guard refuses it with `argument_invariant_failed` " +
        "(required: $.amount at most 10; found: 11); rule: pay.yaml:6; " +
        "help: correct the case, or the rule that refuses the call; hint of the guard: change the arguments: $.amount at most 10\n" +
        "4 tests: 3 passed, 1 failed\n",
    );
  });

  it.each([
    ["small", 0, ["pay"]],
    ["plain", 0, ["look", "pay"]],
    ["large", 1, ["pay"]],
  ])("plays only the cases called %s", async (id, exit, tools) => {
    const { code, stdout } = await test(PACK, "--only", id, "--format", "json");
    expect(code).toBe(exit);
    expect(JSON.parse(stdout).tests).toMatchObject(tools.map((tool) => ({ id, tool })));
  });

  it.each([
    ["smal", "there is no golden case or scenario `smal`; did you mean `small`?"],
    ["nothing_like_it", "there is no golden case or scenario `nothing_like_it`"],
    ["x\u001b[2J\ny", "there is no golden case or scenario `x\ufffd[2J y`"],
  ])("refuses the unknown id %j", async (id, message) => {
    expect(await test(PACK, "--only", id)).toEqual({ code: 2, stdout: "", stderr: `contracts: ${message}\n` });
  });

  it("says that there are no tests", async () => {
    const pack = "#== pay.yaml (with the required fields)\n";
    expect(await test(pack)).toEqual({
      code: 0,
      stdout: "the pack has neither golden cases nor scenarios\n",
      stderr: "",
    });
    const { code, stdout } = await test(pack, "--format", "json");
    expect([code, JSON.parse(stdout)]).toEqual([0, { ok: true, tests: [], summary: { passed: 0, failed: 0 } }]);
  });

  it("takes tool definitions from another file with --tools", async () => {
    const pack = `#== pay.yaml (with the required fields)
golden_cases: [{ id: it, arguments: {}, expect_ok: true }]
#== other/defs.json
[{ "name": "pay", "input_schema": { "type": "object", "required": ["amount"] } }]
`;
    expect((await test(pack)).code).toBe(0);
    expect((await test(pack, "--tools", "other/defs.json")).stdout).toContain("`schema_mismatch`");
    expect((await test(pack, "--tools", "none.json")).code).toBe(2);
  });
});

describe("a pack with errors", () => {
  const broken = "#== pay.yaml (with the required fields)\nside_effect: raed\n";

  it.each(["text", "json", "junit"])("is reported on standard error, in the format %s", async (format) => {
    const { code, stderr } = await test(broken, "--format", format);
    expect(code).toBe(1);
    expect(stderr).toContain("pay.yaml:1:14: error:");
  });

  it("is not ok for programs", async () => {
    const { stdout } = await test(broken, "--format", "json");
    expect(JSON.parse(stdout)).toEqual({ ok: false, tests: [], summary: { passed: 0, failed: 0 } });
  });

  it("is a test in error for JUnit", async () => {
    const { stdout } = await test(broken, "--format", "junit");
    expect(stdout).toContain('<testsuites tests="1" failures="0" errors="1">');
    expect(stdout).toContain("pay.yaml:1:14: error:");
  });
});

/** Whether tags are closed in order, attributes are quoted, and no raw or forbidden character is left. */
function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  const body = xml.replace(/^<\?xml [^?]*\?>\n/, "");
  const tags = /<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>|[^<]+/g;
  let at = 0;
  for (const match of body.matchAll(tags)) {
    if (match.index !== at) return false;
    at += match[0].length;
    const [whole, closes, name = "", , selfCloses] = match;
    if (
      whole
        .replace(/&(?:amp|lt|gt|quot|apos|#(?:9|10|13|35|12[7-9]|1[3-9]\d|[2-9]\d\d|[1-9]\d{3,}));/g, "")
        .includes("&")
    )
      return false;
    if (name === "" || selfCloses === "/") continue;
    if (closes !== "/") open.push(name);
    else if (open.pop() !== name) return false;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that XML does not have are what is looked for
  const hasForbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u.test(xml);
  return at === body.length && open.length === 0 && !hasForbidden;
}

describe("--format junit", () => {
  it("has one test case for each golden case, with the failure in it", async () => {
    const { code, stdout } = await test(PACK, "--format", "junit");
    expect(code).toBe(1);
    expect(stdout).toContain('<testsuite name="." tests="4" failures="1" errors="0">');
    expect(stdout.match(/<testcase /g)).toHaveLength(4);
    expect(stdout).toContain('    <testcase classname="pay" name="small" file="pay.yaml" line="2"/>\n');
    expect(stdout).toContain(
      '    <testcase classname="pay" name="large" file="pay.yaml" line="4">\n' +
        '      <failure type="golden_case_failed" message="the golden case `large` expects an allowed call, but ',
    );
    expect(isWellFormed(stdout)).toBe(true);
  });

  it("names a history that is not possible as such", async () => {
    const pack = `#== pay.yaml (with the required fields)
gate: block
golden_cases: [{ id: it, arguments: {}, given: { history: [{ tool: pay }] }, expect_ok: false }]
`;
    expect((await test(pack, "--format", "junit")).stdout).toContain('<failure type="golden_history_refused"');
  });
});

const HOSTILE = [
  `a"b'c<d>&amp;]]>`,
  "-->\u0000<failure/>",
  "x\n::error::forged\r\ny",
  "\u001b[2J\u001b]0;title\u0007",
  "\u2028::error::forged",
  "half \ud800 of a pair, \ufffe and \uffff",
  "<![CDATA[ ]]>",
  "__proto__",
];

describe.each(HOSTILE.map((id) => [id]))("the id %j", (id) => {
  it("is one well-formed name in JUnit", async () => {
    const { code, stdout } = await test(named(id), "--format", "junit");
    expect(code).toBe(1);
    expect(isWellFormed(stdout)).toBe(true);
    expect(stdout.match(/<testcase /g)).toHaveLength(1);
  });

  it.each(["test", "check"])("stays on its line of `contracts %s`", async (verb) => {
    const { stdout } = await inPack(named(id), (folder) => waitForCli([verb, "."], { cwd: folder }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
    expect(stdout.split("\n").filter((line) => line.trimStart().startsWith("::"))).toEqual([]);
    if (verb === "test") expect(stdout.split("\n")).toHaveLength(3);
  });

  it("is the same id in JSON", async () => {
    const { stdout } = await test(named(id), "--format", "json");
    expect(JSON.parse(stdout).tests[0].id).toBe(id);
  });
});
