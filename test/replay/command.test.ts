import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { createGuard } from "../../src/guard/guard.js";
import { openStore } from "../../src/stores/public.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const TRADING = `${REPOSITORY}contracts/trading`;
const TRADER = { department: "finance", type: "trader" };
const QUOTE = { tool: "get_quote", arguments: { symbol: "ACME" }, output: { price: 50 } };
const CHECK = {
  tool: "approve_risk_check",
  arguments: { symbol: "ACME", side: "buy", shares: 100, notional_value: 5000 },
  output: { approved: true, approval_id: "apr_1" },
};
const ORDER = {
  tool: "submit_live_order",
  arguments: {
    approval_id: "apr_1",
    ...CHECK.arguments,
    order_type: "limit",
    limit_price: 50,
  },
  output: { order_id: "ord_1", status: "accepted" },
};
const TOO_MANY = { ...ORDER, arguments: { ...ORDER.arguments, shares: 101 } };
const CLOSE = { tool: "close_book", arguments: { summary: "done" }, output: { closed: true } };

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "replay-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, ...lines: readonly unknown[]): string {
  writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return name;
}

function replay(...args: readonly string[]) {
  return waitForCli(["replay", TRADING, ...args], { cwd: folder });
}

const CLEAN = { id: "clean", principal: TRADER, calls: [QUOTE, CHECK, ORDER, CLOSE] };
const BAD = { id: "bad", principal: TRADER, calls: [QUOTE, CHECK, TOO_MANY, ORDER, CLOSE] };

