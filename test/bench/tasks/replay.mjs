import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../../dist/cli/main.js";
import { readLines } from "../../../dist/cli/read-lines.js";
import { median } from "../measure.mjs";
import { recordedSessions } from "../scenario/recorded-sessions.mjs";

const SESSIONS = 6000;
const ROUNDS = 9;

function busyMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function measured(task) {
  const before = busyMs();
  await task();
  return busyMs() - before;
}

/** Processor milliseconds for parsing a file line by line, and for replaying it, taking turns. */
export async function measure({ pack }) {
  const folder = mkdtempSync(join(tmpdir(), "bench-replay-"));
  const quiet = { write() {} };
  const terminal = { cwd: folder, env: {}, stdout: quiet, stderr: quiet };
  try {
    writeFileSync(join(folder, "sessions.jsonl"), recordedSessions(SESSIONS));
    await main(["compile", pack, "--out", "artifact.json"], terminal);
    const parse = async () => {
      let calls = 0;
      for await (const line of readLines(join(folder, "sessions.jsonl"), "sessions.jsonl")) {
        if (line !== "") calls += JSON.parse(line).calls.length;
      }
      return calls;
    };
    const replay = async () => {
      const code = await main(["replay", "artifact.json", "sessions.jsonl", "--format", "json"], terminal);
      if (code !== 0) throw new Error("a recorded call is refused");
    };
    const [parsing, replaying] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      parsing.push(await measured(parse));
      replaying.push(await measured(replay));
    }
    return { parse: median(parsing), replay: median(replaying), calls: await parse() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
