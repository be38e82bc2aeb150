import { randomBytes } from "node:crypto";
import { RESPONSE_CONTRACT } from "../response/response-config.js";
import { checkAgentResponse } from "../response/response-contract.js";
import { RESPONSE_WARNINGS } from "../response/response-warnings.js";
import { authHeaders } from "./doctor-auth.js";
import { checked, type DoctorCheck, type DoctorFinding, PASSED, skipped } from "./doctor-check.js";
import type { CheckedDoctorOptions } from "./doctor-options.js";
import { describeReply, doctorPost, isSuccess, type Reply } from "./doctor-post.js";
import { type SeenCall, startDoctorProxy } from "./doctor-proxy.js";

/** Nothing must really happen, even if an agent bypasses the proxy. */
const INSTRUCTION =
  "This is a test of the connection. If you have a tool that only looks something up, call it once. Then answer in one sentence.";
const ID = 1;
const JTI = "contracts-doctor";

function dispatchHeaders(proxyUrl: string, runToken: string): Readonly<Record<string, string>> {
  return {
    "X-Pipelines-Run-Token": runToken,
    "X-Pipelines-Odyssey-Proxy-Url": proxyUrl,
    "X-Pipelines-Run-Id": String(ID),
    "X-Pipelines-Task-Id": String(ID),
    "X-Pipelines-Run-Token-Jti": JTI,
  };
}

function dispatchBody(proxyUrl: string): object {
  return {
    task_id: ID,
    run_id: ID,
    agent_id: ID,
    input: { task_id: ID, user_instruction: INSTRUCTION, input: {} },
    odyssey_proxy_url: proxyUrl,
    run_token_jti: JTI,
  };
}

function judgeReply(reply: Reply): DoctorFinding {
  const found = describeReply(reply);
  if (reply.kind === "timeout") return { status: "fail", found, help: "reply before the run times out" };
  if (!isSuccess(reply)) return { status: "fail", found, help: "answer a whole dispatch with 200 and the reply" };
  if (reply.kind !== "answer") return { status: "fail", found, help: "return the answer alone" };
  const help = "send the reply as JSON, with the content type application/json";
  if (reply.body === undefined) return { status: "fail", found: `${found}, and not with JSON`, help };
  if (reply.isLabelledJson) return { status: "ok", found };
  return { status: "warn", found: `${found}, with another content type than JSON`, help };
}

function judgeResponse(reply: Reply, { rich }: CheckedDoctorOptions): readonly DoctorFinding[] {
  if (reply.kind !== "answer" || !isSuccess(reply) || reply.body === undefined) {
    return [skipped("there is no reply to grade")];
  }
  const { softWarnings } = checkAgentResponse(reply.body, rich ? RESPONSE_CONTRACT : null);
  if (softWarnings.length === 0) return [PASSED];
  return softWarnings.map(({ code, path, message }) => {
    const { fails, help } = RESPONSE_WARNINGS[code];
    return { status: fails ? "fail" : "warn", found: `${path}: ${message}`, help };
  });
}

/** `3 calls: get_order (2), issue_refund`. */
function tally(calls: readonly SeenCall[]): string {
  const counts = new Map<string, number>();
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const names = [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} (${count})`));
  return `${calls.length} ${calls.length === 1 ? "call" : "calls"}: ${names.join(", ")}`;
}

function isLocal(url: string): boolean {
  return /^(?:localhost|127\.[0-9.]+|\[::1\])$/.test(new URL(url).hostname);
}

function judgeSilence({ url }: CheckedDoctorOptions, declared: readonly string[] | null): DoctorFinding {
  if (declared === null) return { status: "ok", found: "no call" };
  if (declared.length === 0) return { status: "ok", found: "no call, and no tools are declared" };
  const help = isLocal(url)
    ? "let every tool send its call to the proxy of the run; the platform warns of a run without calls too"
    : "run this check on the same machine as the endpoint: its proxy listens on this machine only";
  return { status: "warn", found: "no call, though tools are declared", help };
}

function judgeCalls(
  calls: readonly SeenCall[],
  options: CheckedDoctorOptions,
  declared: readonly string[] | null,
): readonly DoctorFinding[] {
  if (calls.length === 0) return [judgeSilence(options, declared)];
  const unauthorised = calls.filter((call) => !call.isAuthorised);
  const shapeless = calls.filter((call) => call.isAuthorised && !call.hasArguments);
  const sound = calls.filter((call) => call.isAuthorised && call.hasArguments);
  const unknown = sound.filter(({ tool }) => declared !== null && !declared.includes(tool));
  const findings: readonly (readonly [readonly SeenCall[], DoctorFinding])[] = [
    [unauthorised, { status: "fail", found: "without the run token, ", help: "send the token of this very dispatch" }],
    [shapeless, { status: "fail", found: "without a JSON object, ", help: "send the arguments as the whole body" }],
    [unknown, { status: "warn", found: "of tools that are not declared, ", help: "declare them, or drop the calls" }],
    [sound, { status: "ok", found: "" }],
  ];
  return findings
    .filter(([found]) => found.length > 0)
    .map(([found, finding]) => ({ ...finding, found: `${finding.found}${tally(found)}` }));
}

/** An agent may put its token anywhere, even into the name of a tool. */
function withoutSecrets(finding: DoctorFinding, secrets: readonly (string | null)[]): DoctorFinding {
  const { found } = finding;
  if (found === undefined) return finding;
  return {
    ...finding,
    found: secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, "…") : text), found),
  };
}

/** Dispatches one run, with a proxy of its own for the tools, and judges the reply and the calls. */
export async function examineDispatch(
  options: CheckedDoctorOptions,
  declared: readonly string[] | null,
): Promise<readonly DoctorCheck[]> {
  const runToken = `doctor-${randomBytes(16).toString("hex")}`;
  const proxy = await startDoctorProxy(runToken);
  try {
    const reply = await doctorPost(options.url, {
      headers: { ...dispatchHeaders(proxy.url, runToken), ...authHeaders(options, "right") },
      body: dispatchBody(proxy.url),
      timeoutMs: options.timeoutMs,
    });
    const hidden = (finding: DoctorFinding) => withoutSecrets(finding, [runToken, options.token]);
    return [
      checked("dispatch", judgeReply(reply)),
      ...judgeResponse(reply, options).map((finding) => checked("response", hidden(finding))),
      ...judgeCalls(proxy.calls, options, declared).map((finding) => checked("tool_calls", hidden(finding))),
    ];
  } finally {
    await proxy.close();
  }
}
