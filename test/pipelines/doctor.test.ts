import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DoctorArguments, doctorCommand } from "../../src/cli/commands/doctor.js";
import { UsageError } from "../../src/cli/exit-code.js";
import { type DoctorReport, runDoctor } from "../../src/pipelines/doctor/doctor.js";
import { CHECKS, type DoctorCheckId } from "../../src/pipelines/doctor/doctor-check.js";
import { DoctorOptionError, type DoctorOptions } from "../../src/pipelines/doctor/doctor-options.js";
import { artifactOf } from "../support/guard-artifact.js";
import { endpointOf } from "./endpoint.js";
import { isRecord } from "./platform/json.js";
import { agentOf, platformOf } from "./platform/platform-of.js";
import { refusedUrl } from "./platform/raw-socket.js";
import type { Received } from "./platform/receive.js";
import { sendJson } from "./platform/send-json.js";
import type { AgentReply } from "./platform/stub-agent.js";

const TOKEN = "inbound-secret-4521";
const TOOLS = [{ name: "get_order", input_schema: { type: "object" } }];
const ANSWER = { final_response: "The order is on its way." };

type Work = (response: ServerResponse, request: Received) => unknown;

interface Manners {
  readonly isAuthorised?: (request: Received) => boolean;
  readonly isPing?: (request: Received) => boolean;
  readonly refuse?: Work;
  readonly refuseEnvelope?: Work;
  readonly work?: Work;
}

/** An endpoint that does everything right but for the manners it is given. */
function endpoint(manners: Manners = {}): AgentReply {
  const {
    isAuthorised = ({ headers }) => headers.authorization === `Bearer ${TOKEN}`,
    isPing = ({ text }) => text === '{"ping":true}',
    refuse = (response) => sendJson(response, 401, { error: "unauthorised" }),
    refuseEnvelope = (response) => sendJson(response, 400, { error: "no proxy" }),
    work = (response) => sendJson(response, 200, ANSWER),
  } = manners;
  return (response, request) => {
    if (!isAuthorised(request)) refuse(response, request);
    else if (isPing(request)) sendJson(response, 200, { ok: true });
    else if (request.body?.odyssey_proxy_url === undefined) refuseEnvelope(response, request);
    else work(response, request);
  };
}

/** Calls a tool as the dispatch says, with another token or body where one is given. */
async function callTool({ body, headers }: Received, tool: string, text = "{}", token?: string) {
  const authorization = `Bearer ${token ?? headers["x-pipelines-run-token"]}`;
  const init = { method: "POST", headers: { authorization, connection: "close" }, body: text };
  const reply = await fetch(`${body?.odyssey_proxy_url}/tools/${tool}`, init);
  return { status: reply.status, envelope: await reply.json() };
}

/** Calls these tools one after the other, then answers. */
function calling(...tools: readonly string[]): Work {
  return async (response, request) => {
    for (const tool of tools) await callTool(request, tool);
    sendJson(response, 200, ANSWER);
  };
}

async function examined(reply: AgentReply, options: Partial<DoctorOptions> = {}): Promise<DoctorReport> {
  const { url } = await agentOf(reply);
  return runDoctor({ url, token: TOKEN, timeoutMs: 5000, ...options });
}

const linesOf = ({ checks }: DoctorReport, id: DoctorCheckId) => checks.filter((check) => check.id === id);
const statusesOf = (report: DoctorReport, id: DoctorCheckId) => linesOf(report, id).map(({ status }) => status);
const failures = ({ checks }: DoctorReport) => checks.filter(({ status }) => status === "fail").map(({ id }) => id);

