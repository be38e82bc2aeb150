import type { JsonObject } from "../../base/json.js";
import { parseJson } from "../wire/parse-json.js";
import { type DispatchEnvelope, readEnvelope } from "./dispatch-envelope.js";
import { executeRun } from "./execute-run.js";
import { checkRunOptions, type RunOptions } from "./run-options.js";

/** The address of the proxy of a run, and its token. */
export interface CodeRunProxy {
  readonly proxyUrl: string;
  readonly runToken: string;
  readonly signal?: AbortSignal;
}

/** The environment of a run in code mode. */
export interface CodeEnvironment extends CodeRunProxy {
  readonly taskInput: unknown;
  /** The ids of the run, to be logged. */
  readonly runId: string | null;
  readonly taskId: string | null;
  readonly jti: string | null;
}

/** A run without a server: called once, with the task and the proxy of the run; returns the body of the reply. */
export type CodeRun = (taskInput: unknown, proxy: CodeRunProxy) => Promise<JsonObject>;

function envelopeOf(taskInput: unknown, { proxyUrl, runToken }: CodeRunProxy): DispatchEnvelope {
  const read = readEnvelope({ input: taskInput, odyssey_proxy_url: proxyUrl, run_token: runToken }, new Headers());
  if (read.ok) return read.envelope;
  throw new TypeError("a run needs a `proxyUrl` and a `runToken`");
}

/** Makes the entry point of an agent in code mode; the platform captures and grades what it throws. */
export function createCodeRun(options: RunOptions): CodeRun {
  const checked = checkRunOptions(options);
  return async (taskInput, proxy) => {
    const { signal = new AbortController().signal } = proxy;
    const result = await executeRun(envelopeOf(taskInput, proxy), checked, { started: performance.now(), signal });
    if (result.ok) return result.body;
    throw new Error(result.message);
  };
}

/** Reads the six variables that the platform sets for a run in code mode; the error names the one that is missing. */
export function readCodeEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): CodeEnvironment {
  const required = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === "") throw new TypeError(`the environment variable ${name} is not set`);
    return value;
  };
  const taskInput = parseJson(Buffer.from(required("_PIPELINES_TASK_INPUT_JSON")));
  if (taskInput === undefined) throw new TypeError("the environment variable _PIPELINES_TASK_INPUT_JSON is not JSON");
  return {
    taskInput,
    proxyUrl: required("PIPELINES_ODYSSEY_PROXY_URL"),
    runToken: required("PIPELINES_RUN_TOKEN"),
    runId: env.PIPELINES_RUN_ID ?? null,
    taskId: env.PIPELINES_TASK_ID ?? null,
    jti: env.PIPELINES_RUN_TOKEN_JTI ?? null,
  };
}
