import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { encodeArtifact } from "../../src/artifact/encode.js";

/** A guard in a process of its own, with the calls that it is asked to make. */
export interface WaitingGuard {
  call(tool: string, args: object): void;
  /** The next thing it says: `{ sent }`, `{ refused }` or `{ asked }`. */
  next(): Promise<Readonly<Record<string, unknown>>>;
}

/** Starts one and waits until its session is open; it ends with the test. */
export async function startWaitingGuard(setting: {
  readonly url: string;
  readonly artifact: Artifact;
  readonly sessionId: string;
  readonly requester?: string;
}): Promise<WaitingGuard> {
  const file = fileURLToPath(new URL("waiting-guard.mjs", import.meta.url));
  const given = JSON.stringify({ ...setting, artifact: encodeArtifact(setting.artifact) });
  const child = spawn(process.execPath, [file, given], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the guard ended");
    return JSON.parse(value);
  };
  await next();
  return { next, call: (tool, args) => child.stdin.write(`${JSON.stringify({ tool, args })}\n`) };
}
