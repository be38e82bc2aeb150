import { readProperty } from "../wire/read-property.js";
import type { RunIds } from "./agent.js";

/** The parts of a dispatch. */
export interface DispatchEnvelope {
  readonly userInstruction: string;
  readonly taskInput: unknown;
  readonly history: readonly unknown[];
  readonly proxyUrl: string;
  readonly runToken: string;
  readonly run: RunIds;
}

/** An envelope, or the parts that it lacks. */
export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: DispatchEnvelope }
  | { readonly ok: false; readonly missing: readonly string[] };

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Numbers in the body, decimal texts in headers. */
function idOf(value: unknown): number | null {
  const id = typeof value === "string" && /^[0-9]+$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : null;
}

/** Reads the envelope of a dispatch: from the body, or from headers if an edge proxy removed a field. */
export function readEnvelope(body: unknown, headers: Headers): ReadEnvelope {
  const proxyUrl = textOf(readProperty(body, "odyssey_proxy_url")) ?? headers.get("x-pipelines-odyssey-proxy-url");
  const runToken = textOf(readProperty(body, "run_token")) ?? headers.get("x-pipelines-run-token");
  const missing = [
    ...(proxyUrl ? [] : ["odyssey_proxy_url in the body or the header X-Pipelines-Odyssey-Proxy-Url"]),
    ...(runToken ? [] : ["the header X-Pipelines-Run-Token"]),
  ];
  if (!proxyUrl || !runToken) return { ok: false, missing };
  const input = readProperty(body, "input");
  const history = readProperty(input, "messages");
  return {
    ok: true,
    envelope: {
      userInstruction: textOf(readProperty(input, "user_instruction")) ?? "",
      taskInput: readProperty(input, "input") ?? {},
      history: Array.isArray(history) ? history : [],
      proxyUrl,
      runToken,
      run: {
        runId: idOf(readProperty(body, "run_id")) ?? idOf(headers.get("x-pipelines-run-id")),
        taskId:
          idOf(readProperty(body, "task_id")) ??
          idOf(readProperty(input, "task_id")) ??
          idOf(headers.get("x-pipelines-task-id")),
        agentId: idOf(readProperty(body, "agent_id")),
        jti: textOf(readProperty(body, "run_token_jti")) ?? headers.get("x-pipelines-run-token-jti"),
      },
    },
  };
}
