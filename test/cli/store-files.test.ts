import { generateKeyPairSync } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { openStore } from "../../src/stores/open-store.js";
import { loadDriver } from "../../src/stores/sqlite/driver.js";
import { callIdOf, PAYMENTS, pay, paymentGuard, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { newSchema, POSTGRES } from "../support/postgres-database.js";
import { runSql } from "../support/postgres-server.js";
import { waitForCli } from "../support/run-cli.js";
import { storeFolder } from "../support/store-folder.js";

const BY = ["--by", "ann", "--why", "the bank says so"];
const APPROVAL = `approval_1@${SESSION}`;

/** Every command on a store, as it is called in a folder with a key and an artifact. */
const commands = (store: string): readonly (readonly string[])[] => [
  ["sessions", "list", store],
  ["sessions", "show", store, SESSION],
  ["sessions", "unsettled", store],
  ["sessions", "settle", store, SESSION, "call_1", "--as", "happened", ...BY],
  ["sessions", "acknowledge", store, SESSION, "call_1", "--as", "happened", ...BY],
  ["sessions", "kill", store, SESSION, ...BY],
  ["sessions", "label", store, SESSION, "hot", ...BY],
  ["approvals", "list", store],
  ["approvals", "show", store, APPROVAL],
  ["approvals", "approve", store, APPROVAL, ...BY],
  ["approvals", "deny", store, APPROVAL, ...BY],
  ["workflows", "list", store],
  ["workflows", "show", store, "w"],
  ["audit", "export", store],
  ["audit", "verify", store],
  ["audit", "sign", store, "--key", "key.pem"],
  ["audit", "replay", store, "--artifact", "artifact.json"],
];

/** A folder with a key and an artifact. */
function folderWithKey(): string {
  const folder = storeFolder();
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(join(folder, "artifact.json"), encodeArtifact(artifactOf(PAYMENTS)));
  return folder;
}

/** A store with some sessions, as the bytes of its file. */
async function storedIn(folder: string, sessions: number): Promise<Buffer> {
  const store = await openStore("sqlite:guard.db", { cwd: folder, synchronous: "normal" });
  for (let at = 0; at < sessions; at++) {
    const guard = await paymentGuard(store, at === 0 ? {} : { sessionId: `${SESSION}-${at}` });
    for (let call = 0; call < 5; call++) {
      await guard.settle(callIdOf(await guard.propose(pay(1))), { kind: "result", output: {} });
    }
  }
  await store.close();
  return readFileSync(join(folder, "guard.db"));
}

const changed = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at);
  return copy;
};

