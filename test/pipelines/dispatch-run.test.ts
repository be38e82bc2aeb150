import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentContext } from "../../src/pipelines/dispatch/agent.js";
import { createDispatchHandler, type DispatchOptions } from "../../src/pipelines/dispatch/dispatch.js";
import { agentTimeMs } from "../../src/pipelines/dispatch/run-options.js";
import { memoryStore } from "../../src/stores/memory.js";
import { artifactOf } from "../support/guard-artifact.js";
import { AUTH, endpointOf } from "./endpoint.js";
import { hang, respond, slow } from "./platform/behaviour.js";
import type { DispatchOptions as Dispatch } from "./platform/platform.js";
import { platformOf } from "./platform/platform-of.js";
import type { RunOptions } from "./platform/run.js";

beforeEach(() => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

/** What the agent was given for one dispatch. */
async function contextOf(dispatch: Dispatch = {}): Promise<AgentContext> {
  const seen: AgentContext[] = [];
  const platform = await platformOf();
  const url = await endpointOf({
    agent: async (context) => {
      seen.push(context);
      return "done";
    },
  });
  const result = await platform.dispatch(platform.openRun(), url, { authHeader: AUTH, ...dispatch });
  expect(result).toMatchObject({ status: 200, errorClass: null });
  const [context] = seen;
  if (context === undefined) throw new Error("the agent was not run");
  return context;
}

const OPEN = { auth: "none", artifact: "none", allowedProxyOrigins: ["http://127.0.0.1:1"] } as const;

describe("the envelope", () => {
  it("11: the prompt is `input.user_instruction`", async () => {
    expect((await contextOf({ userInstruction: "Refund order 4521" })).userInstruction).toBe("Refund order 4521");
  });

  it("12: the task's input is `input.input`, and {} where there is none", async () => {
    expect((await contextOf({ input: { order_id: "4521" } })).taskInput).toEqual({ order_id: "4521" });
    expect((await contextOf({ omitFromBody: ["input.input"] })).taskInput).toEqual({});
    expect((await contextOf({ omitFromBody: ["input"] })).taskInput).toEqual({});
  });

  it("13: a missing prompt is an empty one", async () => {
    expect((await contextOf({ omitFromBody: ["input.user_instruction"] })).userInstruction).toBe("");
    expect((await contextOf({ omitFromBody: ["input"] })).userInstruction).toBe("");
  });

  it("14: the proxy URL of the body wins over that of the header", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond({ seen: true }) } });
    const url = await endpointOf({ agent: async ({ callTool }) => JSON.stringify(await callTool("look", {})) });
    const headers = { "x-pipelines-odyssey-proxy-url": "http://127.0.0.1:9/nowhere" };
    const result = await platform.dispatch(run, url, { authHeader: AUTH, headers });
    expect(result.answer).toBe('{"seen":true}');
  });

  it("15: without one in the body that of the header is used", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond(1) } });
    const url = await endpointOf({ agent: async ({ callTool }) => String(await callTool("look", {})) });
    const result = await platform.dispatch(run, url, { authHeader: AUTH, omitFromBody: ["odyssey_proxy_url"] });
    expect(result.answer).toBe("1");
  });

  it("16: the run token is that of the header", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond(1) } });
    const url = await endpointOf({ agent: async ({ callTool }) => String(await callTool("look", {})) });
    await platform.dispatch(run, url, { authHeader: AUTH });
    expect(run.calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${run.runToken}`]);
  });

  it("17: no proxy URL anywhere is a 400 that names it", async () => {
    const platform = await platformOf();
    const result = await platform.dispatch(platform.openRun(), await endpointOf(), {
      authHeader: AUTH,
      omitFromBody: ["odyssey_proxy_url"],
      omitHeaders: ["X-Pipelines-Odyssey-Proxy-Url"],
    });
    expect(result).toMatchObject({ status: 400, errorClass: "agent_4xx" });
    expect(result.text).toContain("odyssey_proxy_url");
  });

  it("18: no run token is a 400 that names it", async () => {
    const platform = await platformOf();
    const result = await platform.dispatch(platform.openRun(), await endpointOf(), {
      authHeader: AUTH,
      omitHeaders: ["X-Pipelines-Run-Token"],
    });
    expect(result.status).toBe(400);
    expect(result.text).toContain("X-Pipelines-Run-Token");
  });

  it("19: ids are read from headers where the body lacks them", async () => {
    const fromBody = await contextOf();
    expect(fromBody.run).toMatchObject({ runId: expect.any(Number), taskId: expect.any(Number) });
    const omitFromBody = ["run_id", "task_id", "input.task_id", "run_token_jti"];
    const { run } = await contextOf({ omitFromBody });
    expect(run).toMatchObject({ runId: expect.any(Number), taskId: expect.any(Number), jti: expect.any(String) });
    expect(run.agentId).toEqual(expect.any(Number));
  });

  it.each([["not a url"], ["ftp://127.0.0.1/"], ["http://user:pass@127.0.0.1/"], ["http://127.0.0.1/?a=1"]])(
    "a proxy URL that cannot be used is a 400: %s",
    async (url) => {
      const platform = await platformOf();
      const bodyFields = { odyssey_proxy_url: url };
      const result = await platform.dispatch(platform.openRun(), await endpointOf(), { authHeader: AUTH, bodyFields });
      expect(result).toMatchObject({ status: 400, errorClass: "agent_4xx" });
      expect(result.text).toContain("proxyUrl");
    },
  );

  it("a run token that no header can carry is a 400 that does not show it", async () => {
    const platform = await platformOf();
    const bodyFields = { run_token: "with\nline" };
    const result = await platform.dispatch(platform.openRun(), await endpointOf(), { authHeader: AUTH, bodyFields });
    expect(result.status).toBe(400);
    expect(result.text).not.toContain("line");
  });

  it("87: inbound messages are history, and never sent back as the transcript", async () => {
    const history = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello to you" },
    ];
    expect((await contextOf({ messages: history })).history).toEqual(history);
    const platform = await platformOf();
    const result = await platform.dispatch(platform.openRun(), await endpointOf(), {
      authHeader: AUTH,
      messages: history,
    });
    expect(JSON.stringify(result.normalised)).not.toContain("Hello to you");
  });

  it("88: without inbound messages there is no history", async () => {
    expect((await contextOf()).history).toEqual([]);
    expect((await contextOf({ bodyFields: { input: { messages: "none" } } })).history).toEqual([]);
  });
});

const SECRET = "sk-live-very-secret";

describe("secrets", () => {
  it("20: two dispatches at once never use each other's token, proxy or guard", async () => {
    const platform = await platformOf();
    const url = await endpointOf({
      agent: async ({ callTool, userInstruction }) => {
        await callTool("look", { who: userInstruction, turn: 1 });
        return JSON.stringify(await callTool("look", { who: userInstruction, turn: 2 }));
      },
    });
    const open = (name: string): RunOptions => ({ tools: { look: (args) => slow(5, respond({ name, ...args })) } });
    const runs = ["a", "b", "c"].map((name) => ({ name, run: platform.openRun(open(name)) }));
    const results = await Promise.all(
      runs.map(({ name, run }) => platform.dispatch(run, url, { authHeader: AUTH, userInstruction: name })),
    );
    expect(results.map(({ answer }) => answer)).toEqual(
      runs.map(({ name }) => JSON.stringify({ name, who: name, turn: 2 })),
    );
    for (const { name, run } of runs) {
      expect(run.calls.map(({ body }) => body)).toEqual([
        { who: name, turn: 1 },
        { who: name, turn: 2 },
      ]);
      expect(run.calls.every(({ headers }) => headers.authorization === `Bearer ${run.runToken}`)).toBe(true);
    }
  });

  it("21: the run token is in no log, no error, no reply, and not in what the agent is given", async () => {
    const spies = (["log", "info", "warn", "error", "debug"] as const).map((name) => vi.spyOn(console, name));
    const writes = [vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write")];
    const platform = await platformOf();
    const errors: unknown[] = [];
    const contexts: unknown[] = [];
    const run = platform.openRun({ tools: { look: hang() } });
    const url = await endpointOf({
      timeoutMs: 50,
      onError: (error) => errors.push(error),
      agent: async (context) => {
        contexts.push(inspect(context, { depth: 9, showHidden: true }));
        await context.callTool("look", {});
        return "done";
      },
    });
    const result = await platform.dispatch(run, url, { authHeader: AUTH });
    expect(result).toMatchObject({ status: 500, errorClass: "agent_5xx" });
    const heard = [...spies, ...writes].flatMap(({ mock }) => mock.calls);
    const all = inspect([result, errors, contexts, heard], { depth: 12, showHidden: true });
    expect(errors).toHaveLength(1);
    expect(all).not.toContain(run.runToken);
    expect(result.text).toContain("agent_failed");
  });

  it("an agent that throws is a 500 that says nothing but the kind of error", async () => {
    const platform = await platformOf();
    const heard: unknown[] = [];
    const url = await endpointOf({
      onError: (error, ids) => heard.push([error, ids.runId]),
      agent: async () => {
        throw new RangeError(SECRET);
      },
    });
    const run = platform.openRun();
    const result = await platform.dispatch(run, url, { authHeader: AUTH });
    expect(result.status).toBe(500);
    expect(JSON.parse(result.text)).toEqual({
      error: { code: "agent_failed", message: "the agent failed (RangeError)" },
    });
    expect(heard).toEqual([[new RangeError(SECRET), run.runId]]);
  });
});

describe("what an agent or its options get wrong", () => {
  it("a call that the agent forgot about does not bring down the endpoint", async () => {
    const platform = await platformOf();
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const url = await endpointOf({
      agent: async ({ callTool }) => {
        void callTool("missing", {});
        void callTool("stuck", {});
        return "done";
      },
    });
    const run = platform.openRun({ tools: { stuck: hang() } });
    expect((await platform.dispatch(run, url, { authHeader: AUTH })).answer).toBe("done");
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("a listener for errors that fails itself changes nothing", async () => {
    const platform = await platformOf();
    const fails = () => {
      throw new Error("listener");
    };
    const url = await endpointOf({ onError: fails, agent: fails });
    expect(await platform.dispatch(platform.openRun(), url, { authHeader: AUTH })).toMatchObject({ status: 500 });
  });

  it("a listener for errors that fails later ends no process", async () => {
    const platform = await platformOf();
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const fails = async () => Promise.reject(new Error("listener"));
    const url = await endpointOf({ onError: fails, agent: fails });
    expect(await platform.dispatch(platform.openRun(), url, { authHeader: AUTH })).toMatchObject({ status: 500 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("a tool name or a signal of a wrong kind is refused and never sent", async () => {
    const platform = await platformOf();
    const failures: unknown[] = [];
    const url = await endpointOf({
      agent: async ({ callTool }) => {
        for (const given of [
          [["act"], {}],
          [Object("act"), {}],
          [Symbol("act"), {}],
          ["act", {}, { signal: "no" }],
        ]) {
          await Promise.resolve(Reflect.apply(callTool, null, given)).catch((cause: unknown) => failures.push(cause));
        }
        return "done";
      },
    });
    const run = platform.openRun({ tools: { act: respond("fine") } });
    expect((await platform.dispatch(run, url, { authHeader: AUTH })).answer).toBe("done");
    expect({ failures: failures.length, calls: run.calls }).toEqual({ failures: 4, calls: [] });
  });

  it.each([
    [{ retry: { maxAttempts: 0 } }, "retry.maxAttempts"],
    [{ timeoutMs: -1 }, "timeoutMs"],
    [{ throttle: { perMinute: 0 } }, "throttle.perMinute"],
  ])("options that no run could work with are refused at once: %j", (options, name) => {
    expect(() => createDispatchHandler({ ...OPEN, agent: async () => "done", ...options })).toThrow(name);
  });
});

describe("the time of a run", () => {
  it("22: it is 300 s unless given, and more than 1800 s are refused", () => {
    const agent = async () => "done";
    const make = (runTimeoutSeconds: number) => () => createDispatchHandler({ ...OPEN, agent, runTimeoutSeconds });
    for (const seconds of [1800.1, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(make(seconds)).toThrow("`runTimeoutSeconds` must be a number above 0, at most 1800");
    }
    expect(make(1800)).not.toThrow();
    expect([agentTimeMs(300), agentTimeMs(1800), agentTimeMs(10), agentTimeMs(1)]).toEqual([
      298_000, 1_798_000, 9_500, 750,
    ]);
  });

  it("23: a run that times out gets a valid reply in time, and its agent is aborted", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond({ a: 1 }), stuck: hang() } });
    const stopped = vi.fn();
    const url = await endpointOf({
      runTimeoutSeconds: 0.6,
      responseContract: { response_mode: "rich", strictness: "strict" },
      agent: async ({ callTool, signal }) => {
        signal.addEventListener("abort", stopped);
        await callTool("look", {});
        await callTool("stuck", {});
        return "never";
      },
    });
    const result = await platform.dispatch(run, url, {
      authHeader: AUTH,
      timeoutMs: 5000,
      responseContract: { response_mode: "rich", strictness: "strict" },
    });
    expect(result).toMatchObject({ status: 200, errorClass: null, judged: true });
    expect(result.answer).toContain("stopped before the agent had finished");
    expect(result.normalised?.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(stopped).toHaveBeenCalledOnce();
  });

  it("a run whose caller has gone is stopped", async () => {
    const platform = await platformOf();
    const reasons: unknown[] = [];
    const begun: (() => void)[] = [];
    const started = new Promise<void>((resolve) => begun.push(resolve));
    const ended = new Promise<void>((resolve) => begun.push(resolve));
    const url = await endpointOf({
      agent: async ({ signal }) => {
        begun[0]?.();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        reasons.push(signal.reason);
        begun[1]?.();
        return "too late";
      },
    });
    const dispatched = platform.dispatch(platform.openRun(), url, { authHeader: AUTH, timeoutMs: 200 });
    await started;
    await dispatched;
    await ended;
    expect(String(reasons[0])).toContain("the caller disconnected");
  });

  it("what an agent tries after its run makes no call", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond(1) } });
    let late: Promise<unknown> | undefined;
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const url = await endpointOf({
      agent: async ({ callTool }) => {
        late = gate.then(() => callTool("look", {}));
        late.catch(() => undefined);
        return "done";
      },
    });
    await platform.dispatch(run, url, { authHeader: AUTH });
    go();
    await expect(late).rejects.toThrow("the run is over");
    expect(run.calls).toEqual([]);
  });
});

const GUARDED = artifactOf(`
#== look.yaml (with the required fields)
argument_value_invariants: [{ path: $.n, lte: 5 }]
#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { look: 2 } }
`);

describe("guarded calls", () => {
  it("a refused call never reaches the proxy, and the agent and the transcript say why", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond({ ok: true }) } });
    const thrown: unknown[] = [];
    const url = await endpointOf({
      artifact: GUARDED,
      agent: async ({ callTool }) => {
        await callTool("look", { n: 9 }).catch((error: unknown) => thrown.push(error));
        return JSON.stringify(await callTool("look", { n: 5 }));
      },
    });
    const result = await platform.dispatch(run, url, { authHeader: AUTH, userInstruction: "Look" });
    expect(result.answer).toBe('{"ok":true}');
    expect(run.calls.map(({ body }) => body)).toEqual([{ n: 5 }]);
    expect(thrown).toMatchObject([{ name: "ContractViolation", verdict: { reason: "argument_invariant_failed" } }]);
    expect(result.normalised).toEqual([
      { role: "user", content: "Look" },
      { role: "assistant", tool_calls: [{ id: "call_1", name: "look", arguments: { n: 9 } }] },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: expect.stringContaining('"reason":"argument_invariant_failed"'),
      },
      { role: "assistant", tool_calls: [{ id: "call_2", name: "look", arguments: { n: 5 } }] },
      { role: "tool", tool_call_id: "call_2", content: '{"ok":true}' },
      { role: "assistant", content: '{"ok":true}' },
    ]);
    const refusal = JSON.parse(String(result.normalised?.[2]?.content));
    expect(refusal).toMatchObject({
      error: "refused_by_contract",
      rule: expect.stringMatching(/^look\.yaml:\d+$/),
      required: "$.n at most 5",
      found: "9",
      hint: "change the arguments: $.n at most 5",
    });
  });

  it("every run has a guard of its own", async () => {
    const platform = await platformOf();
    const url = await endpointOf({
      artifact: GUARDED,
      agent: async ({ callTool }) => {
        await callTool("look", { n: 1 });
        await callTool("look", { n: 2 });
        return "twice";
      },
    });
    for (let round = 0; round < 3; round++) {
      const run = platform.openRun({ tools: { look: respond({}) } });
      expect((await platform.dispatch(run, url, { authHeader: AUTH })).answer).toBe("twice");
    }
  });

  it("a refusal that the agent does not catch ends the run with a sound reply", async () => {
    const platform = await platformOf();
    const url = await endpointOf({
      artifact: GUARDED,
      agent: async ({ callTool }) => String(await callTool("look", { n: 9 })),
    });
    const result = await platform.dispatch(platform.openRun(), url, { authHeader: AUTH });
    expect(result).toMatchObject({ status: 200, errorClass: null });
    expect(result.answer).toContain("argument_invariant_failed");
  });

  it("the principal may be a function of the run", async () => {
    const artifact = artifactOf(`
#== look.yaml (with the required fields)
policy: { allow: [{ principal: { path: $.run, gte: 0 } }] }
`);
    const platform = await platformOf();
    const seen: unknown[] = [];
    const url = await endpointOf({
      artifact,
      principal: (run) => {
        seen.push(run);
        return { run: run.runId };
      },
      agent: async ({ callTool }) => String(await callTool("look", {})),
    });
    const run = platform.openRun({ tools: { look: respond("seen") } });
    expect((await platform.dispatch(run, url, { authHeader: AUTH })).answer).toBe("seen");
    expect(seen).toEqual([{ runId: run.runId, taskId: run.taskId, agentId: run.agentId, jti: run.jti }]);
  });

  it("a guard that cannot be made, because the principal is missing, is a 500 and no call", async () => {
    const artifact = artifactOf(`
#== look.yaml (with the required fields)
policy: { allow: [{ principal: { path: $.type, equals: agent } }] }
`);
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond(1) } });
    const errors: unknown[] = [];
    const url = await endpointOf({
      artifact,
      onError: (error) => errors.push(error),
      agent: async ({ callTool }) => String(await callTool("look", {})),
    });
    expect(await platform.dispatch(run, url, { authHeader: AUTH })).toMatchObject({ status: 500 });
    expect(run.calls).toEqual([]);
    expect(String(errors[0])).toContain("principal");
  });

  it("a store that is silent holds no reply: the run stops before its agent begins", async () => {
    const platform = await platformOf();
    const run = platform.openRun();
    const agent = vi.fn(async () => "never");
    const silent = new Promise<never>(() => undefined);
    const url = await endpointOf({
      artifact: artifactOf("#== pay.yaml (with the required fields)\n"),
      guard: { store: { load: () => silent, append: () => silent }, storeTimeoutMs: 600_000 },
      runTimeoutSeconds: 0.5,
      agent,
    });
    const result = await platform.dispatch(run, url, { authHeader: AUTH });
    expect(result).toMatchObject({ status: 200, errorClass: null });
    expect(result.answer).toContain("stopped before the agent had finished");
    expect(agent).not.toHaveBeenCalled();
  });

  it("a payment that is running at the timeout stays reserved: its outcome is unknown", async () => {
    const artifact = artifactOf("#== pay.yaml (with the required fields)\nside_effect: financial\n");
    const store = memoryStore();
    const platform = await platformOf();
    const run = platform.openRun({ tools: { pay: hang() } });
    const url = await endpointOf({
      artifact,
      guard: { store },
      sessionId: ({ runId }) => `run-${runId}`,
      runTimeoutSeconds: 0.5,
      agent: async ({ callTool }) => String(await callTool("pay", { amount: 7 })),
    });
    const result = await platform.dispatch(run, url, { authHeader: AUTH });
    expect(result.answer).toContain("stopped before the agent had finished");
    const settled = async () =>
      (await store.load(`run-${run.runId}`, 0)).events.filter(({ kind }) => kind === "settled");
    await vi.waitFor(async () => expect(await settled()).toMatchObject([{ ending: "indeterminate" }]));
  });

  it("a call with a key is sent once, however often the agent makes it", async () => {
    const artifact = artifactOf("#== pay.yaml (with the required fields)\nside_effect: financial\n");
    const platform = await platformOf();
    const run = platform.openRun({ tools: { pay: respond("paid") } });
    const url = await endpointOf({
      artifact,
      agent: async ({ callTool }) => {
        const key = { callKey: "turn-7/call-1" };
        const calls = [callTool("pay", { amount: 7 }, key), callTool("pay", { amount: 7 }, key)];
        return (await Promise.all(calls.map((call) => call.catch(String)))).join(", ");
      },
    });
    const result = await platform.dispatch(run, url, { authHeader: AUTH });
    expect(result.answer).toMatch(/^paid, ContractViolation: pay: call_key_used/);
    expect(run.calls).toHaveLength(1);
  });

  it("an approver is asked, and its answer decides", async () => {
    const artifact = artifactOf(`
#== pay.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 30 }
`);
    const platform = await platformOf();
    const asked: unknown[] = [];
    const url = await endpointOf({
      artifact,
      approver: async ({ tool, args }) => {
        asked.push([tool, args]);
        return { decision: Object(args).amount > 5 ? "deny" : "approve", by: "ann" };
      },
      agent: async ({ callTool }) => {
        const denied = await callTool("pay", { amount: 7 }).catch(String);
        return `${await callTool("pay", { amount: 5 })}, ${denied}`;
      },
    });
    const run = platform.openRun({ tools: { pay: respond("paid") } });
    const result = await platform.dispatch(run, url, { authHeader: AUTH });
    expect(result.answer).toMatch(/^paid, ContractViolation: pay: approval_denied/);
    expect(asked).toEqual([
      ["pay", { amount: 7 }],
      ["pay", { amount: 5 }],
    ]);
    expect(run.calls.map(({ body }) => body)).toEqual([{ amount: 5 }]);
  });

  it("the artifact of a pack with errors, or a changed one, is refused at once and not taken for none", () => {
    const make = (artifact: typeof GUARDED | null) => () =>
      createDispatchHandler({ ...OPEN, artifact, agent: async () => "done" });
    expect(make(null)).toThrow("its pack has errors");
    expect(make({ ...GUARDED, hash: "sha256-0" })).toThrow("hash_mismatch");
    expect(make(GUARDED)).not.toThrow();
  });

  it("an artifact that is only missing is refused at once: that calls go unchecked must be said", () => {
    const options: DispatchOptions = JSON.parse('{ "auth": { "token": "t" } }');
    expect(() => createDispatchHandler({ ...options, agent: async () => "done" })).toThrow('`artifact: "none"`');
  });

  it("without an artifact calls are proxied unguarded, and a warning says so once", async () => {
    const warn = vi.mocked(process.emitWarning);
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond(1) } });
    const url = await endpointOf({ agent: async ({ callTool }) => String(await callTool("look", { n: 9 })) });
    await platform.dispatch(run, url, { authHeader: AUTH });
    await platform.dispatch(run, url, { authHeader: AUTH });
    expect(run.calls).toHaveLength(2);
    expect(warn.mock.calls.filter(([text]) => String(text).includes("without being checked"))).toHaveLength(1);
    await endpointOf({ artifact: GUARDED });
    expect(warn.mock.calls).toHaveLength(1);
  });
});

describe("the side channel", () => {
  it("carries traces and handoffs, and the sub-agent that acts is named with its calls", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond(1) } });
    const url = await endpointOf({
      agent: async ({ callTool, trace, handoff }) => {
        trace("thinking", { text: "hm" });
        handoff({ from: "supervisor", to: "supervisor/refunds" });
        await callTool("look", {}, { actorId: "supervisor/refunds" });
        return "done";
      },
    });
    await platform.dispatch(run, url, { authHeader: AUTH });
    expect(run.traces.map(({ eventType, body }) => [eventType, body])).toEqual([
      ["thinking", expect.objectContaining({ text: "hm" })],
      ["handoff", expect.objectContaining({ to: "supervisor/refunds" })],
    ]);
    expect(run.calls[0]?.headers["x-pipelines-actor-id"]).toBe("supervisor/refunds");
  });

  it.each([["fail"], ["hang"]] as const)("never fails a run, even where it must %s", async (traces) => {
    const platform = await platformOf();
    const run = platform.openRun({ traces });
    const url = await endpointOf({
      agent: async ({ trace }) => {
        for (let count = 0; count < 5; count++) trace("custom", { count });
        return "done";
      },
    });
    expect(await platform.dispatch(run, url, { authHeader: AUTH })).toMatchObject({ status: 200, answer: "done" });
  });
});