describe("the doctor", () => {
  it("passes a correct endpoint, and reports each check once, in order", async () => {
    const report = await examined(endpoint({ work: calling("get_order") }), { tools: TOOLS });
    expect(report.ok).toBe(true);
    expect(report.checks.map(({ id }) => id)).toEqual(Object.keys(CHECKS));
    expect(report.checks.filter(({ status }) => status !== "ok").map(({ id }) => id)).toEqual(["proxy_probe"]);
  });

  it("knocks with and without auth before it dispatches, and the token goes only where it belongs", async () => {
    const agent = await agentOf(endpoint());
    await runDoctor({ url: agent.url, token: TOKEN });
    const sent = agent.received.map(({ headers, text }) => [headers.authorization, text]);
    expect(sent.slice(0, -1)).toEqual([
      [undefined, '{"ping":true}'],
      [undefined, "{}"],
      [expect.stringMatching(/^Bearer wrong-[0-9a-f]{32}$/), '{"ping":true}'],
      [TOKEN, '{"ping":true}'],
      [`Bearer ${TOKEN}`, '{"ping":true}'],
      [`Bearer ${TOKEN}`, '{"ping":true,"check":true}'],
      [`Bearer ${TOKEN}`, "{}"],
    ]);
    const dispatch = agent.received.at(-1);
    const proxyUrl = dispatch?.body?.odyssey_proxy_url;
    expect(proxyUrl).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+\/runs\/doctor$/);
    expect(dispatch?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      "x-pipelines-odyssey-proxy-url": proxyUrl,
      "x-pipelines-run-id": "1",
      "x-pipelines-task-id": "1",
      "x-pipelines-run-token-jti": "contracts-doctor",
      "x-pipelines-run-token": expect.stringMatching(/^doctor-[0-9a-f]{32}$/),
    });
    expect(dispatch?.body).toEqual({
      task_id: 1,
      run_id: 1,
      agent_id: 1,
      input: { task_id: 1, user_instruction: expect.any(String), input: {} },
      odyssey_proxy_url: proxyUrl,
      run_token_jti: "contracts-doctor",
    });
  });

  it("uses the header and the scheme of the registration", async () => {
    const isAuthorised = ({ headers }: Received) => headers["x-api-key"] === TOKEN;
    const report = await examined(endpoint({ isAuthorised }), { authHeader: "X-API-Key", scheme: "" });
    expect(report.ok).toBe(true);
    expect(linesOf(report, "ping_bare_token")).toMatchObject([{ status: "skip", found: "the token has no scheme" }]);
  });

  it("cannot reach an endpoint, and skips what depends on it", async () => {
    const report = await runDoctor({ url: await refusedUrl(), token: TOKEN, tools: TOOLS });
    expect(report.ok).toBe(false);
    expect(linesOf(report, "reachable")).toMatchObject([{ status: "fail", found: "no connection (ECONNREFUSED)" }]);
    expect(report.checks.map(({ id }) => id)).toEqual(Object.keys(CHECKS));
    expect(report.checks.filter(({ status }) => status === "skip")).toHaveLength(11);
    expect(statusesOf(report, "tools_schema")).toEqual(["ok"]);
  });

  it("does not wait for an endpoint that never answers", async () => {
    const report = await examined(() => undefined, { timeoutMs: 100 });
    expect(linesOf(report, "reachable")).toMatchObject([{ status: "fail", found: "no answer within 0.1 s" }]);
  });

  it("takes an address that belongs to something else for what it says", async () => {
    const report = await examined((response) => response.writeHead(404).end("<html>"));
    expect(statusesOf(report, "reachable")).toEqual(["ok"]);
    expect(failures(report)).toContain("ping");
  });

  it("follows no redirect, which could carry the token elsewhere", async () => {
    const other = await agentOf(endpoint());
    const report = await examined((response) => response.writeHead(307, { location: other.url }).end());
    expect(linesOf(report, "ping")).toMatchObject([{ status: "fail", found: "answered 307" }]);
    expect(other.received).toEqual([]);
  });
});