describe("contracts replay", () => {
  it.each(["calls", "arguments"])("says that the path of `%s` in a mapping finds nothing at all", async (key) => {
    const paths = { calls: "$.calls[*]", tool: "$.tool", arguments: "$.arguments", principal: "$.principal" };
    const text = JSON.stringify({ ...paths, [key]: "$.misspelt" });
    writeFileSync(join(folder, "m.yaml"), text);
    const { code, stderr } = await replay(file("t.jsonl", CLEAN), "--map", "m.yaml");
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`the path of \`${key}\` in \`m.yaml\` finds nothing in any session`),
    ]);
  });

  it("ends where a call may be that it cannot read, and where a line was cut off", async () => {
    const said = { role: "assistant", content: [{ type: "tool-call", toolName: "submit_live_order" }] };
    const unknown = await replay(file("a.jsonl", CLEAN, { principal: TRADER, messages: [said] }));
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a.jsonl:2: messages[0].content[0] has"),
    });
    const text = `${JSON.stringify(CLEAN)}\n${JSON.stringify(BAD)}`;
    for (const [length, place] of [
      [text.length - 1, "b.jsonl:2: it is not JSON"],
      [100, "b.jsonl:1: it is not JSON"],
    ] as const) {
      writeFileSync(join(folder, "b.jsonl"), text.slice(0, length));
      expect(await replay("b.jsonl")).toMatchObject({ code: 2, stderr: expect.stringContaining(place) });
    }
  });

  it("decides every call in its order, and marks what comes after the first refused one", async () => {
    const { code, stdout } = await replay(file("t.jsonl", CLEAN, BAD), "--format", "json");
    const { sessions, summary } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(sessions[0]).toEqual({
      id: "clean",
      verdicts: CLEAN.calls.map(({ tool }, index) => ({ index, tool, kind: "allow" })),
      first_block: null,
    });
    expect(sessions[1].first_block).toBe(2);
    expect(sessions[1].verdicts.slice(2)).toEqual([
      {
        index: 2,
        tool: "submit_live_order",
        kind: "block",
        reason: "ref_mismatch",
        rule: { file: "submit_live_order.yaml", line: expect.any(Number) },
      },
      { index: 3, tool: "submit_live_order", kind: "allow", hypothetical: true },
      { index: 4, tool: "close_book", kind: "allow", hypothetical: true },
    ]);
    expect(summary).toEqual({ sessions: 2, calls: 9, allowed: 8, blocked: 1, by_reason: { ref_mismatch: 1 } });
  });

  it("prints refused calls and counts for people, and ends with 0 if nothing is refused", async () => {
    const refused = await replay(file("t.jsonl", CLEAN, BAD));
    expect(refused.stdout).toMatch(
      /^session bad \(t\.jsonl:2\)\n {2}call 3, `submit_live_order`: ref_mismatch \(submit_live_order\.yaml:\d+\)\n {2}then 2 calls, hypothetical: 0 refused\n2 sessions, 9 calls: 8 allowed, 1 refused\n {2}1 ref_mismatch\n$/,
    );
    expect(await replay(file("t.jsonl", CLEAN))).toMatchObject({
      code: 0,
      stdout: "1 session, 4 calls: 4 allowed, 0 refused\n",
    });
  });

  it("shows in the report what was exercised, and the refused calls", async () => {
    const { code } = await replay(file("t.jsonl", CLEAN, BAD), "--report", "page.html");
    const page = await readFile(join(folder, "page.html"), "utf8");
    expect(code).toBe(1);
    expect(page).toContain("Read: 9 calls of 2 sessions.");
    expect(page).toContain("Refused calls of recorded sessions");
    expect(page).toContain("call 3 of session <code>bad</code>");
  });

  it("shows in the report the words of the policy that a refused call breaks, and which rules were exercised", async () => {
    const words = "The user is authenticated first, by email, or by name and zip code";
    const cancel = { tool: "cancel_pending_order", arguments: { order_id: "#W1", reason: "no longer needed" } };
    const args = [
      "replay",
      `${REPOSITORY}contracts/retail`,
      file("t.jsonl", { calls: [cancel] }),
      "--report",
      "p.html",
    ];
    const { code, stdout } = await waitForCli(args, { cwd: folder });
    const page = await readFile(join(folder, "p.html"), "utf8");
    const refused = page.slice(page.indexOf("Refused calls of recorded sessions"));
    expect(code).toBe(1);
    expect(stdout).toContain(words);
    expect(refused.slice(0, refused.indexOf("</section>"))).toContain(`<p>${words}</p>`);
    expect(page).toMatch(/1 of \d+ rules exercised/);
  });

  it("shows a bar on a terminal, which does not run into what is printed, and none anywhere else", async () => {
    const traces = file("t.jsonl", CLEAN, BAD, CLEAN);
    const args = ["replay", TRADING, traces];
    expect((await waitForCli(args, { cwd: folder })).stderr).toBe("");
    const written: string[] = [];
    const output = { isTTY: true, write: (text: string) => written.push(text) };
    expect(await main(args, { cwd: folder, env: {}, stdout: output, stderr: output })).toBe(1);
    const bars = written.filter((text) => /^\r\[[#.]{30}\] \d+ %$/.test(text));
    expect(bars.length).toBe(3);
    expect(bars.at(-1)).toContain("99 %");
    // Whatever comes after a bar is written onto an empty line.
    const after = written.filter((_, at) => bars.includes(written[at - 1] ?? ""));
    expect(after.every((text) => bars.includes(text) || /^\r +\r$/.test(text))).toBe(true);
    expect(written.filter((text) => !text.startsWith("\r")).join("")).toBe((await replay(traces)).stdout);
  });

  it("removes the bar before it says that a file cannot be read", async () => {
    writeFileSync(join(folder, "t.jsonl"), `${JSON.stringify(CLEAN)}\nnot json\n`);
    const { stderr } = await waitForCli(["replay", TRADING, "t.jsonl"], { cwd: folder, isTTY: true });
    expect(stderr).toMatch(/%\r +\rcontracts: t\.jsonl:2: it is not JSON\n$/);
  });

  it("reads what a guard recorded in a store", async () => {
    const url = `sqlite:${join(folder, "s.db")}`;
    const store = await openStore(url);
    const guard = await createGuard(compileFolder(TRADING, {}).artifact, {
      store,
      sessionId: "stored",
      principal: TRADER,
      storeArguments: "all",
      env: {},
    });
    for (const { tool, arguments: args, output } of [QUOTE, CHECK, TOO_MANY, ORDER]) {
      const verdict = await guard.propose({ tool, args });
      if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output });
    }
    await store.close();
    const exported = await waitForCli(["audit", "export", url], { cwd: folder });
    writeFileSync(join(folder, "export.jsonl"), exported.stdout);
    const { stdout, stderr } = await replay("export.jsonl", "--format", "json");
    // The log has only a digest of the principal, and this pack has rules about it.
    expect(stdout).not.toContain("summary");
    expect(stderr).toContain("the pack has rules about the caller, and the session has no `principal`");
    const refunds = await waitForCli(["replay", `${REPOSITORY}contracts/minimal`, "export.jsonl", "--format", "json"], {
      cwd: folder,
    });
    expect(JSON.parse(refunds.stdout)).toMatchObject({ summary: { sessions: 1, calls: 4 } });
  });

  it("reads a document that is written over several lines, and several files", async () => {
    writeFileSync(join(folder, "pretty.json"), JSON.stringify([CLEAN, BAD], null, 2));
    const { stdout } = await replay("pretty.json", file("t.jsonl", CLEAN));
    expect(stdout).toContain("3 sessions, 13 calls: 12 allowed, 1 refused");
  });

  it("refuses numbers beyond all doubles, as the guard does", async () => {
    const line = '{"calls":[{"tool":"get_weather","arguments":{"city":"Bern","days":1e400}}]}';
    writeFileSync(join(folder, "t.jsonl"), line);
    const { stdout } = await waitForCli(["replay", `${REPOSITORY}contracts/minimal`, "t.jsonl"], { cwd: folder });
    expect(stdout).toContain("call 1, `get_weather`: arguments_not_json");
  });

  it("reads files that begin with a byte order mark", async () => {
    writeFileSync(join(folder, "t.jsonl"), `\ufeff${JSON.stringify(CLEAN)}\r\n${JSON.stringify(CLEAN)}\r\n`);
    expect((await replay("t.jsonl")).stdout).toBe("2 sessions, 8 calls: 8 allowed, 0 refused\n");
    writeFileSync(join(folder, "t.json"), `\ufeff${JSON.stringify([CLEAN], null, 2)}`);
    expect((await replay("t.json")).stdout).toBe("1 session, 4 calls: 4 allowed, 0 refused\n");
  });

  it("reads other logs through a mapping", async () => {
    const steps = CLEAN.calls.map(({ tool: name, arguments: input, output: result }) => ({ name, input, result }));
    file("log.jsonl", { who: TRADER, steps });
    writeFileSync(
      join(folder, "map.yaml"),
      ["principal: $.who", "calls: $.steps[*]", "tool: $.name", "arguments: $.input", "output: $.result"].join("\n"),
    );
    const { stdout } = await replay("log.jsonl", "--map", "map.yaml");
    expect(stdout).toBe("1 session, 4 calls: 4 allowed, 0 refused\n");
  });

  it.each([
    ["t.jsonl:2: it is not JSON", `${JSON.stringify(CLEAN)}\nnot json\n`],
    ["t.jsonl:1: it is not JSON; give one JSON object a line, or one JSON document", "not json\n"],
    ["t.jsonl:1: the pack has rules about the caller, and the session has no `principal`", '{"calls":[]}\n'],
    ["t.jsonl:1: calls[0].tool is no text", `{"principal":{},"calls":[{}]}\n`],
  ])("says where a file cannot be read: %s", async (message, text) => {
    writeFileSync(join(folder, "t.jsonl"), text);
    const { code, stderr } = await replay("t.jsonl");
    expect({ code, stderr }).toEqual({ code: 2, stderr: `contracts: ${message}\n` });
  });

  it.each([
    ["lacks `tool`", "calls: $.steps"],
    ["did you mean `arguments`?", "calls: $.steps\ntool: $.name\nargument: $.input"],
    ["`calls` must be a JSONPath", "calls: steps\ntool: $.name"],
    ["is no mapping in YAML", "- calls"],
  ])("says what is wrong with a mapping: %s", async (message, text) => {
    writeFileSync(join(folder, "map.yaml"), text);
    const { code, stderr } = await replay(file("t.jsonl", CLEAN), "--map", "map.yaml");
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("does not decide sessions of a workflow one by one", async () => {
    const args = ["replay", `${REPOSITORY}contracts/code-review`, file("t.jsonl", CLEAN)];
    const { code, stderr } = await waitForCli(args, { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain("give the pack of one role");
  });
});
