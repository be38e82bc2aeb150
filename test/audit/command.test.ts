import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { openStore } from "../../src/stores/open-store.js";
import { loadDriver } from "../../src/stores/sqlite/driver.js";
import { newSchema, POSTGRES } from "../support/postgres-database.js";
import { runSql } from "../support/postgres-server.js";
import { randomFrom } from "../support/random.js";
import { rehashed } from "../support/rewritten-store.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";
import { seedOf } from "../support/seed.js";
import { storeFolder } from "../support/store-folder.js";
import { type PlayedPack, playedPack, RandomSession } from "./random-session.js";

const SEED = seedOf("AUDIT_SEED", 20_261_118);

/** A folder with a store, its artifact, the principal and a pair of keys. */
interface Place {
  readonly folder: string;
  readonly store: string;
  readonly pack: PlayedPack;
}

type NewUrl = () => string | Promise<string>;

/** The stores, as somebody in the folder names them. */
const KINDS: readonly (readonly [string, NewUrl])[] = [
  ["a sqlite", () => "sqlite:./guard.db"],
  ...(POSTGRES === null ? [] : [["a postgres", () => newSchema()] as const]),
];

async function place(newUrl: NewUrl = () => "sqlite:./guard.db", folder = storeFolder()): Promise<Place> {
  const pack = playedPack("refunds");
  const url = await newUrl();
  const store = await openStore(url, { cwd: folder, synchronous: "normal" });
  for (const [run, sessionId] of ["b", "a", "c\u001b[31m"].entries()) {
    await new RandomSession(pack, store, randomFrom(SEED, run)).play(sessionId, 40);
  }
  await store.close();
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(join(folder, "public.pem"), publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(join(folder, "artifact.json"), encodeArtifact(pack.artifact));
  writeFileSync(join(folder, "other-artifact.json"), encodeArtifact(playedPack("minimal").artifact));
  writeFileSync(join(folder, "principal.json"), JSON.stringify(pack.principal));
  return { folder, store: url, pack };
}

/** Runs the command in a folder. */
async function contracts({ folder }: Pick<Place, "folder">, ...args: readonly string[]) {
  const { code: status, stdout, stderr } = await waitForCli(["audit", ...args], { cwd: folder });
  return { status, stdout, stderr };
}

function reportOf(stdout: string) {
  return JSON.parse(stdout);
}

/** Changes a text in the records of a session from the second on, in the tables themselves. */
async function damage({ folder, store }: Place, from: string, to: string): Promise<void> {
  const changed = `update contract_guard_records set data = replace(data, '${from}', '${to}') where revision > 1 and stream =`;
  if (store.startsWith("postgres")) {
    await runSql(store, `${changed} convert_to('session/a', 'UTF8')`);
    return;
  }
  const { DatabaseSync } = await loadDriver();
  const database = new DatabaseSync(join(folder, "guard.db"));
  database.exec(`${changed} 'session/a'`);
  database.close();
}

describe.each(KINDS)("contracts audit on %s store", (_, newUrl) => {
  it("exports, verifies and signs", async () => {
    const at = await place(newUrl);
    const { status, stdout } = await contracts(at, "export", at.store);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    const { head } = JSON.parse(lines.at(-1) ?? "");
    expect(head.records).toBe(lines.length - 1);
    expect(head.sessions.map(({ session }: { session: string }) => session)).toEqual(["a", "b", "c\u001b[31m"]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ session: "a", n: 1, note: { opened: { session: "a" } } });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be printed
    expect(stdout).not.toMatch(/[\u001b\u009b]/);

    expect(await contracts(at, "export", at.store, "-o", "log.jsonl")).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(at.folder, "log.jsonl"), "utf8")).toBe(stdout);
    expect(statSync(join(at.folder, "log.jsonl")).mode & 0o777).toBe(0o600);
    // An earlier export is replaced, whatever it is longer by, and so is a file that is empty.
    writeFileSync(join(at.folder, "log.jsonl"), `${stdout}${stdout}`);
    writeFileSync(join(at.folder, "empty.jsonl"), "");
    for (const file of ["log.jsonl", "empty.jsonl"]) {
      expect((await contracts(at, "export", at.store, "-o", file)).status).toBe(0);
      expect(readFileSync(join(at.folder, file), "utf8")).toBe(stdout);
    }

    for (const source of [at.store, "log.jsonl"]) {
      const verified = await contracts(at, "verify", source, "--format", "json");
      expect(verified.status).toBe(0);
      expect(reportOf(verified.stdout)).toEqual({ ok: true, records: head.records, sessions: 3, problems: [] });
      expect((await contracts(at, "verify", source)).stdout).toBe(
        `${head.records} records of 3 sessions: no problems\n`,
      );
      expect((await contracts(at, "sign", source, "--key", "key.pem", "-o", "checkpoints.jsonl")).status).toBe(0);
    }
    const checkpoints = readFileSync(join(at.folder, "checkpoints.jsonl"), "utf8").trimEnd().split("\n");
    expect(checkpoints).toHaveLength(6);
    expect(Object.keys(JSON.parse(checkpoints[0] ?? ""))).toEqual([
      "session",
      "count",
      "hash",
      "at",
      "key",
      "signature",
    ]);
    const signed = ["--checkpoints", "checkpoints.jsonl", "--public-key", "public.pem"];
    expect((await contracts(at, "verify", "log.jsonl", ...signed)).status).toBe(0);
    expect((await contracts(at, "verify", at.store, ...signed)).status).toBe(0);
    const args = [join(REPOSITORY, "bin/contracts.js"), "audit", "verify", "log.jsonl", ...signed];
    expect(spawnSync(process.execPath, args, { cwd: at.folder, encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: `${head.records} records of 3 sessions: no problems\n`,
      stderr: "",
    });
  });

  it("names what was tampered with, in exit code and output, and signs nothing", async () => {
    const at = await place(newUrl);
    const lines = (await contracts(at, "export", at.store)).stdout.trimEnd().split("\n");
    const evil = lines.findLastIndex((line) => line.includes("c\\u001b")) - 3;
    const forged = lines.map((line, index) => {
      if (index !== evil) return line;
      const { session, ...record } = JSON.parse(line);
      return JSON.stringify({ ...JSON.parse(rehashed({ ...record, at: 7 })), session });
    });
    writeFileSync(join(at.folder, "forged.jsonl"), forged.join("\n"));
    const verified = await contracts(at, "verify", "forged.jsonl", "--format", "json");
    expect(verified.status).toBe(1);
    expect(reportOf(verified.stdout).problems).toMatchObject([{ session: "c\u001b[31m" }]);
    const { status, stdout } = await contracts(at, "verify", "forged.jsonl");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^session `c\ufffd\[31m`, record \d+: does not continue the record before it/);
    expect(await contracts(at, "sign", "forged.jsonl", "--key", "key.pem")).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("nothing was signed"),
    });
  });

  it("names a record that is damaged in the tables of the store", async () => {
    const at = await place(newUrl);
    const lines = (await contracts(at, "export", at.store, "--session", "a")).stdout.split("\n");
    const index = 1 + lines.findIndex((line, place) => place > 0 && line.includes("seen"));
    await damage(at, "seen", "sean");
    const { status, stdout } = await contracts(at, "verify", at.store, "--format", "json");
    expect(status).toBe(1);
    expect(reportOf(stdout).problems).toMatchObject([
      { session: "a", index, what: expect.stringContaining("is damaged") },
    ]);
    expect(await contracts(at, "sign", at.store, "--key", "key.pem")).toMatchObject({ status: 1, stdout: "" });
  });

  it("decides a log again", async () => {
    const at = await place(newUrl);
    const asked = ["replay", at.store, "--artifact", "artifact.json", "--principal", "principal.json"];
    const { status, stdout, stderr } = await contracts(at, ...asked, "--format", "json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const { records } = reportOf((await contracts(at, "verify", at.store, "--format", "json")).stdout);
    const report = reportOf(stdout);
    expect(report).toMatchObject({ ok: true, records, sessions: 3, problems: [] });
    expect(Object.keys(report)).toEqual(["ok", "records", "sessions", "problems", "replayed", "skipped"]);
    expect(report.replayed).toBeGreaterThan(60);
    const one = reportOf((await contracts(at, ...asked, "--session", "a", "--format", "json")).stdout);
    expect(one).toMatchObject({ ok: true, sessions: 1 });
    const without = await contracts(at, "replay", at.store, "--artifact", "artifact.json");
    expect(without.status).toBe(0);
    expect(without.stdout).toMatch(/ verdicts decided again\n(?: {2}\d+ .*\n)* {2}\d+ without the policy: /);
  });
});

