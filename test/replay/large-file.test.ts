import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/run-cli.js";
import { sizeOf } from "../support/size.js";

const MEBIBYTE = 1024 * 1024;
const LARGE = sizeOf("REPLAY_MEBIBYTES", { share: 24, full: 1024 });
/** Large enough that everything is compiled, and the heap is as large as it gets. */
const SMALL = LARGE / 8;

interface Scenario {
  readonly recordedSessions: (count: number) => string;
}

let folder = "";
let sessions = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "replay-large-"));
  const { recordedSessions }: Scenario = await import(`${REPOSITORY}test/bench/scenario/recorded-sessions.mjs`);
  sessions = recordedSessions(500);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of at least so many bytes, and the calls in it. */
function recorded(name: string, bytes: number): number {
  const file = openSync(join(folder, name), "w");
  const times = Math.ceil(bytes / sessions.length);
  for (let at = 0; at < times; at++) writeSync(file, sessions);
  closeSync(file);
  return 500 * times;
}

/** Replays a file in a process of its own: its peak of memory, and the sessions that it counted. */
function replayed(name: string) {
  const args = ["replay", join(REPOSITORY, "contracts/trading"), name, "--report", `${name}.html`];
  const flags = ["--max-old-space-size=96", "--import", join(REPOSITORY, "test/replay/peak-memory.mjs")];
  const command = [...flags, join(REPOSITORY, "bin/contracts.js"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: "utf8" });
  const peak = Number(/^peak (\d+) KB$/m.exec(stderr)?.[1]);
  return { status, peak, sessions: Number(/^(\d+) sessions/m.exec(stdout)?.[1]) };
}

describe("contracts replay on a large file", () => {
  it(`takes no more memory for ${LARGE} MB than for an eighth of it`, { timeout: 600_000 }, () => {
    const few = recorded("small.jsonl", SMALL * MEBIBYTE);
    const many = recorded("large.jsonl", LARGE * MEBIBYTE);
    const small = replayed("small.jsonl");
    const large = replayed("large.jsonl");
    expect(small).toMatchObject({ status: 0, sessions: few });
    expect(large).toMatchObject({ status: 0, sessions: many });
    expect(large.peak / small.peak).toBeLessThan(1.5);
  });
});
