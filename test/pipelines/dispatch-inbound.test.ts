import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDispatchHandler } from "../../src/pipelines/dispatch/dispatch.js";
import { toNodeListener } from "../../src/pipelines/dispatch/node-listener.js";
import { AUTH, endpointOf, TOKEN } from "./endpoint.js";
import { respond } from "./platform/behaviour.js";
import { listenOnLoopback } from "./platform/loopback.js";
import { platformOf } from "./platform/platform-of.js";

beforeEach(() => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

const JSON_TYPE = { "content-type": "application/json" };
const agent = async () => "done";

async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = { authorization: AUTH.value },
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body });
  return { status: response.status, body: await response.json() };
}

const PING = '{"ping":true}';

describe("inbound auth", () => {
  it("1: a POST without an Authorization header is a 401", async () => {
    expect(await post(await endpointOf(), "{}", {})).toMatchObject({ status: 401 });
  });

  it.each([["wrong"], [`Bearer ${TOKEN}x`], [`Bearer ${TOKEN.slice(1)}`], [`bearer ${TOKEN}`], ["Bearer "]])(
    "2: a wrong bearer is a 401: %s",
    async (authorization) => {
      expect(await post(await endpointOf(), PING, { authorization })).toMatchObject({ status: 401 });
    },
  );

  it("3: the bare token without `Bearer ` is a 401", async () => {
    expect(await post(await endpointOf(), PING, { authorization: TOKEN })).toMatchObject({ status: 401 });
  });

  it("4: the comparison takes the same time however much is right: by node's timingSafeEqual, over digests", () => {
    const source = readFileSync(new URL("../../src/pipelines/dispatch/inbound-auth.ts", import.meta.url), "utf8");
    expect(source).toContain("return timingSafeEqual(digest(value), expected);");
    expect(source).not.toMatch(/(?:===|!==|\.includes\(|\.startsWith\()[^\n]*\b(?:expected|value)\b/);
  });

  it("10: a custom auth header is honoured beside the headers of the platform", async () => {
    const url = await endpointOf({ authHeader: "X-API-Key" });
    expect(await post(url, PING, { "x-api-key": `Bearer ${TOKEN}` })).toEqual({ status: 200, body: { ok: true } });
    expect(await post(url, PING, { authorization: `Bearer ${TOKEN}` })).toMatchObject({ status: 401 });
    const bare = await endpointOf({ auth: { token: TOKEN, scheme: "" }, authHeader: "X-API-Key" });
    expect(await post(bare, PING, { "x-api-key": TOKEN })).toMatchObject({ status: 200 });
    expect(await post(bare, PING, { "x-api-key": `Bearer ${TOKEN}` })).toMatchObject({ status: 401 });
    const platform = await platformOf();
    const result = await platform.dispatch(platform.openRun(), url, {
      authHeader: { name: "X-API-Key", value: AUTH.value },
    });
    expect(result).toMatchObject({ status: 200, errorClass: null });
  });

  it("comes before the method, the content type and the body", async () => {
    const url = await endpointOf();
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(401);
  });

  it.each([[undefined], [""], ["  "], ["\t"], ["\n"]])(
    "refuses to start with the token %j, which would let in nobody or everybody",
    (token) => {
      expect(() => createDispatchHandler({ auth: { token }, artifact: "none", agent })).toThrow(TypeError);
      expect(() => createDispatchHandler({ auth: { token }, artifact: "none", agent })).toThrow('auth: "none"');
    },
  );

  it("can be left out where that is asked for", async () => {
    const url = await endpointOf({ auth: "none", allowedProxyOrigins: ["http://127.0.0.1:1"] });
    expect(await post(url, PING, {})).toEqual({ status: 200, body: { ok: true } });
  });

  it("refuses to start with a token that no header can carry", () => {
    for (const token of [` ${TOKEN}`, `${TOKEN}\n`, `a\r\nb`, "\u200b", "t€ken", "a\u0001b", "a\u007f"]) {
      const start = () => createDispatchHandler({ auth: { token }, artifact: "none", agent });
      expect(start).toThrow("where a header cannot carry it");
      expect(start).not.toThrow(TOKEN);
    }
  });

  it("says what auth is where it is nothing, and that a scheme is a word", () => {
    const start = (auth: unknown) => () =>
      Reflect.apply(createDispatchHandler, null, [{ auth, artifact: "none", agent }]);
    for (const auth of [undefined, null, "some", 5]) expect(start(auth)).toThrow("`auth` is `{ token, scheme? }`");
    for (const scheme of [" ", "a\nb", 5, null]) expect(start({ token: TOKEN, scheme })).toThrow("`auth.scheme`");
  });

  it("says what a header is called that cannot be one", () => {
    expect(() =>
      createDispatchHandler({ auth: { token: TOKEN }, artifact: "none", authHeader: "X Key", agent }),
    ).toThrow("authHeader");
  });
});

describe("the ping", () => {
  it("5: with the right auth it is a 2xx", async () => {
    const platform = await platformOf();
    expect(await platform.ping(await endpointOf(), { authHeader: AUTH })).toMatchObject({ ok: true, status: 200 });
    expect(await post(await endpointOf(), PING)).toEqual({ status: 200, body: { ok: true } });
  });

  it("6: with wrong or missing auth it is a 401", async () => {
    const platform = await platformOf();
    const url = await endpointOf();
    expect(await platform.ping(url)).toMatchObject({ ok: false, status: 401 });
    expect(await platform.ping(url, { authHeader: { name: "Authorization", value: "Bearer no" } })).toMatchObject({
      ok: false,
      status: 401,
    });
  });

  it("7: it is answered before the envelope is read, which it lacks altogether", async () => {
    expect(await post(await endpointOf(), ' { "ping" : true } ')).toMatchObject({ status: 200 });
  });

  it("8: it neither runs the agent nor calls the proxy", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond({}) } });
    const runAgent = vi.fn(agent);
    const url = await endpointOf({ agent: runAgent });
    await post(url, PING, {
      authorization: AUTH.value,
      "x-pipelines-odyssey-proxy-url": run.proxyUrl,
      "x-pipelines-run-token": run.runToken,
    });
    expect(runAgent).not.toHaveBeenCalled();
    expect([...run.calls, ...run.traces]).toEqual([]);
  });

  it.each([['{"ping":false}'], ['{"ping":1}'], ['{"ping":true,"more":1}'], ['[{"ping":true}]'], ['{"ping":"true"}']])(
    "9: %s is none",
    async (body) => {
      expect(await post(await endpointOf(), body)).toMatchObject({ status: 400 });
    },
  );
});