describe("the doctor on auth and ping", () => {
  it.each<readonly [string, Manners, readonly DoctorCheckId[]]>([
    [
      "lets everybody in",
      { isAuthorised: () => true },
      ["ping_without_auth", "body_without_auth", "ping_wrong_token", "ping_bare_token"],
    ],
    [
      "answers pings before auth",
      { isAuthorised: ({ text, headers }) => text === '{"ping":true}' || headers.authorization === `Bearer ${TOKEN}` },
      ["ping_without_auth", "ping_wrong_token", "ping_bare_token"],
    ],
    [
      "guards pings only",
      { isAuthorised: ({ text, headers }) => text !== '{"ping":true}' || headers.authorization === `Bearer ${TOKEN}` },
      ["body_without_auth"],
    ],
    [
      "takes any header for the right one",
      { isAuthorised: ({ headers }) => headers.authorization !== undefined },
      ["ping_wrong_token", "ping_bare_token"],
    ],
    [
      "does not compare the whole header",
      { isAuthorised: ({ headers }) => headers.authorization?.endsWith(TOKEN) === true },
      ["ping_bare_token"],
    ],
    [
      "answers a stranger with 400",
      { refuse: (response) => sendJson(response, 400, {}) },
      ["ping_without_auth", "body_without_auth", "ping_wrong_token", "ping_bare_token"],
    ],
    ["reads the envelope before the ping", { isPing: () => false }, ["ping"]],
    ["takes a ping with another key for a ping", { isPing: ({ body }) => body?.ping === true }, ["ping_extra_key"]],
    [
      "runs without an envelope",
      { refuseEnvelope: (response) => sendJson(response, 200, ANSWER) },
      ["ping_extra_key", "empty_envelope"],
    ],
    ["fails without an envelope", { refuseEnvelope: (response) => sendJson(response, 500, {}) }, ["empty_envelope"]],
  ])("fails an endpoint that %s", async (_, manners, expected) => {
    const report = await examined(endpoint(manners));
    expect(report.ok).toBe(false);
    expect(failures(report)).toEqual(expected);
    for (const check of report.checks.filter(({ status }) => status === "fail")) {
      expect(check).toMatchObject({ found: expect.any(String), help: expect.any(String) });
    }
  });

  it("warns of refusals that are not the documented ones", async () => {
    const report = await examined(
      endpoint({
        refuse: (response) => sendJson(response, 403, {}),
        refuseEnvelope: (response) => sendJson(response, 422, {}),
      }),
    );
    expect(report.ok).toBe(true);
    expect(report.checks.filter(({ status }) => status === "warn").map(({ id }) => id)).toEqual([
      "ping_without_auth",
      "body_without_auth",
      "ping_wrong_token",
      "ping_bare_token",
      "empty_envelope",
    ]);
    const plain = await examined(endpoint({ refuseEnvelope: (response) => response.writeHead(400).end("no proxy") }));
    expect(linesOf(plain, "empty_envelope")).toMatchObject([
      { status: "warn", found: "answered 400, and not with JSON" },
    ]);
  });

  it("stops at a token that the endpoint refuses: nothing is dispatched", async () => {
    const agent = await agentOf(endpoint());
    const report = await runDoctor({ url: agent.url, token: "another" });
    expect(linesOf(report, "ping")).toMatchObject([
      { status: "fail", help: expect.stringContaining("`Authorization: Bearer <token>`") },
    ]);
    expect(failures(report)).toEqual(["ping"]);
    expect(statusesOf(report, "dispatch")).toEqual(["skip"]);
    expect(agent.received.filter(({ body }) => body?.input !== undefined)).toEqual([]);
  });

  it("warns of an endpoint without auth where no token was given", async () => {
    const report = await examined(endpoint({ isAuthorised: () => true }), { token: null });
    expect(report.ok).toBe(true);
    expect(linesOf(report, "ping_without_auth")).toMatchObject([{ status: "warn", found: "answered 200" }]);
    expect(statusesOf(report, "ping_wrong_token")).toEqual(["skip"]);
    expect(statusesOf(report, "dispatch")).toEqual(["ok"]);
  });

  it("asks for the token where the endpoint wants one and none was given", async () => {
    const report = await examined(endpoint(), { token: null });
    expect(statusesOf(report, "ping_without_auth")).toEqual(["ok"]);
    expect(linesOf(report, "ping")).toMatchObject([
      { status: "fail", help: expect.stringMatching(/^give the token that it expects/) },
    ]);
  });
});

