import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { headLine } from "../../src/audit/export-line.js";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import { memory, PAYMENTS, pay, paymentGuard, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { inStream, rehashed, relinked, rewritten } from "../support/rewritten-store.js";
import { waitForCli } from "../support/run-cli.js";
import { storeFolder } from "../support/store-folder.js";

const SECRET = "hunter2-secret";
const HEAD = headLine({ records: 1, sessions: [], more: false });

const FILES: readonly (readonly [name: string, text: string])[] = [
  ["nothing", ""],
  ["blank lines", "\n\n\r\n"],
  ["no JSON", `${SECRET}\n`],
  ["bytes that are no text", "\ufffd\u0000\u0001"],
  ["JSON that is no object", `[1]\n"${SECRET}"\nnull\n7\n`],
  ["a session that is no text", `{"session":{"a":"${SECRET}"},"n":1}\n`],
  ["a name that is too long", `{"session":"${SECRET.repeat(100)}","n":1}\n`],
  [
    "fields of wrong kinds",
    `{"session":"s","v":1,"n":-1,"at":{},"guard":[],"artifact":7,"prev":null,"hash":"${SECRET}"}\n`,
  ],
  ["a later version", `{"session":"s","v":99,"note":"${SECRET}"}\n`],
  ["names of the prototype", `{"session":"__proto__","__proto__":{"n":1},"constructor":"${SECRET}"}\n`],
  ["nesting", `{"session":"s","v":1,"note":${"[".repeat(200_000)}${"]".repeat(200_000)}}\n`],
  ["a head of the wrong shape", `{"head":{"records":-1,"sessions":"${SECRET}"}}\n`],
  ["a head with strange sessions", `{"head":{"records":0,"sessions":[{"session":7,"count":"x"}]}}\n`],
  ["escapes of a terminal", `{"session":"\\u001b[2J\\u009b31m\\u202e::error::${SECRET.slice(0, 0)}","n":1}\n${HEAD}\n`],
  ["many bad lines", `{"session":"s"}\n`.repeat(5000)],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a terminal
const HARMFUL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("a file that is no export", () => {
  it.each(FILES)("is reported, without its content: %s", async (_name, text) => {
    const folder = storeFolder();
    writeFileSync(join(folder, "log.jsonl"), text);
    for (const format of ["text", "json"]) {
      const { code, stdout, stderr } = await waitForCli(["audit", "verify", "log.jsonl", "--format", format], {
        cwd: folder,
      });
      expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
      expect(stdout).not.toContain(SECRET);
      expect(stdout).not.toMatch(HARMFUL);
      expect(stdout.length).toBeLessThan(200_000);
    }
  });

  it("is no file of checkpoints either", async () => {
    const folder = storeFolder();
    const key =
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
    writeFileSync(join(folder, "key.pem"), key);
    writeFileSync(join(folder, "log.jsonl"), `${headLine({ records: 0, sessions: [], more: false })}\n`);
    for (const [, text] of FILES.slice(2)) {
      writeFileSync(join(folder, "signed.jsonl"), text);
      const args = ["audit", "verify", "log.jsonl", "--checkpoints", "signed.jsonl", "--public-key", "key.pem"];
      const { code, stdout } = await waitForCli(args, { cwd: folder });
      expect(code).toBe(1);
      expect(stdout).not.toContain(SECRET);
      expect(stdout).not.toMatch(HARMFUL);
    }
  });
});

/** Notes that no guard writes, in records whose hashes fit. */
const NOTES: readonly unknown[] = [
  { verdict: SECRET },
  { verdict: null, call: 7 },
  { verdict: { kind: SECRET, rule: { file: SECRET } }, call: { tool: "pay" } },
  { verdict: { kind: "allow" }, call: { tool: { toString: SECRET } } },
  { verdict: { kind: "block", reason: "__proto__" }, call: { tool: "__proto__", fields: [SECRET], digest: 7 } },
  { verdict: { kind: "allow", would: { kind: "allow", would: 7 } }, call: { tool: "pay" }, mode: SECRET },
  { verdict: { kind: "block" }, answer: SECRET },
  { verdict: { kind: "block" }, answer: { approvalId: {}, end: SECRET } },
  { verdict: { kind: "block" }, resumed: [SECRET] },
  { verdict: { kind: "allow" }, step: true, mode: {} },
  { settlement: SECRET },
  { settlement: { callId: {}, outcome: SECRET, accepted: 1 } },
  { opened: SECRET, migrated: SECRET, principal: {} },
];

describe("a store that somebody wrote to", () => {
  it.each(NOTES.map((note) => [JSON.stringify(note).slice(0, 60), note]))(
    "does not stop an audit: %s",
    async (_name, note) => {
      const store = await memory();
      const guard = await paymentGuard(store);
      await guard.propose(pay(10));
      const artifact = artifactOf(PAYMENTS);
      for (const place of [0, 1]) {
        const forged = await rewritten(
          store,
          inStream(`session/${SESSION}`, (content) =>
            relinked({
              ...content,
              records: content.records.map((record, index) =>
                index === place ? { ...record, data: rehashed({ ...JSON.parse(record.data), note }) } : record,
              ),
            }),
          ),
        );
        const setting = { artifact, principals: new Map(), env: {}, session: null };
        const reports = [await verifyStore(forged), (await replayStore(forged, setting)).result];
        expect(JSON.stringify(reports)).not.toContain(SECRET);
        expect(reports.some(({ ok }) => !ok)).toBe(true);
      }
    },
  );
});
