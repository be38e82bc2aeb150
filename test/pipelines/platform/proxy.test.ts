import { describe, expect, it } from "vitest";
import {
  type Behaviour,
  contentType,
  drop,
  endless,
  hang,
  malformed,
  oversized,
  respond,
  SOURCES,
  slow,
  status,
  wrongEnvelope,
} from "./behaviour.js";
import { platformOf } from "./platform-of.js";
import { exchangeRaw } from "./raw-socket.js";
import type { Run } from "./run.js";

const MEBIBYTE = 1024 * 1024;

interface Sent {
  readonly tool?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A plain client of the proxy, with the run's bearer unless other headers are given. */
function send(run: Run, sent: Sent = {}): Promise<Response> {
  const { tool = "get_order", method = "POST", body = "{}", signal } = sent;
  return fetch(`${run.proxyUrl}/tools/${tool}`, {
    method,
    headers: sent.headers ?? { authorization: `Bearer ${run.runToken}` },
    ...(method === "GET" ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function runOf(...behaviours: readonly Behaviour[]): Promise<Run> {
  return (await platformOf()).openRun({ tools: { get_order: behaviours } });
}

/** The one reply to a call, to the letter, headers apart from the body. */
async function rawReply(behaviour: Behaviour): Promise<readonly string[]> {
  const run = await runOf(behaviour);
  const { pathname, host } = new URL(run.proxyUrl);
  const head = `POST ${pathname}/tools/get_order HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`;
  const auth = `Authorization: Bearer ${run.runToken}\r\nContent-Length: 2\r\n\r\n{}`;
  return (await exchangeRaw(run.proxyUrl, head + auth)).split("\r\n\r\n");
}

describe("the proxy", () => {
  it("takes the run token in either form", async () => {
    const run = await runOf(respond({ status: "shipped" }));
    const bearer = await send(run);
    const own = await send(run, { headers: { "X-Pipelines-Run-Token": run.runToken } });
    expect([bearer.status, own.status]).toEqual([200, 200]);
  });

  it.each([
    ["no token", {}],
    ["another token", { authorization: "Bearer another" }],
    ["the bare token", { authorization: "TOKEN" }],
    ["another token in the second form", { "x-pipelines-run-token": "another" }],
    [
      "a wrong Authorization beside the right second form",
      { authorization: "Bearer x", "x-pipelines-run-token": "TOKEN" },
    ],
  ])("refuses %s with 401", async (_, headers) => {
    const run = await runOf(respond("secret"));
    const entries = Object.entries(headers).map(([name, value]) => [name, value.replace("TOKEN", run.runToken)]);
    const response = await send(run, { headers: Object.fromEntries(entries) });
    expect(response.status).toBe(401);
    expect(run.calls.map(({ reply }) => reply)).toEqual(["run_token_invalid"]);
  });

  it("refuses the token of another run", async () => {
    const platform = await platformOf();
    const tools = { get_order: respond(1) };
    const [one, other] = [platform.openRun({ tools }), platform.openRun({ tools })];
    const response = await send(one, { headers: { authorization: `Bearer ${other.runToken}` } });
    expect(response.status).toBe(401);
    expect(other.calls).toEqual([]);
  });

  it("has a different token, jti and address for each run", async () => {
    const platform = await platformOf();
    const runs = [platform.openRun(), platform.openRun()];
    const values = runs.flatMap(({ runToken, jti, proxyUrl, runId, taskId }) => [
      ...[runToken, jti, proxyUrl],
      ...[runId, taskId],
    ]);
    expect(new Set(values).size).toBe(values.length);
  });

  it("finds the run by its token where the address names none", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { get_order: respond("here") } });
    const response = await fetch(`${platform.proxyBaseUrl}/tools/get_order`, {
      method: "POST",
      headers: { authorization: `Bearer ${run.runToken}` },
      body: "{}",
    });
    expect(response.status).toBe(200);
    expect(run.calls).toHaveLength(1);
  });

  it("answers the reachability probe with 401", async () => {
    const platform = await platformOf();
    const response = await fetch(`${platform.proxyBaseUrl}/tools/__reachability_probe__`, {
      method: "POST",
      headers: { authorization: "Bearer fake-token" },
      body: "{}",
    });
    expect(response.status).toBe(401);
    expect(platform.strays.map(({ reply }) => reply)).toEqual(["run_token_invalid"]);
  });

  it("does not know an address with a doubled slash", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { get_order: respond(1) } });
    const response = await send({ ...run, proxyUrl: `${run.proxyUrl}/` });
    expect(response.status).toBe(404);
    expect(platform.strays.map(({ reply }) => reply)).toEqual(["route_unknown"]);
  });

