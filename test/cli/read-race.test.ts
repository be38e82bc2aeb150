import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { diskTree } from "../../src/language/file-tree.js";

/** What another process does right before a call of the file system; the calls themselves are real. */
const meanwhile = vi.hoisted(() => new Map<string, () => void>());

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const watched = <A extends unknown[], R>(name: string, call: (...args: A) => R) => {
    return (...args: A): R => {
      const act = meanwhile.get(name);
      meanwhile.delete(name);
      act?.();
      return call(...args);
    };
  };
  return {
    ...real,
    lstatSync: watched("lstat", real.lstatSync),
    openSync: watched("open", real.openSync),
    readdirSync: watched("readdir", real.readdirSync),
  };
});

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "race-"));
  mkdirSync(join(base, "pack", "role"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "pack", "role", "t.yaml"), "inside");
  writeFileSync(join(base, "outside", "t.yaml"), "a secret");
  writeFileSync(join(base, "outside", "secret.yaml"), "a secret");
});

afterEach(() => {
  meanwhile.clear();
  rmSync(base, { recursive: true, force: true });
});

/** Puts a link to another folder in the place of one that was looked at. */
function swap(): void {
  renameSync(join(base, "pack", "role"), join(base, "pack", "gone"));
  symlinkSync(join(base, "outside"), join(base, "pack", "role"));
}

describe.skipIf(process.platform !== "linux")("a folder that becomes a link while a pack is read", () => {
  const tree = () => diskTree(join(base, "pack"));

  it("reads a file that is not changed", () => {
    expect(tree().list("role")).toEqual(["t.yaml"]);
    expect(tree().read("role/t.yaml")).toMatchObject({ kind: "bytes", bytes: Buffer.from("inside") });
  });

  it.each(["lstat", "open"])("gives nothing of a file outside: before %s", (call) => {
    meanwhile.set(call, swap);
    expect(tree().read("role/t.yaml")).toEqual({ kind: "unreadable", cause: "it changed while it was read" });
    expect(meanwhile.size).toBe(0);
  });

  it.each(["open", "readdir"])("gives no name of a file outside: before %s", (call) => {
    meanwhile.set(call, swap);
    expect(tree().list("role") ?? []).not.toContain("secret.yaml");
    expect(meanwhile.size).toBe(0);
  });
});
