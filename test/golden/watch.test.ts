import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { REPOSITORY } from "../support/run-cli.js";

const PACK = `#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: $.amount, lte: 10 }
#== tests/small.yaml
name: small
steps:
  - { call: pay, args: { amount: 1 } }
#== tests/large.yaml
name: large
steps:
  - { call: pay, args: { amount: 11 }, expect: block }
`;

/** Far more than it takes: a machine may be busy. */
const TIMEOUT = 60_000;

/** Everything that the command prints, from its start to some moment. */
class Printed {
  private text = "";
  private seen: () => void = () => {};

  constructor({ stdout }: ChildProcess) {
    stdout?.on("data", (part) => {
      this.text += part;
      this.seen();
    });
  }

  /** What is printed until it waits for changes; the next part begins after it. */
  async untilWaiting(): Promise<string> {
    const end = "waiting for changes\n";
    while (!this.text.includes(end)) await new Promise<void>((resolve) => (this.seen = resolve));
    const at = this.text.indexOf(end) + end.length;
    const part = this.text.slice(0, at - end.length);
    this.text = this.text.slice(at);
    return part;
  }
}

/** Changes files of the pack, and reads what the command prints after each change. */
async function play(child: ChildProcess, folder: string): Promise<void> {
  const printed = new Printed(child);
  const pay = readFileSync(join(folder, "pay.yaml"), "utf8");
  expect(await printed.untilWaiting()).toBe("2 tests: 2 passed, 0 failed\n");

  writeFileSync(join(folder, "tests/large.yaml"), "name: large\nsteps: [{ call: pay, args: { amount: 11 } }]\n");
  const changed = await printed.untilWaiting();
  expect(changed).toContain("changed: tests/large.yaml\n");
  expect(changed).toContain("1 test: 0 passed, 1 failed\n");

  appendFileSync(join(folder, "pay.yaml"), "# A comment.\n");
  const all = await printed.untilWaiting();
  expect(all).toContain("changed: pay.yaml\n");
  expect(all).toContain("2 tests: 1 passed, 1 failed\n");

  writeFileSync(join(folder, "notes.txt.swp"), "of an editor");
  appendFileSync(join(folder, "pay.yaml"), "unknown_key: 1\n");
  const broken = await printed.untilWaiting();
  expect(broken).toContain("changed: pay.yaml\n");
  expect(broken).toContain("error:");

  const small = join(folder, "tests/small.yaml");
  writeFileSync(small, "name: [\n");
  expect(await printed.untilWaiting()).toContain("changed: tests/small.yaml\n");
  writeFileSync(join(folder, "pay.yaml"), pay);
  expect(await printed.untilWaiting()).toContain("error:");
  writeFileSync(small, "name: small\nsteps: [{ call: pay, args: { amount: 1 } }]\n");
  // Nothing was played since the contract was changed.
  expect(await printed.untilWaiting()).toContain("2 tests: 1 passed, 1 failed\n");

  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([1, null]);
}

describe("contracts test --watch", () => {
  it(
    "plays a changed scenario alone and everything after another change, until it is interrupted",
    () =>
      inPack(PACK, async (folder) => {
        // Both outputs through one pipe, so that their order is kept.
        const command = [process.execPath, join(REPOSITORY, "bin/contracts.js"), "test", ".", "--watch"];
        const child = spawn("sh", ["-c", 'exec "$0" "$@" 2>&1', ...command], { cwd: folder });
        try {
          await play(child, folder);
        } finally {
          child.kill("SIGKILL");
        }
      }),
    TIMEOUT,
  );
});