  it.each([
    ["another method", { method: "GET" }, 405, "method_not_allowed"],
    ["an unknown tool", { tool: "missing" }, 404, "tool_unknown"],
    ["a body that is no JSON", { body: "{" }, 400, "body_not_object"],
    ["a body that is a list", { body: "[]" }, 400, "body_not_object"],
    ["an empty body", { body: "" }, 400, "body_not_object"],
    ["a body over 1 MiB", { body: JSON.stringify({ a: "x".repeat(MEBIBYTE) }) }, 413, "request_too_large"],
  ])("refuses %s", async (_, sent, expected, code) => {
    const run = await runOf(respond(1));
    const response = await send(run, sent);
    expect(response.status).toBe(expected);
    expect(await response.json()).toMatchObject({ code });
    expect(run.calls.map(({ reply }) => reply)).toEqual([code]);
  });

  it("takes a body of exactly 1 MiB", async () => {
    const run = await runOf(respond(1));
    const response = await send(run, { body: JSON.stringify({ a: "x".repeat(MEBIBYTE - 8) }) });
    expect(response.status).toBe(200);
    expect(run.calls[0]?.bytes).toBe(MEBIBYTE);
  });

  it.each([
    ["supervisor", 200],
    ["supervisor/refunds", 200],
    ["nobody_declared_this", 200],
    ["", 400],
    ["/refunds", 400],
    ["supervisor//refunds", 400],
    ["two words", 400],
    ["x".repeat(257), 400],
  ])("answers the label %j with %i", async (label, expected) => {
    const run = await runOf(respond(1));
    const headers = { authorization: `Bearer ${run.runToken}`, "x-pipelines-actor-id": label };
    const response = await send(run, { headers });
    expect(response.status).toBe(expected);
    expect(run.calls[0]?.reply).toBe(expected === 200 ? "respond" : "actor_id_invalid");
  });

  it("has each request to the letter in the books, in order", async () => {
    const run = await runOf(respond(1));
    await send(run, { body: '{ "actor_id": "a" }', headers: { "X-Pipelines-Run-Token": run.runToken } });
    await send(run, { body: '{"n":2}' });
    expect(run.calls.map(({ method, tool, text, body }) => ({ method, tool, text, body }))).toEqual([
      { method: "POST", tool: "get_order", text: '{ "actor_id": "a" }', body: { actor_id: "a" } },
      { method: "POST", tool: "get_order", text: '{"n":2}', body: { n: 2 } },
    ]);
    expect(run.calls[0]?.path).toBe(`${new URL(run.proxyUrl).pathname}/tools/get_order`);
    expect(run.calls[0]?.rawHeaders).toContain("X-Pipelines-Run-Token");
    expect(run.calls[1]?.headers.authorization).toBe(`Bearer ${run.runToken}`);
    expect(run.calls[1]?.arrivedAt).toBeGreaterThanOrEqual(run.calls[0]?.arrivedAt ?? Number.NaN);
  });

  it("plays behaviours one per call and repeats the last one", async () => {
    const run = await runOf(status(429), status(503), respond("done"));
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await send(run)).status);
    expect(statuses).toEqual([429, 503, 200, 200]);
  });

  it("does not use up a behaviour for a call it refused", async () => {
    const run = await runOf(status(503), respond("done"));
    await send(run, { body: "no JSON" });
    expect((await send(run)).status).toBe(503);
  });

  it("lets a function choose by arguments and request", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { double: async ({ n }, { tool }) => respond({ tool, n: Number(n) * 2 }) } });
    const response = await send(run, { tool: "double", body: '{"n":21}' });
    expect(await response.json()).toMatchObject({ response: { tool: "double", n: 42 } });
  });
});

