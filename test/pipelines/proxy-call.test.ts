import { afterEach, describe, expect, it, vi } from "vitest";
import type { ProxyCall } from "../../src/guard/wrap/call-options.js";
import { createProxyCall } from "../../src/pipelines/proxy/proxy-call.js";
import { contentType, drop, hang, malformed, respond, SOURCES, status, wrongEnvelope } from "./platform/behaviour.js";
import { refusedUrl } from "./platform/raw-socket.js";
import { clientOf, errorOf, factsOf, Platforms } from "./proxy-fixture.js";

const platforms = new Platforms();
afterEach(() => platforms.close());

describe("the request of a tool call", () => {
  it("24: each tool call is one POST to {proxy_url}/tools/{name}", async () => {
    const { run, call } = await platforms.client(respond("done"));
    await call("act", { n: 1 });
    await call("act", { n: 2 });
    const request = ["POST", `${new URL(run.proxyUrl).pathname}/tools/act`];
    expect(run.calls.map(({ method, path }) => [method, path])).toEqual([request, request]);
  });

  it.each(["/", "///"])("25: a trailing `%s` of the proxy URL does not give //tools", async (slashes) => {
    const { run } = await platforms.client(respond("done"));
    const call = createProxyCall({ proxyUrl: `${run.proxyUrl}${slashes}`, runToken: run.runToken });
    expect(await call("act", {})).toBe("done");
    expect(run.calls[0]?.path).toBe(`${new URL(run.proxyUrl).pathname}/tools/act`);
  });

  it("26: carries the run token as bearer, and as JSON", async () => {
    const { run, call } = await platforms.client(respond("done"));
    await call("act", {});
    expect(run.calls[0]?.headers).toMatchObject({
      authorization: `Bearer ${run.runToken}`,
      "content-type": "application/json",
    });
  });

  it("27: the proxy takes the token in X-Pipelines-Run-Token too; the client sends it once", async () => {
    const { run, call } = await platforms.client(respond("done"));
    await call("act", {});
    const other = await fetch(`${run.proxyUrl}/tools/act`, {
      method: "POST",
      headers: { "x-pipelines-run-token": run.runToken },
      body: "{}",
    });
    expect(await other.json()).toMatchObject({ response: "done" });
    expect(run.calls.map(({ headers }) => "x-pipelines-run-token" in headers)).toEqual([false, true]);
  });

  it("28: the body is the arguments object itself", async () => {
    const { run, call } = await platforms.client(respond("done"));
    const args = { text: "Grüße \ud83d\ude00", nested: { list: [1, null, true] }, args: {} };
    await call("act", args);
    expect(run.calls[0]?.text).toBe(JSON.stringify(args));
  });

  it.each(["a", "_", "get-Order_2", `a${"b".repeat(127)}`])("takes the tool name %s", async (name) => {
    const platform = await platforms.start();
    const run = platform.openRun({ tools: { [name]: respond("done") } });
    expect(await clientOf(run)(name, {})).toBe("done");
  });

  it.each(["", "2nd", "-a", "a b", "a/b", "../traces/custom", "a?b", "é", "a\n", `a${"b".repeat(128)}`])(
    "refuses the tool name %j before sending",
    async (name) => {
      const { run, call } = await platforms.client(respond("done"));
      expect(await factsOf(call(name, {}))).toEqual({ code: "ERR_TOOL_NAME", attempt: 1, sent: false });
      expect(run.calls).toEqual([]);
    },
  );

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const throwing = {
    get secret() {
      throw new Error("4111-1111");
    },
  };
  it.each([undefined, null, [1], "text", 5, new Date(0), cyclic, throwing, { n: 1n }])(
    "refuses arguments that are no JSON object before sending (%#)",
    async (args) => {
      const { run, call } = await platforms.client(respond("done"));
      const error = await errorOf(call("act", args));
      expect(error).toMatchObject({ code: "ERR_ARGUMENTS", sent: false });
      expect(error.message).not.toContain("4111");
      expect(run.calls).toEqual([]);
    },
  );

  it("does not follow a redirect, so arguments and token go nowhere else", async () => {
    const { run } = await platforms.client(respond("stolen"));
    const proxyUrl = await platforms.serve((_, response) => {
      response.writeHead(307, { location: `${run.proxyUrl}/tools/act` }).end();
    });
    const call = createProxyCall({ proxyUrl, runToken: run.runToken });
    expect(await factsOf(call("act", {}))).toEqual({ status: 307, attempt: 1, sent: true });
    expect(run.calls).toEqual([]);
  });
});