describe("the doctor on a dispatch", () => {
  const gone: Work = (response) => response.socket?.destroy();
  it.each<readonly [string, Work, string]>([
    ["a status of failure", (response) => sendJson(response, 500, {}), "answered 500"],
    ["no JSON", (response) => response.end("done"), "answered 200, and not with JSON"],
    ["no answer", () => undefined, "no answer within 1 s"],
    [
      "another protocol",
      (response) =>
        response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
      "answered 101",
    ],
    ["a lost connection", gone, "the connection was lost (ECONNRESET)"],
    [
      "a reply without end",
      (response) => response.writeHead(200, { "content-length": 17 * 1024 * 1024 }).write("{"),
      "answered 200 with more than 16777216 bytes",
    ],
  ])("fails %s, and grades nothing", async (_, work, found) => {
    const report = await examined(endpoint({ work }), { timeoutMs: 1000 });
    expect(linesOf(report, "dispatch")).toMatchObject([{ status: "fail", found, help: expect.any(String) }]);
    expect(statusesOf(report, "response")).toEqual(["skip"]);
    expect(failures(report)).toEqual(["dispatch"]);
  });

  it("warns of JSON that is announced as something else", async () => {
    const work: Work = (response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(JSON.stringify(ANSWER));
    const report = await examined(endpoint({ work }));
    expect(statusesOf(report, "dispatch")).toEqual(["warn"]);
    expect(statusesOf(report, "response")).toEqual(["ok"]);
  });

  it("fails a reply without an answer", async () => {
    const report = await examined(endpoint({ work: (response) => sendJson(response, 200, { text: "done" }) }));
    expect(linesOf(report, "response")).toMatchObject([
      { status: "fail", found: expect.stringMatching(/^\$\.final_response: /) },
    ]);
  });

  it("lists each soft warning with its help, and fails nothing for them", async () => {
    const body = { final_response: "", metadata: "s3cret" };
    const report = await examined(endpoint({ work: (response) => sendJson(response, 200, body) }));
    expect(report.ok).toBe(true);
    expect(linesOf(report, "response")).toMatchObject([
      { status: "warn", found: expect.stringMatching(/^\$\.final_response: /), help: expect.any(String) },
      { status: "warn", found: "$.metadata: expected an object, found a string; dropped", help: expect.any(String) },
    ]);
    expect(JSON.stringify(report)).not.toContain("s3cret");
  });

  it("asks for a transcript only by the rich contract", async () => {
    expect(statusesOf(await examined(endpoint()), "response")).toEqual(["ok"]);
    const thin = await examined(endpoint(), { rich: true });
    expect(linesOf(thin, "response")).toMatchObject([
      { status: "fail", found: expect.stringMatching(/^\$\.messages: /) },
    ]);
    const body = { ...ANSWER, messages: [{ role: "assistant", content: ANSWER.final_response }] };
    const rich = await examined(endpoint({ work: (response) => sendJson(response, 200, body) }), { rich: true });
    expect(statusesOf(rich, "response")).toEqual(["ok"]);
  });
});

describe("the doctor's own proxy", () => {
  it("answers every tool with a neutral envelope, and counts the calls", async () => {
    const replies: unknown[] = [];
    const work: Work = async (response, request) => {
      replies.push(await callTool(request, "get_order", '{"order_id":"4521"}'));
      await callTool(request, "get_order");
      await callTool(request, "get_customer");
      sendJson(response, 200, ANSWER);
    };
    const report = await examined(endpoint({ work }));
    expect(replies).toEqual([
      {
        status: 200,
        envelope: {
          tool_name: "get_order",
          response: {},
          source: "odyssey",
          latency_ms: 0,
          matched_rule_index: null,
        },
      },
    ]);
    expect(linesOf(report, "tool_calls")).toMatchObject([
      { status: "ok", found: "3 calls: get_order (2), get_customer" },
    ]);
  });

  it("takes the token in its own header too, and events of the side channel", async () => {
    const replies: unknown[] = [];
    const work: Work = async (response, { body, headers }) => {
      const token = String(headers["x-pipelines-run-token"]);
      const base = String(body?.odyssey_proxy_url);
      for (const path of ["tools/get_order", "traces/thinking"]) {
        const init = { method: "POST", headers: { "x-pipelines-run-token": token, connection: "close" }, body: "{}" };
        const reply = await fetch(`${base}/${path}`, init);
        replies.push(reply.status, await reply.json());
      }
      sendJson(response, 200, ANSWER);
    };
    const report = await examined(endpoint({ work }));
    expect(replies).toMatchObject([200, { response: {} }, 200, { accepted: true, event_type: "thinking" }]);
    expect(linesOf(report, "tool_calls")).toMatchObject([{ status: "ok", found: "1 call: get_order" }]);
  });

  it("warns of declared tools that were not called, and of called tools that were not declared", async () => {
    const silent = await examined(endpoint(), { tools: TOOLS });
    expect(silent.ok).toBe(true);
    expect(linesOf(silent, "tool_calls")).toMatchObject([
      { status: "warn", found: "no call, though tools are declared" },
    ]);
    const foreign = await examined(endpoint({ work: calling("get_order", "delete_order") }), { tools: TOOLS });
    expect(linesOf(foreign, "tool_calls")).toMatchObject([
      { status: "warn", found: "of tools that are not declared, 1 call: delete_order" },
      { status: "ok", found: "2 calls: get_order, delete_order" },
    ]);
    expect(statusesOf(await examined(endpoint()), "tool_calls")).toEqual(["ok"]);
  });

  it("fails calls with another token, and calls without arguments", async () => {
    const replies: number[] = [];
    const work: Work = async (response, request) => {
      replies.push((await callTool(request, "get_order", "{}", "stale")).status);
      replies.push((await callTool(request, "get_order", '["4521"]')).status);
      replies.push((await callTool(request, "get_order", `{}${" ".repeat(1_100_000)}`)).status);
      sendJson(response, 200, ANSWER);
    };
    const report = await examined(endpoint({ work }));
    expect(replies).toEqual([401, 400, 400]);
    expect(linesOf(report, "tool_calls")).toMatchObject([
      { status: "fail", found: "without the run token, 1 call: get_order" },
      { status: "fail", found: "without a JSON object, 2 calls: get_order (2)" },
    ]);
  });

  it("is gone when the report is there", async () => {
    const agent = await agentOf(endpoint());
    await runDoctor({ url: agent.url, token: TOKEN });
    const proxyUrl = agent.received.at(-1)?.body?.odyssey_proxy_url;
    await expect(fetch(`${proxyUrl}/tools/get_order`, { method: "POST" })).rejects.toMatchObject({
      cause: { code: "ECONNREFUSED" },
    });
  });

  it("keeps both tokens out of the report, wherever the agent puts them", async () => {
    let runToken = "";
    const work: Work = async (response, request) => {
      runToken = String(request.headers["x-pipelines-run-token"]);
      await callTool(request, runToken);
      await callTool(request, TOKEN, "{}", "stale");
      sendJson(response, 200, { final_response: TOKEN, messages: [{ role: runToken, [TOKEN]: 1 }], [runToken]: TOKEN });
    };
    const report = await examined(endpoint({ work }), { tools: TOOLS });
    expect(runToken).not.toBe("");
    expect(linesOf(report, "tool_calls")).toHaveLength(3);
    expect(JSON.stringify(report)).not.toContain(runToken);
    expect(JSON.stringify(report)).not.toContain(TOKEN);
  });
});

describe("the doctor on tools", () => {
  const faultsOf = async (tools: unknown) =>
    linesOf(await runDoctor({ url: await refusedUrl(), tools }), "tools_schema").map(({ status, found, help }) => ({
      status,
      found,
      help,
    }));
  const named = (name: string, input_schema: unknown, more: object = {}) => ({ name, input_schema, ...more });

  it("takes a list and both objects that hold one", async () => {
    const sound = [{ status: "ok", found: "1 tool" }];
    expect(await faultsOf(TOOLS)).toMatchObject(sound);
    expect(await faultsOf({ tools: TOOLS })).toMatchObject(sound);
    expect(await faultsOf({ tools_schema: TOOLS })).toMatchObject(sound);
    expect(await faultsOf({ tool: TOOLS })).toMatchObject([{ status: "fail", found: "the tools are an object" }]);
    expect(await faultsOf("tools")).toMatchObject([{ status: "fail", found: "the tools are a string" }]);
  });

  it("lists every fault, not only the first", async () => {
    const tools = [
      named("1st", {}),
      named("a", {}),
      named("a", {}),
      { name: "b" },
      named("c", { type: "objekt" }),
      named("d", {}, { output_schema: { $ref: "#/nowhere" } }),
      { type: "function", function: { name: "e", parameters: { properties: { x: { pattern: "(" } } } } },
    ];
    const faults = await faultsOf(tools);
    expect(faults.map(({ status }) => status)).toEqual(Array(6).fill("fail"));
    expect(faults.map(({ found }) => found)).toEqual([
      'tools[0] has the name "1st"',
      "tools[2] has the name of tools[1], `a`",
      "tools[3] (`b`) has no input schema",
      expect.stringMatching(/^tools\[4\] \(`c`\): `input_schema` is not a JSON Schema: \/type must be /),
      expect.stringMatching(/^tools\[5\] \(`d`\): `output_schema` is not a JSON Schema: .*#\/nowhere/),
      expect.stringMatching(/^tools\[6\] \(`e`\): `parameters` is not a JSON Schema: .*pattern|regular expression/i),
    ]);
    for (const { help } of faults) expect(help).toEqual(expect.any(String));
  });

  it("takes schemas of either draft, whatever they call themselves, and keywords that it does not know", async () => {
    const tuple = { type: "array", items: [{ type: "string" }] };
    const tools = [
      named("a", { $schema: "http://json-schema.org/draft-04/schema#", type: "object", properties: { tuple } }),
      named("b", { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "same", prefixItems: [{}] }),
      named("c", {
        $id: "same",
        "x-order": 1,
        properties: { at: { format: "date-time" }, w: { pattern: "^[\\w-.]+$" } },
      }),
      named("d", { $ref: "#/$defs/args", $defs: { args: { type: "object" } } }),
    ];
    expect(await faultsOf(tools)).toMatchObject([{ status: "ok", found: "4 tools" }]);
  });

  it("skips them where none were given", async () => {
    expect(await faultsOf(undefined)).toMatchObject([{ status: "skip", found: "no tools were given" }]);
  });
});

describe("the doctor's probe", () => {
  const probed = async (probeUrl: string) =>
    linesOf(await runDoctor({ url: await refusedUrl(), token: TOKEN, probeUrl }), "proxy_probe");

  it("45: a reachability probe that is refused with 401 is a success, and shows no token of ours", async () => {
    const platform = await platformOf();
    expect(await probed(`${platform.proxyBaseUrl}//`)).toMatchObject([{ status: "ok", found: "answered 401" }]);
    expect(platform.strays).toMatchObject([
      {
        method: "POST",
        path: "/api/odyssey-proxy/tools/__reachability_probe__",
        text: "{}",
        headers: { authorization: "Bearer made-up-token" },
      },
    ]);
    expect(JSON.stringify(platform.strays)).not.toContain(TOKEN);
  });

  it("45: a connection that is refused, or an unknown name, is a failure", async () => {
    expect(await probed(await refusedUrl())).toMatchObject([
      { status: "fail", found: "no connection (ECONNREFUSED)", help: expect.any(String) },
    ]);
    // No resolver is asked for a label of 64 letters: it is one too many.
    expect(await probed(`http://${"a".repeat(64)}.test`)).toMatchObject([
      { status: "fail", found: "no connection (ENOTFOUND)" },
    ]);
  });

  it.each<readonly [string, AgentReply, string]>([
    ["another status", (response) => sendJson(response, 200, {}), "answered 200"],
    ["a redirect", (response) => response.writeHead(302, { location: "/" }).end(), "answered 302"],
    ["a lost connection", (response) => response.socket?.destroy(), "the connection was lost (ECONNRESET)"],
  ])("warns of %s", async (_, reply, found) => {
    const { url } = await agentOf(reply);
    expect(await probed(url)).toMatchObject([{ status: "warn", found }]);
  });

  it("is skipped unless asked for", async () => {
    const report = await runDoctor({ url: await refusedUrl() });
    expect(linesOf(report, "proxy_probe")).toMatchObject([{ status: "skip", found: "not asked for" }]);
  });
});

describe("the doctor's options", () => {
  it.each<readonly [string, Partial<DoctorOptions>]>([
    ["url", { url: "127.0.0.1:3000" }],
    ["url", { url: "ftp://127.0.0.1/run" }],
    ["url", { url: "http://user:s3cret@127.0.0.1/run" }],
    ["token", { token: "" }],
    ["token", { token: "s3cret\r\nx: y" }],
    ["authHeader", { authHeader: "x y" }],
    ["scheme", { scheme: "Bearer s3cret" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Number.NaN }],
    ["timeoutMs", { timeoutMs: 1_800_001 }],
    ["probeUrl", { probeUrl: "proxy" }],
    ["probeUrl", { probeUrl: "http://127.0.0.1/?s3cret" }],
  ])("refuse a `%s` that makes no sense, before anything is sent: %j", async (option, given) => {
    const agent = await agentOf(endpoint());
    const failure: unknown = await runDoctor({ url: agent.url, ...given }).catch((cause: unknown) => cause);
    expect(failure).toBeInstanceOf(DoctorOptionError);
    expect(failure).toMatchObject({ option, message: expect.stringMatching(`^\`${option}\` `) });
    expect(String(failure)).not.toContain("s3cret");
    expect(agent.received).toEqual([]);
  });
});

describe("contracts doctor", () => {
  let folder = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "doctor-"));
    mkdirSync(join(folder, "pack"));
    mkdirSync(join(folder, "bare"));
    writeFileSync(join(folder, "pack", "tools.json"), JSON.stringify({ tools_schema: TOOLS }));
    writeFileSync(join(folder, "broken.json"), "[\n  s3cret\n]");
    writeFileSync(join(folder, "twice.json"), '[{"name":"a","name":"b"}]');
    writeFileSync(join(folder, "deep.json"), "[".repeat(100_000));
    writeFileSync(join(folder, "latin.json"), Uint8Array.of(0x22, 0xe4, 0x22));
    writeFileSync(
      join(folder, "names.json"),
      JSON.stringify([{ name: "x", input_schema: { properties: { "\u001b[2J": 7 } } }]),
    );
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function run(given: Partial<DoctorArguments>, env: Readonly<Record<string, string>> = {}) {
    let stdout = "";
    const output = {
      write(text: string) {
        stdout += text;
      },
    };
    const terminal = { cwd: folder, env, stdout: output, stderr: output };
    const code = await doctorCommand(terminal, { url: "http://127.0.0.1:9", rich: false, format: "text", ...given });
    return { code, stdout };
  }

  async function refusal(given: Partial<DoctorArguments>): Promise<string> {
    const failure: unknown = await run(given).catch((cause: unknown) => cause);
    if (!(failure instanceof UsageError)) throw new Error("expected a mistake of usage, which ends with 2");
    return failure.message;
  }

  it("prints a line for each check and ends with 0", async () => {
    const { url } = await agentOf(endpoint({ work: calling("get_order") }));
    expect(await run({ url, pack: "pack" }, { AGENT_TOKEN: TOKEN })).toEqual({
      code: 0,
      stdout: `ok    the endpoint answers
ok    a ping without auth is refused with 401
ok    a body without auth is refused before it is read
ok    a ping with a wrong token is refused with 401
ok    a token without its scheme is refused with 401
ok    a ping is answered with 2xx
ok    a ping with another key is not a ping
ok    a body without envelope is refused with 400
ok    a dispatch is answered with JSON in time          answered 200
ok    the reply can be graded
ok    tools are called through the proxy                1 call: get_order
ok    the tools can be imported                         1 tool
skip  the proxy of the platform can be reached          not asked for
      help: give the address of a proxy, such as https://api.pipelines.tech/api/odyssey-proxy

12 ok, 0 failed, 0 warnings, 1 skipped
`,
    });
  });

  it("shows what was found and how to fix it, and ends with 1", async () => {
    const { url } = await agentOf(endpoint({ isPing: () => false }));
    const { code, stdout } = await run({ url, token: TOKEN, tools: "pack/tools.json" });
    expect(code).toBe(1);
    expect(stdout).toContain(`
FAIL  a ping is answered with 2xx                       answered 400
      help: answer the body {"ping": true} with 200 after auth and before the envelope is read
`);
    expect(stdout).toContain("\n10 ok, 1 failed, 1 warning, 1 skipped\n");
    expect(stdout).not.toContain(TOKEN);
  });

  it("prints one JSON document by --format json", async () => {
    const { url } = await agentOf(endpoint({ isAuthorised: () => true }));
    const { code, stdout } = await run({ url, token: TOKEN, format: "json" });
    expect(code).toBe(1);
    const report: unknown = JSON.parse(stdout);
    expect(report).toEqual(await runDoctor({ url, token: TOKEN }));
    expect(isRecord(report) && report.ok).toBe(false);
    expect(stdout).not.toContain(TOKEN);
  });

  it("reads the token from the given variable", async () => {
    const { url } = await agentOf(endpoint());
    expect(await run({ url, tokenEnv: "MINE" }, { MINE: TOKEN, AGENT_TOKEN: "other" })).toMatchObject({ code: 0 });
    expect(await run({ url, token: TOKEN }, { AGENT_TOKEN: "other" })).toMatchObject({ code: 0 });
    expect(await run({ url }, {})).toMatchObject({ code: 1 });
  });

  it("passes on the contract, the time, the header and the address to probe", async () => {
    const platform = await platformOf();
    const isAuthorised = ({ headers }: Received) => headers["x-api-key"] === TOKEN;
    const { url } = await agentOf(endpoint({ isAuthorised, work: () => undefined }));
    const { stdout } = await run({
      url,
      token: TOKEN,
      authHeader: "X-API-Key",
      scheme: "",
      rich: true,
      timeout: "1",
      proxyProbe: platform.proxyBaseUrl,
    });
    expect(stdout).toContain("no answer within 1 s");
    expect(stdout).toMatch(/^ok {4}the proxy of the platform can be reached +answered 401$/m);
    expect(stdout).toMatch(/^ok {4}a ping is answered with 2xx$/m);
  });

  it("shows no control characters of others", async () => {
    const { stdout } = await run({ tools: "names.json" });
    expect(stdout).toContain("tools[0] (`x`): `input_schema` is not a JSON Schema");
    expect(stdout).not.toContain("\u001b");
  });

  it.each<readonly [Partial<DoctorArguments>, string]>([
    [{ url: "here" }, "--url must be an absolute http or https URL"],
    [{ token: "a b" }, "the token must be a string of visible ASCII characters without spaces"],
    [{ token: "" }, "the token must be a string of visible ASCII characters without spaces"],
    [{ timeout: "soon" }, "--timeout must be above 0 and at most 1800 seconds"],
    [{ timeout: "1801" }, "--timeout must be above 0 and at most 1800 seconds"],
    [{ proxyProbe: "here" }, "--proxy-probe must be an absolute http or https URL"],
    [{ authHeader: "" }, "--auth-header must be the name of a header"],
    [{ token: "a", tokenEnv: "B" }, "give the token with either --token or --token-env, not both"],
    [{ tokenEnv: "B" }, "the environment variable `B` is not set; set it to the token"],
    [{ pack: "pack", tools: "x.json" }, "give either --pack or --tools, not both"],
    [{ pack: "bare" }, "cannot read the tool definitions in `bare/tools.json`: it does not exist"],
    [{ tools: "pack" }, "cannot read the tool definitions in `pack`: it is a folder"],
    [
      { tools: "broken.json" },
      "cannot read the tool definitions in `broken.json`: line 2, column 3: this is not a JSON value",
    ],
    [
      { tools: "twice.json" },
      "cannot read the tool definitions in `twice.json`: it has the key `name` twice in one object",
    ],
    [{ tools: "deep.json" }, "cannot read the tool definitions in `deep.json`: it is nested too deeply"],
    [{ tools: "latin.json" }, "cannot read the tool definitions in `latin.json`: it is not UTF-8"],
  ])("ends with 2 for %j", async (given, message) => {
    expect(await refusal(given)).toBe(message);
  });
});

describe("the doctor and the kit's own endpoint", () => {
  it("finds nothing to say", async () => {
    const url = await endpointOf({
      auth: { token: TOKEN },
      artifact: artifactOf("#== get_order.yaml (with the required fields)\n"),
      agent: async ({ callTool }) => JSON.stringify(await callTool("get_order", {})),
    });
    const { ok, checks } = await runDoctor({ url, token: TOKEN, tools: TOOLS, rich: true });
    expect(checks.filter(({ status }) => status !== "ok").map(({ id, status }) => [id, status])).toEqual([
      ["proxy_probe", "skip"],
    ]);
    expect(ok).toBe(true);
  });
});