describe("the rate limit", () => {
  it("refuses the 61st call of a token in a minute, and takes one again when the first is a minute old", async () => {
    let now = 0;
    const platform = await platformOf({ now: () => now });
    const tools = { get_order: respond(1) };
    const [run, other] = [platform.openRun({ tools }), platform.openRun({ tools })];
    const first = await Promise.all(Array.from({ length: 60 }, () => send(run)));
    now = 59_999;
    const [refused, separate] = [await send(run), await send(other)];
    now = 60_000;
    const later = await send(run);
    expect(new Set(first.map((response) => response.status))).toEqual(new Set([200]));
    expect([refused.status, separate.status, later.status]).toEqual([429, 200, 200]);
    expect(refused.headers.get("retry-after")).toBeNull();
  });

  it("does not count what it refused for its token", async () => {
    const platform = await platformOf({ requestsPerMinute: 1 });
    const run = platform.openRun({ tools: { get_order: respond(1) } });
    await send(run, { headers: {} });
    expect((await send(run)).status).toBe(200);
  });

  it("says in seconds when to come back, if asked to", async () => {
    const platform = await platformOf({ requestsPerMinute: 1, retryAfter: "seconds", now: () => 0 });
    const run = platform.openRun({ tools: { get_order: respond(1) } });
    await send(run);
    expect((await send(run)).headers.get("retry-after")).toBe("60");
  });

  it("says by a date when to come back, if asked to", async () => {
    const platform = await platformOf({ requestsPerMinute: 1, retryAfter: "date", now: () => 0 });
    const run = platform.openRun({ tools: { get_order: respond(1) } });
    await send(run);
    const asked = (await send(run)).headers.get("retry-after") ?? "";
    expect(asked).toMatch(/ GMT$/);
    expect(Date.parse(asked)).toBeGreaterThan(Date.now());
  });
});