describe("the response of a tool call", () => {
  it("29: only `response` comes back", async () => {
    const { call } = await platforms.client(
      respond({ id: 7 }, { latencyMs: 12, matchedRuleIndex: 3, validation: { ok: true } }),
    );
    expect(await call("act", {})).toEqual({ id: 7 });
  });

  it.each([[{ a: [1, { b: null }] }], [[1, "2", []]], [{}], [[]], [null], [0], [false]])(
    "30: %j comes back as it is",
    async (response) => {
      const { call } = await platforms.client(respond(response));
      expect(await call("act", {})).toEqual(response);
    },
  );

  it.each(["pong", "", "<p>hello</p>", "a,b\n1,2\n", "Grüße \u2028 \ud83d\ude00"])(
    "31: the text %j stays text",
    async (text) => {
      const { call } = await platforms.client(respond(text));
      expect(await call("act", {})).toBe(text);
    },
  );

  it.each(['{"a":1}', "[1]", "12", "null", '"quoted"'])(
    "32: text that looks like JSON (%s) stays text",
    async (text) => {
      const { call } = await platforms.client(respond(text));
      expect(await call("act", {})).toBe(text);
    },
  );

  it.each(["odyssey", "injected", "passthrough"] as const)(
    "33: a response with source %s comes back",
    async (source) => {
      const { call } = await platforms.client(respond("fine", { source }));
      expect(await call("act", {})).toBe("fine");
    },
  );

  it.each(["error", "transport_error"] as const)("33: source %s is a ProxyError that names it", async (source) => {
    const { run, call } = await platforms.client(respond({ detail: "private" }, { source }));
    const error = await errorOf(call("act", {}));
    const answered = source === "error" ? { answered: true } : {};
    expect({ ...error }).toEqual({ name: "ProxyError", source, code: source, attempt: 1, sent: true, ...answered });
    expect(error.message).toBe(`call of \`act\`: the proxy answered with source \`${source}\``);
    expect(run.calls.length).toBe(1);
  });

  it("33: an unknown source, or none, is no error", async () => {
    const { call } = await platforms.client([
      wrongEnvelope({ response: 1, source: "replayed" }),
      wrongEnvelope({ response: 2 }),
    ]);
    expect([await call("act", {}), await call("act", {})]).toEqual([1, 2]);
    expect(SOURCES.length).toBe(5);
  });

  it("34: `validation` may be there or not", async () => {
    const { call } = await platforms.client([respond(1, { validation: { valid: false } }), respond(2)]);
    expect([await call("act", {}), await call("act", {})]).toEqual([1, 2]);
  });

  it("35: `matched_rule_index` may be null or a number", async () => {
    const { call } = await platforms.client([
      respond(1, { matchedRuleIndex: null }),
      respond(2, { source: "injected", matchedRuleIndex: 0 }),
    ]);
    expect([await call("act", {}), await call("act", {})]).toEqual([1, 2]);
  });

  it("keeps keys that could reach a prototype to themselves", async () => {
    const text = '{"response":{"__proto__":{"polluted":true}}}';
    const { call } = await platforms.client(contentType("application/json", text));
    const response = await call("act", {});
    expect(JSON.stringify(response)).toBe('{"__proto__":{"polluted":true}}');
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it.each(["application/json; charset=utf-8", "Application/JSON", "application/problem+json"])(
    "takes the content type %s",
    async (type) => {
      const { call } = await platforms.client(contentType(type, '{"response":"fine"}'));
      expect(await call("act", {})).toBe("fine");
    },
  );
});

describe("a failed call", () => {
  const faults = {
    refused: status(400, { body: { code: "bad_thing" } }),
    broken: status(500),
    dropped: drop("before_reply"),
    halved: drop("mid_body"),
    headless: drop("after_headers"),
    malformed: malformed(),
    html: contentType("text/html"),
    silent: hang(),
    failing: respond("x", { source: "error" }),
  };

  it.each(Object.entries(faults))("36: the original tool body is never called (%s)", async (_, fault) => {
    const { run, call } = await platforms.client(fault, { timeoutMs: 150 });
    const original = vi.fn();
    const tools: Readonly<Record<string, (args: object) => unknown>> = { act: original };
    const proxied = (name: string, args: object) => (name in tools ? call(name, args) : undefined);
    await expect(proxied("act", {})).rejects.toThrow("call of `act`");
    expect(original).not.toHaveBeenCalled();
    expect(run.calls.length).toBe(1);
  });

  it.each([
    ["no JSON", malformed()],
    ["an empty body", malformed("")],
    ["a list", wrongEnvelope([{ response: 1 }])],
    ["a text", wrongEnvelope("response")],
    ["null", wrongEnvelope(null)],
    ["no `response`", wrongEnvelope({ tool_name: "act", result: 1 })],
  ])("names a reply that is %s malformed", async (_, behaviour) => {
    const { call } = await platforms.client(behaviour);
    const facts = { status: 200, code: "ERR_MALFORMED_RESPONSE", attempt: 1, sent: true };
    expect(await factsOf(call("act", {}))).toEqual(facts);
  });

  it("names a reply that is not UTF-8 malformed", async () => {
    const proxyUrl = await platforms.serve((_, response) => {
      response.end(Buffer.concat([Buffer.from('{"response":"'), Buffer.from([0xff]), Buffer.from('"}')]));
    });
    const call = createProxyCall({ proxyUrl, runToken: "token" });
    expect(await errorOf(call("act", {}))).toMatchObject({ code: "ERR_MALFORMED_RESPONSE", sent: true });
  });

  it.each(["text/html", "text/plain", "application/jsonp"])("does not read a reply of type %s", async (type) => {
    const { call } = await platforms.client(contentType(type, '{"response":1}'));
    const facts = { status: 200, code: "ERR_CONTENT_TYPE", attempt: 1, sent: true };
    expect(await factsOf(call("act", {}))).toEqual(facts);
  });

  it("survives a reply that is nested very deep", async () => {
    const text = `{"response":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    const { call } = await platforms.client(contentType("application/json", text));
    expect(Array.isArray(await call("act", {}))).toBe(true);
  });

  it.each([
    [{ code: "tool_broken" }, "tool_broken"],
    [{ error: "tool_broken" }, "tool_broken"],
    [{ error: { code: "tool_broken", message: "at line 5" } }, "tool_broken"],
    [{ detail: "tool_broken" }, "tool_broken"],
    [{ detail: "The order 4521 was not found" }, undefined],
    [{ code: "a".repeat(65) }, undefined],
    [{ code: "E_UPPER" }, undefined],
    [{ code: 17 }, undefined],
    [["tool_broken"], undefined],
    ["tool_broken", undefined],
  ])("reads the code of %j", async (body, code) => {
    const { call } = await platforms.client(status(422, { body }));
    expect((await errorOf(call("act", {}))).code).toBe(code);
  });

  it("keeps its status where the body of the refusal is large", async () => {
    const { call } = await platforms.client(status(422, { body: { code: "tool_broken", text: "x".repeat(100_000) } }));
    expect(await factsOf(call("act", {}))).toEqual({ status: 422, attempt: 1, sent: true });
  });

  it.each([
    ["before_reply", drop("before_reply")],
    ["after_headers", drop("after_headers")],
    ["mid_body", drop("mid_body")],
  ])("knows that a connection lost %s may have reached the tool", async (_, behaviour) => {
    const { run, call } = await platforms.client(behaviour);
    const { code, sent, status: known } = await errorOf(call("act", {}));
    expect([code, sent, known]).toEqual(["ECONNRESET", true, undefined]);
    expect(run.calls.length).toBe(1);
  });

  it("knows that nothing was sent where the connection is refused or the name unknown", async () => {
    const once = { runToken: "token", retry: false } as const;
    const refused = createProxyCall({ ...once, proxyUrl: await refusedUrl() });
    const unknown = createProxyCall({ ...once, proxyUrl: "http://nowhere.invalid" });
    expect(await factsOf(refused("act", {}))).toEqual({ code: "ECONNREFUSED", attempt: 1, sent: false });
    expect((await errorOf(unknown("act", {}))).sent).toBe(false);
  });

  it("gets an error at once from a proxy that answers 101: the tool may have run", async () => {
    const proxyUrl = await platforms.serve((_, response) => {
      response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
    });
    const call = createProxyCall({ proxyUrl, runToken: "token", retry: false, timeoutMs: 20_000 });
    expect(await factsOf(call("act", {}))).toEqual({ status: 101, attempt: 1, sent: true });
  });

  it("takes a scheme in capitals for what it is", async () => {
    const { run } = await platforms.client(respond("done"));
    const once = { runToken: run.runToken, retry: false } as const;
    const loud = createProxyCall({ ...once, proxyUrl: run.proxyUrl.replace("http:", "HTTP:") });
    expect(await loud("act", {})).toBe("done");
    const [quiet, capital] = ["https:", "HTTPS:"].map((scheme) =>
      createProxyCall({ ...once, proxyUrl: run.proxyUrl.replace("http:", scheme) }),
    );
    // The server speaks no TLS: both must fail in shaking hands.
    const expected = await factsOf(quiet?.("act", {}) ?? Promise.resolve());
    expect(await factsOf(capital?.("act", {}) ?? Promise.resolve())).toEqual(expected);
    expect(expected).toMatchObject({ sent: false });
  });
});

describe("attribution", () => {
  it("52: the label of the actor goes into X-Pipelines-Actor-Id; that of the call wins", async () => {
    const { run, call } = await platforms.client(respond("done"), { actorId: "supervisor" });
    await call("act", {});
    await call("act", {}, { actorId: "supervisor/refunds" });
    expect(run.calls.map(({ headers }) => headers["x-pipelines-actor-id"])).toEqual([
      "supervisor",
      "supervisor/refunds",
    ]);
  });

  it("53: without an actor the request is byte-identical to that of a client that never has one", async () => {
    const { run, call } = await platforms.client(respond("done"));
    await call("act", { n: 1 });
    await call("act", { n: 1 }, { actorId: "supervisor" });
    await call("act", { n: 1 });
    const [first, second, third] = run.calls;
    expect([third?.rawHeaders, third?.text]).toEqual([first?.rawHeaders, first?.text]);
    expect(first?.headers).not.toHaveProperty("x-pipelines-actor-id");
    expect(second?.rawHeaders).not.toEqual(first?.rawHeaders);
  });

  it("54: an `actor_id` among the arguments stays there, with and without the header", async () => {
    const { run, call } = await platforms.client(respond("done"));
    await call("act", { actor_id: "mine" });
    await call("act", { actor_id: "mine" }, { actorId: "supervisor" });
    expect(run.calls.map(({ text, headers }) => [text, headers["x-pipelines-actor-id"]])).toEqual([
      ['{"actor_id":"mine"}', undefined],
      ['{"actor_id":"mine"}', "supervisor"],
    ]);
  });

  it("55: 400 actor_id_invalid comes through, and is not tried again", async () => {
    const { run, call } = await platforms.client(respond("done"), { actorId: "a//b" });
    const facts = { status: 400, code: "actor_id_invalid", attempt: 1, sent: true };
    expect(await factsOf(call("act", {}))).toEqual(facts);
    expect(run.calls.length).toBe(1);
  });

  it.each(["nobody-declared", "a/b/c/d", "UPPER.case_1"])("56: the label %s needs no catalogue", async (actorId) => {
    const { call } = await platforms.client(respond("done"), { actorId });
    expect(await call("act", {})).toBe("done");
  });

  it.each(["", "a\r\nX-Evil: 1", "a\u0000", "é", " a"])(
    "refuses the label %j, which no header can carry",
    async (actorId) => {
      const { run, call } = await platforms.client(respond("done"));
      expect(await factsOf(call("act", {}, { actorId }))).toEqual({
        code: "ERR_CALL_OPTIONS",
        attempt: 1,
        sent: false,
      });
      expect(run.calls).toEqual([]);
    },
  );
});

describe("createProxyCall", () => {
  const proxyUrl = "http://127.0.0.1:1/api";
  const runToken = "s3cret-token";

  it("makes a function that a guard can wrap", () => {
    const call: ProxyCall = createProxyCall({ proxyUrl, runToken });
    expect(typeof call).toBe("function");
  });

  it.each([
    ["proxyUrl", { proxyUrl: "" }],
    ["proxyUrl", { proxyUrl: "/relative" }],
    ["proxyUrl", { proxyUrl: "ftp://host/x" }],
    ["proxyUrl", { proxyUrl: "http://user:pass@host" }],
    ["proxyUrl", { proxyUrl: "http://host/?a=b" }],
    ["proxyUrl", { proxyUrl: "http://host/#a" }],
    ["runToken", { runToken: "" }],
    ["runToken", { runToken: "s3cret token" }],
    ["runToken", { runToken: "s3cret\r\nX-Evil: 1" }],
    ["runToken", { runToken: "s3cret\u0100" }],
    ["actorId", { actorId: "a\nb" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Number.NaN }],
    ["retry.maxAttempts", { retry: { maxAttempts: 0 } }],
    ["retry.statuses", { retry: { statuses: [200] } }],
    ["retry.maxWaitMs", { retry: { maxWaitMs: -1 } }],
    ["throttle.perMinute", { throttle: { perMinute: 0.5 } }],
  ])("refuses a bad `%s` by its name, without the token (%#)", (name, wrong) => {
    const make = () => createProxyCall({ proxyUrl, runToken, ...wrong });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`\`${name}\``);
    expect(make).not.toThrow("s3cret");
  });

  it.each([{ retry: { maxAttempts: -1 } }, { retry: "often" }, { timeoutMs: "1s" }, { signal: {} }])(
    "a call with options that make no sense is not sent (%#)",
    async (options) => {
      const { run, call } = await platforms.client(respond("done"));
      const wrong: object = options;
      expect(await errorOf(call("act", {}, { ...wrong }))).toMatchObject({ code: "ERR_CALL_OPTIONS", sent: false });
      expect(run.calls).toEqual([]);
    },
  );
});