describe("where calls may go", () => {
  const start = (allowedProxyOrigins?: readonly string[]) => () =>
    createDispatchHandler({
      auth: "none",
      artifact: "none",
      agent,
      ...(allowedProxyOrigins === undefined ? {} : { allowedProxyOrigins }),
    });

  it("must be said where anybody may dispatch", () => {
    expect(start()).toThrow("`allowedProxyOrigins`");
    expect(start(["https://proxy.example"])).not.toThrow();
  });

  it.each([
    [[]],
    [["proxy.example"]],
    [["https://proxy.example/runs"]],
    [["ftp://proxy.example"]],
    [["https://u@x"]],
    [["https://*.x"]],
  ])("is said by origins, not by %j", (origins) => {
    expect(start(origins)).toThrow("such as `https://proxy.example`");
  });

  it("is kept to: a run with another proxy is refused before the agent is asked", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond({}) } });
    const runAgent = vi.fn(agent);
    const origin = new URL(run.proxyUrl).origin;
    const other = await endpointOf({ agent: runAgent, allowedProxyOrigins: ["https://proxy.example"] });
    expect(await platform.dispatch(run, other, { authHeader: AUTH })).toMatchObject({ status: 403 });
    expect(runAgent).not.toHaveBeenCalled();
    const same = await endpointOf({ agent: runAgent, allowedProxyOrigins: [origin.toUpperCase(), "https://x:1"] });
    expect(await platform.dispatch(run, same, { authHeader: AUTH })).toMatchObject({ status: 200 });
  });
});