describe("a behaviour", () => {
  it.each(SOURCES)("responds with the source %s", async (source) => {
    const run = await runOf(respond({ ok: true }, { source }));
    expect(await (await send(run)).json()).toEqual({
      tool_name: "get_order",
      response: { ok: true },
      source,
      latency_ms: 1,
      matched_rule_index: null,
    });
  });

  it("responds with all parts of the envelope", async () => {
    const validation = { valid: true };
    const envelope = { source: "odyssey", validation, toolName: "other", latencyMs: 412, matchedRuleIndex: 3 } as const;
    const run = await runOf(respond("pong", envelope));
    expect(await (await send(run)).json()).toEqual({
      tool_name: "other",
      response: "pong",
      source: "odyssey",
      latency_ms: 412,
      matched_rule_index: 3,
      validation,
    });
  });

  it("answers with any status, body and Retry-After", async () => {
    const moment = new Date(Date.UTC(2026, 3, 1));
    const run = await runOf(
      status(429, { retryAfter: 2, body: { code: "busy" } }),
      status(503, { retryAfter: moment }),
    );
    const [busy, later] = [await send(run), await send(run)];
    expect([busy.status, busy.headers.get("retry-after"), await busy.json()]).toEqual([429, "2", { code: "busy" }]);
    expect([later.status, later.headers.get("retry-after")]).toEqual([503, "Wed, 01 Apr 2026 00:00:00 GMT"]);
  });

  it("is slow and then behaves as configured", async () => {
    const run = await runOf(slow(20, status(502)));
    expect((await send(run)).status).toBe(502);
    expect(run.calls[0]?.reply).toBe("slow");
  });

  it.each([
    ["hangs", hang()],
    ["is slow", slow(20_000, respond(1))],
    ["never ends its body", endless()],
  ])("that %s lets a caller leave, and sees it", async (_, behaviour) => {
    const run = await runOf(behaviour);
    const left = new AbortController();
    const reading = send(run, { signal: left.signal }).then((response) => response.text());
    await expect.poll(() => run.calls.length).toBe(1);
    left.abort();
    await expect(reading).rejects.toThrow("aborted");
    expect((await run.calls[0]?.ended)?.isWhole).toBe(false);
  });

  it("drops the connection before any byte", async () => {
    expect(await rawReply(drop("before_reply"))).toEqual([""]);
  });

  it("drops the connection after the headers", async () => {
    const [head, ...body] = await rawReply(drop("after_headers"));
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(body).toEqual([""]);
  });

  it("drops the connection in the middle of the body", async () => {
    const [head = "", body = ""] = await rawReply(drop("mid_body"));
    const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(body.length).toBeGreaterThan(0);
    expect(body.length).toBeLessThan(announced);
  });

  it.each(["before_reply", "after_headers", "mid_body"] as const)(
    "makes a reader fail when it drops %s",
    async (moment) => {
      const run = await runOf(drop(moment));
      await expect(send(run).then((response) => response.text())).rejects.toThrow();
    },
  );

  it.each([true, false])("replies with exactly so many bytes, announced: %s", async (isAnnounced) => {
    const run = await runOf(oversized(MEBIBYTE + 1, { contentLength: isAnnounced }));
    const response = await send(run);
    const text = await response.text();
    expect(text).toHaveLength(MEBIBYTE + 1);
    expect(response.headers.has("content-length")).toBe(isAnnounced);
    expect(JSON.parse(text)).toMatchObject({ tool_name: "get_order" });
    expect(await run.calls[0]?.ended).toMatchObject({ isWhole: true });
  });

  it("stops sending a big reply when the reader leaves", async () => {
    const size = 256 * MEBIBYTE;
    const run = await runOf(oversized(size));
    const response = await send(run);
    await response.body?.cancel();
    const ended = await run.calls[0]?.ended;
    expect(ended?.isWhole).toBe(false);
    expect(ended?.bytes).toBeLessThan(size / 2);
  });

  it("replies with JSON that is cut, under the right content type", async () => {
    const response = await send(await runOf(malformed()));
    expect(response.headers.get("content-type")).toBe("application/json");
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  it("replies with another content type", async () => {
    const response = await send(await runOf(contentType("text/html")));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html"]);
  });

  it.each([[{ tool_name: "get_order" }], [[1]], ["text"]])("replies with %j for an envelope", async (body) => {
    expect(await (await send(await runOf(wrongEnvelope(body)))).json()).toEqual(body);
  });
});

describe("the side channel", () => {
  function trace(run: Run, eventType: string, body = '{"text":"hm"}', token = run.runToken): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${run.proxyUrl}/traces/${eventType}`, { method: "POST", headers, body });
  }

  it("accepts known events and numbers them", async () => {
    const run = (await platformOf()).openRun();
    expect(await (await trace(run, "thinking")).json()).toEqual({
      accepted: true,
      sequence: 1,
      event_type: "thinking",
    });
    expect(await (await trace(run, "handoff")).json()).toEqual({ accepted: true, sequence: 2, event_type: "handoff" });
    expect(run.traces.map(({ eventType, body }) => [eventType, body])).toEqual([
      ["thinking", { text: "hm" }],
      ["handoff", { text: "hm" }],
    ]);
  });

  it("refuses unknown events, bodies that are no object, and wrong tokens", async () => {
    const run = (await platformOf()).openRun();
    const unknown = await trace(run, "telepathy");
    expect([unknown.status, await unknown.json()]).toMatchObject([400, { code: "trace_event_type_invalid" }]);
    expect((await trace(run, "custom", "[]")).status).toBe(400);
    expect((await trace(run, "custom", "{}", "another")).status).toBe(401);
    expect(run.traces.map(({ sequence }) => sequence)).toEqual([null, null, null]);
  });

  it("does not count against the share of tool calls", async () => {
    const run = (await platformOf({ requestsPerMinute: 1 })).openRun({ tools: { get_order: respond(1) } });
    await trace(run, "custom");
    expect((await send(run)).status).toBe(200);
  });

  it("fails or hangs when configured to", async () => {
    const platform = await platformOf();
    expect((await trace(platform.openRun({ traces: "fail" }), "custom")).status).toBe(500);
    const hanging = platform.openRun({ traces: "hang" });
    const left = new AbortController();
    const waiting = fetch(`${hanging.proxyUrl}/traces/custom`, {
      method: "POST",
      headers: { authorization: `Bearer ${hanging.runToken}` },
      body: "{}",
      signal: left.signal,
    });
    await expect.poll(() => hanging.traces.length).toBe(1);
    left.abort();
    await expect(waiting).rejects.toThrow("aborted");
  });
});
