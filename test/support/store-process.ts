import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { StoreOptions } from "../../src/stores/open-store.js";

interface Work {
  readonly url: string;
  readonly writer: string;
  /** Null: until it is ended. */
  readonly count: number | null;
  readonly stream: string;
  readonly options?: StoreOptions;
}

/** A process of its own that appends to a store. */
export interface StoreProcess {
  readonly child: ChildProcess;
  /** The data of the appends that were answered, so far. */
  readonly answered: readonly string[];
  /** How it ended, with what it said on standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts one; it is ended with the test. */
export function startStoreProcess(work: Work): StoreProcess {
  const file = fileURLToPath(new URL("store-process.mjs", import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(work)], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const answered: string[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    answered.push(...lines.filter((line) => line.startsWith(`${work.writer}-`)));
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, stderr }));
  });
  return { child, answered, ended };
}