describe("contracts audit, given something else", () => {
  const folder = mkdtempSync(join(tmpdir(), "audit-"));
  let at: Place;
  let exported: string;

  // One place for all: none of these commands may change it.
  beforeAll(async () => {
    at = await place(undefined, folder);
    exported = (await contracts(at, "export", at.store)).stdout;
    await contracts(at, "sign", at.store, "--key", "key.pem", "-o", "checkpoints.jsonl");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(join(folder, "rsa.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(join(folder, "other.json"), '{ "department": "none" }');
    symlinkSync(join(folder, "principal.json"), join(folder, "link"));
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    [
      "a principal of nobody",
      ["replay", "STORE", "--artifact", "artifact.json", "--principal", "other.json"],
      "`other.json` is not the principal of any verdict: its digest is not recorded",
    ],
    [
      "a principal that is none",
      ["replay", "STORE", "--artifact", "artifact.json", "--principal", "key.pem"],
      "`key.pem` is not JSON",
    ],
    [
      "the artifact of other sessions",
      ["replay", "STORE", "--artifact", "other-artifact.json"],
      "`other-artifact.json` is not the artifact of any record",
    ],
    [
      "an artifact that is none",
      ["replay", "STORE", "--artifact", "principal.json"],
      "`principal.json` is not an artifact",
    ],
    ["a session that is not there", ["export", "STORE", "--session", "nobody"], "the store has no such session"],
    [
      "a session that is not there, and leaves the file as it is",
      ["export", "STORE", "--session", "nobody", "-o", "principal.json"],
      "the store has no such session",
    ],
    ["a store that is not there", ["verify", "sqlite:./none.db"], "there is no file of the store sqlite:./none.db"],
    [
      "a server that is not there",
      ["verify", "postgres://ann:PRIVATE@127.0.0.1:1/guards"],
      "no server is listening there (ECONNREFUSED)",
    ],
    ["a store in memory", ["verify", "memory:"], "a store in memory is gone with its process"],
    ["a store of another kind", ["verify", "MySQL://user:hunter2@host/sessions"], "no such kind of store"],
    ["a file that is not there", ["verify", "none.jsonl"], "`none.jsonl` cannot be read: it does not exist"],
    ["a folder", ["verify", "."], "`.` cannot be read: it is a folder"],
    [
      "checkpoints without a key",
      ["verify", "STORE", "--checkpoints", "x"],
      "give both --checkpoints and --public-key, or neither",
    ],
    [
      "a private key to check with",
      ["verify", "STORE", "--checkpoints", "principal.json", "--public-key", "key.pem"],
      "it is a private key",
    ],
    ["a public key to sign with", ["sign", "STORE", "--key", "public.pem"], "it is not a private key in PEM format"],
    ["a key of another kind", ["sign", "STORE", "--key", "rsa.pem"], "give an Ed25519 key"],
    [
      "a file of something else to add to",
      ["sign", "STORE", "--key", "key.pem", "-o", "principal.json"],
      "cannot write to `principal.json`: it is there already, with other content",
    ],
    [
      "a file of something else to replace",
      ["export", "STORE", "-o", "principal.json"],
      "cannot write to `principal.json`: it is there already, with other content",
    ],
    [
      "its own store to replace",
      ["export", "STORE", "-o", "guard.db"],
      "cannot write to `guard.db`: it is a file of the store itself",
    ],
    [
      "checkpoints to replace",
      ["export", "STORE", "-o", "checkpoints.jsonl"],
      "cannot write to `checkpoints.jsonl`: it is there already, with other content",
    ],
    ["a link to write to", ["export", "STORE", "-o", "link"], "it is a symbolic link"],
    ["a folder that is not there", ["export", "STORE", "-o", "none/log"], "its folder does not exist"],
  ])("reports %s in one line", async (_what, args, message) => {
    const before = readdirSync(folder);
    const { status, stdout, stderr } = await contracts(at, ...args.map((arg) => (arg === "STORE" ? at.store : arg)));
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).not.toMatch(/PRIVATE|hunter2|at .*\.js/);
    expect(readFileSync(join(folder, "principal.json"), "utf8")).toBe(JSON.stringify(at.pack.principal));
    // Whatever was to be written to the store itself: all of it is still there.
    expect((await contracts(at, "export", at.store)).stdout).toBe(exported);
    expect(readdirSync(folder).filter((file) => !/-(?:wal|shm)$/.test(file))).toEqual(
      before.filter((file) => !/-(?:wal|shm)$/.test(file)),
    );
  });
});
