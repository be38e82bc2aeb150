import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A process of its own, which says what it does in lines on its standard output. */
export interface Worker {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Waits until it says this line, or ends without. */
  said(line: string): Promise<void>;
  /** How it ended: its exit code or signal, and what it wrote on standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stderr: string }>;
}

/** How a process is started: by another command, or as another user. */
interface Start {
  readonly command?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts a script of `processes/` and hands it its work; it is ended with the test. */
export function startWorker(script: string, work: object, { command = [], ...user }: Start = {}): Worker {
  const file = fileURLToPath(new URL(`processes/${script}.mjs`, import.meta.url));
  // Its standard input stays open: some end with it.
  const [program = "", ...args] = [...command, process.execPath, file, JSON.stringify(work)];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], ...user });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines: string[] = [];
  let [rest, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const line of parts) child.emit("line", line);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stderr }));
  const said = async (line: string) => {
    const isSaid = () => lines.includes(line);
    while (!isSaid() && child.exitCode === null && child.signalCode === null) {
      await Promise.race([once(child, "line"), ended]);
    }
  };
  return { child, lines, said, ended };
}