describe("a damaged file", () => {
  it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    [
      "a text",
      () => Buffer.from("no database\n".repeat(400)),
      /is not an SQLite database; correct its path, or restore/,
    ],
    ["another first byte", (bytes) => changed(bytes, 0), /is not an SQLite database/],
    ["another page size", (bytes) => changed(bytes, 16), /is not an SQLite database/],
    ["another format", (bytes) => changed(bytes, 47), /is damaged, or has tables of something else; restore it/],
    ["half of it", (bytes) => bytes.subarray(0, bytes.length / 2), /is damaged; restore it from a backup/],
    ["its first page", (bytes) => bytes.subarray(0, 4096), /is damaged; restore it from a backup/],
    [
      "zeros behind its first page",
      (bytes) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096)]),
      /is damaged; restore it/,
    ],
  ])("is named by openStore and by a command: %s", async (_what, damage, words) => {
    const folder = folderWithKey();
    writeFileSync(join(folder, "guard.db"), damage(await storedIn(folder, 3)));
    await expect(openStore("sqlite:guard.db", { cwd: folder })).rejects.toThrow(words);
    const { code, stdout, stderr } = await waitForCli(["audit", "verify", "sqlite:guard.db"], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("is named by every command where only reading finds it out", async () => {
    const folder = folderWithKey();
    // How many pages there are: the tree of the sessions leads beyond.
    writeFileSync(join(folder, "guard.db"), changed(await storedIn(folder, 40), 31));
    const said = /the store sqlite:guard\.db(?: is|: the file is) damaged/;
    for (const args of commands("sqlite:guard.db")) {
      const { code, stdout, stderr } = await waitForCli(args, { cwd: folder });
      expect([1, 2]).toContain(code);
      expect(`${stdout}${stderr}`).toMatch(said);
    }
  });
});

describe("where there is no store", () => {
  const none = /there is no store at .*: correct its address, or set one up with `contracts store migrate /;

  it.each<[string, (path: string) => Promise<void>]>([
    ["an empty file", async (path) => writeFileSync(path, "")],
    [
      "a database of something else",
      async (path) => {
        const { DatabaseSync } = await loadDriver();
        const connection = new DatabaseSync(path);
        connection.exec("create table notes (text text)");
        connection.close();
      },
    ],
  ])("every command says so and changes nothing: %s", async (_what, make) => {
    const folder = folderWithKey();
    const path = join(folder, "guard.db");
    await make(path);
    const [bytes, files] = [readFileSync(path), readdirSync(folder)];
    const some = bytes.length === 0 ? ["list", "verify", "kill"] : null;
    for (const args of commands("sqlite:guard.db").filter(([, verb = ""]) => some?.includes(verb) ?? true)) {
      const { code, stdout, stderr } = await waitForCli(args, { cwd: folder });
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      expect(stderr).toMatch(none);
    }
    expect(readFileSync(path)).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(files);
    const { stdout } = await waitForCli(["store", "migrate", "sqlite:guard.db"], { cwd: folder });
    expect(stdout).toBe("sqlite:guard.db: set up with schema 1\n");
    expect((await waitForCli(["sessions", "list", "sqlite:guard.db"], { cwd: folder })).stdout).toBe("no sessions\n");
  });

  it.skipIf(POSTGRES === null)("every command says so and changes nothing: a database without our tables", async () => {
    const folder = folderWithKey();
    const url = await newSchema();
    for (const args of commands(url)) {
      const { code, stdout, stderr } = await waitForCli(args, { cwd: folder });
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      expect(stderr).toMatch(none);
    }
    const tables = "select count(*)::int as found from pg_tables where schemaname = current_schema()";
    expect(await runSql(url, tables)).toEqual([{ found: 0 }]);
    await (await openStore(url)).close();
    expect((await waitForCli(["sessions", "list", url])).stdout).toBe("no sessions\n");
  });
});

it.skipIf(POSTGRES === null)(
  "a user who may only read looks at a store, and is told that nothing is recorded",
  async () => {
    const url = await newSchema();
    const store = await openStore(url);
    const guard = await paymentGuard(store);
    await guard.propose(pay(120));
    const role = `auditor_${process.pid}`;
    const [{ schema } = {}] = await runSql(url, "select current_schema() as schema");
    await runSql(
      url,
      `create role ${role} login`,
      `grant usage on schema ${schema} to ${role}`,
      `grant select on all tables in schema ${schema} to ${role}`,
    );
    const auditor = new URL(url);
    auditor.username = role;
    for (const args of [
      ["sessions", "list"],
      ["approvals", "list"],
      ["audit", "verify"],
    ]) {
      expect(await waitForCli([...args, auditor.href])).toMatchObject({ code: 0, stderr: "" });
    }
    const { code, stderr } = await waitForCli(["approvals", "approve", auditor.href, APPROVAL, ...BY]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^contracts: the store postgres:.* cannot be written: nothing was changed; /),
    });
    await store.close();
    await runSql(url, `drop owned by ${role}`, `drop role ${role}`);
  },
);

it.each([["verify"], ["sign", "--key", "key.pem"]])(
  "a store that is named as a file is no export: audit %s",
  async (verb, ...more) => {
    const folder = folderWithKey();
    await storedIn(folder, 1);
    const { code, stdout, stderr } = await waitForCli(["audit", verb, "guard.db", ...more], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const named = "`guard.db` is an SQLite database and no export: as a store it is `sqlite:guard.db`";
    expect(stderr).toBe(`contracts: ${named}\n`);
  },
);

describe("a file of the store itself", () => {
  it.each(["guard.db", "guard.db-wal", "guard.db-shm", "hard.db", "link.db", "folder/guard.db", "folder/guard.db-wal"])(
    "is not written over by what is read from it: %s",
    async (out) => {
      const folder = folderWithKey();
      await storedIn(folder, 1);
      linkSync(join(folder, "guard.db"), join(folder, "hard.db"));
      symlinkSync("guard.db", join(folder, "link.db"));
      symlinkSync(folder, join(folder, "folder"));
      const before = readFileSync(join(folder, "guard.db"));
      const audits = [
        ["export", "sqlite:guard.db"],
        ["sign", "sqlite:link.db", "--key", "key.pem"],
      ];
      for (const audit of audits) {
        const { code, stderr } = await waitForCli(["audit", ...audit, "-o", out], { cwd: folder });
        expect(code).toBe(2);
        expect(stderr).toBe(`contracts: cannot write to \`${out}\`: it is a file of the store itself\n`);
      }
      expect(readFileSync(join(folder, "guard.db"))).toEqual(before);
      expect(existsSync(join(folder, "guard.db-wal"))).toBe(false);
    },
  );

  it("is another one in a folder with other files", async () => {
    const folder = folderWithKey();
    await storedIn(folder, 1);
    mkdirSync(join(folder, "logs"));
    const args = ["audit", "export", "sqlite:guard.db", "-o", "logs/guard.db", "--format", "json"];
    const { code, stdout } = await waitForCli(args, { cwd: folder });
    const lines = readFileSync(join(folder, "logs/guard.db"), "utf8").trimEnd().split("\n");
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: { file: "logs/guard.db", lines: lines.length },
    });
  });
});

it("every command on a store prints JSON where it is asked to", async () => {
  const folder = folderWithKey();
  await storedIn(folder, 1);
  const [sign = "", ...rest] = ["audit", "sign", "sqlite:guard.db", "--key", "key.pem", "--format", "json"];
  const signed = await waitForCli([sign, ...rest, "-o", "signed.jsonl"], { cwd: folder });
  expect(JSON.parse(signed.stdout)).toEqual({ file: "signed.jsonl", lines: 1 });
  expect(JSON.parse((await waitForCli([sign, ...rest], { cwd: folder })).stdout)).toMatchObject({ session: SESSION });
  const exported = await waitForCli(["audit", "export", "sqlite:guard.db", "--format", "json"], { cwd: folder });
  const lines = exported.stdout.trimEnd().split("\n");
  expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
  // Cut off: nothing is signed.
  writeFileSync(join(folder, "cut.jsonl"), lines.slice(0, -1).join("\n"));
  const cut = ["audit", "sign", "cut.jsonl", "--key", "key.pem", "--format", "json"];
  const refused = await waitForCli(cut, { cwd: folder });
  expect(refused).toMatchObject({ code: 1, stderr: "nothing was signed\n" });
  expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false });
});