describe("requests that are no dispatch", () => {
  const code = (expected: string) => ({ error: { code: expected, message: expect.any(String) } });

  it("are refused by method", async () => {
    const url = await endpointOf();
    const response = await fetch(url, { headers: { authorization: AUTH.value } });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(await response.json()).toEqual(code("method_not_allowed"));
  });

  it("are refused by a method that fetch does not know, after auth", async () => {
    const { port } = new URL(await endpointOf());
    const ask = (authorization: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { port, host: "127.0.0.1", method: "TRACE", headers: { authorization } };
        const sent = request(options, (reply) => resolve(reply.resume().statusCode));
        sent.on("error", reject).end();
      });
    expect(await ask(AUTH.value)).toBe(405);
    expect(await ask("wrong")).toBe(401);
  });

  it.each([["[]"], ["null"], ['"text"'], ["7"], ["true"]])("are refused where the body is %s", async (body) => {
    const headers = {
      authorization: AUTH.value,
      "x-pipelines-odyssey-proxy-url": "http://127.0.0.1:9/runs/1",
      "x-pipelines-run-token": "t",
    };
    expect(await post(await endpointOf(), body, headers)).toEqual({ status: 400, body: code("not_an_object") });
  });

  it("are judged by the bytes that some middleware has kept", async () => {
    const runAgent = vi.fn(agent);
    const handler = createDispatchHandler({ auth: { token: TOKEN }, artifact: "none", agent: runAgent });
    const listen = toNodeListener(handler);
    const server = createServer(async (message, response) => {
      const parts: Buffer[] = [];
      for await (const part of message) parts.push(part);
      await listen(Object.assign(message, { body: Buffer.concat(parts) }), response);
    });
    const port = await listenOnLoopback(server);
    const headers = {
      authorization: AUTH.value,
      "x-pipelines-odyssey-proxy-url": "http://127.0.0.1:9",
      "x-pipelines-run-token": "t",
    };
    expect(await post(`http://127.0.0.1:${port}`, "[1]", headers)).toEqual({
      status: 400,
      body: code("not_an_object"),
    });
    expect(await post(`http://127.0.0.1:${port}`, PING, headers)).toMatchObject({ status: 200 });
    expect(runAgent).not.toHaveBeenCalled();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([["text/plain"], ["application/jsonx"], [""]])("are refused by content type: %j", async (type) => {
    const headers = { authorization: AUTH.value, "content-type": type };
    expect(await post(await endpointOf(), PING, headers)).toEqual({
      status: 415,
      body: code("unsupported_media_type"),
    });
  });

  it("are taken with a charset, or as a kind of JSON", async () => {
    const url = await endpointOf();
    for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/cloudevents+json"]) {
      expect(await post(url, PING, { authorization: AUTH.value, "content-type": type })).toMatchObject({ status: 200 });
    }
  });

  it.each([["{"], [""], ["\u0000"], ["undefined"]])("are refused where the body is no JSON: %j", async (body) => {
    expect(await post(await endpointOf(), body)).toEqual({ status: 400, body: code("not_json") });
  });

  it("are refused where the body is not UTF-8", async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const headers = { ...JSON_TYPE, authorization: AUTH.value };
    const response = await fetch(await endpointOf(), { method: "POST", headers, body });
    expect(response.status).toBe(400);
  });

  it.each([
    ["with", true],
    ["without", false],
  ])("are refused above 8 MiB, %s a length", async (_, hasLength) => {
    const url = new URL(await endpointOf());
    const body = `{"a":"${"x".repeat(9 * 1024 * 1024)}"}`;
    const head = `POST /dispatch HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTH.value}\r\nContent-Type: application/json\r\n`;
    const framing = hasLength ? `Content-Length: ${body.length}\r\n\r\n` : "Transfer-Encoding: chunked\r\n\r\n";
    const content = hasLength ? body : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(url.port), "127.0.0.1");
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk;
        if (received.includes("\r\n\r\n")) resolve(received);
      });
      socket.on("error", (cause) => (received === "" ? reject(cause) : resolve(received)));
      socket.on("close", () => resolve(received));
      socket.write(head + framing + content, () => undefined);
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("are not waited for without end: a body that does not arrive is a 408", async () => {
    const url = new URL(await endpointOf({ runTimeoutSeconds: 0.4 }));
    const socket = connect(Number(url.port), "127.0.0.1");
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTH.value}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"`,
    );
    const text = await new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(chunk.toString())));
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("never bring down the endpoint", async () => {
    const url = new URL(await endpointOf());
    for (const text of [
      "GARBAGE\r\n\r\n",
      "POST / HTTP/1.1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{",
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(url.port), "127.0.0.1", () => {
          socket.write(text);
          setTimeout(() => socket.destroy(), 20);
        });
        socket.on("close", () => resolve());
        socket.on("error", () => resolve());
      });
    }
    expect(await post(url.href, PING)).toMatchObject({ status: 200 });
  });
});
