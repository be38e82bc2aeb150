import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it, vi } from "vitest";
import { guardMiddleware } from "../../../src/adapters/langchain/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import { openStore } from "../../../src/stores/open-store.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { bare, DONE, endings, pay } from "../agent-replies.js";
import { chatServer, resultOf, type ScriptedReply } from "../chat-server.js";
import { desk, deskGuard, deskTools, type Log } from "./harness.js";

const CONFIG = { configurable: { thread_id: "one" } };
const INPUT = { messages: [{ role: "user", content: "go" }] };

function modelAt(url: string, more: { temperature?: number } = {}) {
  return new ChatOpenAI({ model: "gpt-4o-2024-08-06", configuration: { baseURL: url }, apiKey: "none", ...more });
}

describe("a call that is executed", () => {
  it.each([
    ["answers", pay("a", 10), "committed", '{"ok":true}'],
    ["breaks a rule on its output", pay("a", 13), "violated", "refused by contract (output_invariant_failed)"],
    [
      "throws",
      { id: "a", name: "fail", args: { n: 1 } },
      "indeterminate",
      "Error: no such order\n Please fix your mistakes.",
    ],
    ["runs out of time", bare("a", "hang"), "indeterminate", "timed out"],
  ] as const)("is settled where its tool %s", async (_, call, ending, read) => {
    const agent = await desk([{ calls: [call] }, DONE]);
    const ends = endings(agent.guard);
    await agent.run();
    expect(ends).toEqual([ending]);
    expect(resultOf(agent.server.requests[1], "a")).toContain(read);
  });

  it("is settled where the application gives up", async () => {
    const agent = await desk([{ calls: [bare("a", "hang")] }, { calls: [pay("b", 10)] }, DONE]);
    const ends = endings(agent.guard);
    const giveUp = new AbortController();
    const running = agent.agent.invoke(agent.input, { ...agent.config, signal: giveUp.signal });
    while (agent.log.length === 0) await new Promise((done) => setImmediate(done));
    giveUp.abort();
    await expect(running).rejects.toThrow();
    // The agent does not wait for its tools.
    await vi.waitFor(() => expect(ends).toEqual(["indeterminate"]));
    expect(agent.log).toEqual(["hang"]);
  });

  it("is released where the application gave up while its reply was judged", async () => {
    const agent = await desk([{ calls: [pay("a", 10)] }, DONE]);
    const giveUp = new AbortController();
    agent.guard.on("decision", () => giveUp.abort());
    await expect(agent.agent.invoke(agent.input, { ...agent.config, signal: giveUp.signal })).rejects.toThrow();
    await vi.waitFor(() => expect(agent.guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] }));
    expect(agent.log).toEqual([]);
  });

  it("is not made after a kill", async () => {
    const agent = await desk([{ calls: [pay("a", 10)] }, DONE]);
    agent.guard.on("decision", () => void agent.guard.kill("over"));
    await expect(agent.run()).rejects.toThrow("session_killed");
    expect(agent.log).toEqual([]);
  });
});

/** An agent with a tool of its own. */
async function withTool(run: () => Promise<string>, options: { version?: "v1" | "v2" } = {}) {
  const guard = await deskGuard();
  const server = await chatServer([{ calls: [bare("a", "look"), bare("b", "search")] }, DONE]);
  const log: Log = [];
  const agent = createAgent({
    model: modelAt(server.url),
    tools: [
      tool(run, { name: "search", description: "asks", schema: { type: "object", properties: {} } }),
      ...deskTools(log).filter(({ name }) => name === "look"),
    ],
    middleware: [guardMiddleware(guard)],
    checkpointer: new MemorySaver(),
    ...options,
  });
  return { guard, server, agent, log };
}

describe("a tool that interrupts its graph", () => {
  it.each(["v1", "v2"] as const)("stays one call, and so do those beside it (%s)", async (version) => {
    const { interrupt } = await import("@langchain/langgraph");
    const { agent, guard, server, log } = await withTool(async () => `you said ${interrupt("well?")}`, { version });
    const ends = endings(guard);
    await agent.invoke(INPUT, CONFIG);
    expect(guard.unsettled().map(({ tool: name }) => name)).toEqual(["search"]);
    await agent.invoke(new Command({ resume: "yes" }), CONFIG);
    expect(resultOf(server.requests[1], "b")).toBe("you said yes");
    expect(resultOf(server.requests[1], "a")).toBe('{"seen":true}');
    expect(log).toEqual(["look"]);
    expect(ends).toEqual(["committed", "committed"]);
    expect(guard.state()).toMatchObject({ toolCalls: 2, unsettled: [] });
  });
});

const RULES = `
#== session.yaml (with the required fields)
provider_constraints: { openai: { block_incompatible: ["temperature"] } }
#== pay.yaml (with the required fields)
response_format_invariants: { content_when_tool_calls: empty }
`;

describe("the model's side", () => {
  async function ruled(script: readonly ScriptedReply[], more: { temperature?: number } = {}) {
    const guard = await createGuard(artifactOf(RULES), { env: {} });
    const log: Log = [];
    const server = await chatServer(script);
    const tools = deskTools(log).filter(({ name }) => name === "pay");
    const agent = createAgent({ model: modelAt(server.url, more), tools, middleware: [guardMiddleware(guard)] });
    return { log, server, run: () => agent.invoke(INPUT) };
  }

  it("does not send a request that is incompatible", async () => {
    const { run, server } = await ruled([{ calls: [pay("a", 10)] }], { temperature: 0.5 });
    await expect(run()).rejects.toThrow("provider_incompatible");
    expect(server.requests).toEqual([]);
  });

  it("refuses the calls of a reply that breaks the format of its tool", async () => {
    const { run, log, server } = await ruled([
      { text: "Paying now.", calls: [pay("a", 10)] },
      { calls: [pay("b", 10)] },
      DONE,
    ]);
    await run();
    expect(log).toEqual(["pay 10"]);
    expect(resultOf(server.requests[1], "a")).toContain("response_format_violated");
  });

  it("refuses tools that the provider runs, unless they have a contract", async () => {
    const server = await chatServer([DONE]);
    const agentWith = async (providerTools: Readonly<Record<string, string>>) => {
      const middleware = [guardMiddleware(await deskGuard(), { providerTools })];
      return createAgent({ model: modelAt(server.url), tools: [{ type: "web_search_preview" }], middleware });
    };
    await expect((await agentWith({})).invoke(INPUT)).rejects.toThrow("`providerTools`");
    expect(server.requests).toEqual([]);
  });
});

describe("a request that is repeated", () => {
  it("is one step, where the middleware that repeats it comes after", async () => {
    const guard = await deskGuard();
    const log: Log = [];
    const server = await chatServer([{ status: 429 }, { status: 429 }, { calls: [pay("a", 10)] }, DONE]);
    const retry = createMiddleware({
      name: "retry",
      wrapModelCall: async (request, handler) => {
        for (let attempt = 1; attempt < 3; attempt++) {
          try {
            return await handler(request);
          } catch {}
        }
        return handler(request);
      },
    });
    const middleware = [guardMiddleware(guard), retry];
    const agent = createAgent({ model: modelAt(server.url), tools: deskTools(log), middleware });
    await agent.invoke(INPUT);
    expect(server.requests).toHaveLength(4);
    expect(guard.state()).toMatchObject({ steps: 2, toolCalls: 1, unsettled: [] });
    expect(log).toEqual(["pay 10"]);
  });
});

const yes = { decisions: [{ type: "approve" }] };
const no = { decisions: [{ type: "reject", message: "not this one" }] };

describe("an approval", () => {
  it("is waited for, where somebody else gives it", async () => {
    const agent = await desk([{ calls: [pay("a", 55)] }, DONE]);
    agent.guard.on("approval_requested", ({ approvalId }) => void agent.guard.approve(approvalId, { by: "ann" }));
    await agent.run();
    expect(agent.log).toEqual(["pay 55"]);
  });

  it.each([
    ["yes", yes, ["pay 55"], '{"ok":true}', "approved"],
    ["no", no, [], "refused by contract (approval_denied)", "denied"],
    ["nothing that is a yes", "sure", [], "refused by contract (approval_denied)", "denied"],
  ] as const)("is the user's, where the graph asks: %s", async (_, resume, made, read, end) => {
    const agent = await desk([{ calls: [pay("a", 55)] }, DONE], { approver: "interrupt" });
    const answers: unknown[] = [];
    agent.guard.on("approval_answered", (event) => answers.push([event.end, event.by]));
    expect(await agent.run()).toMatchObject({
      __interrupt__: [{ value: { actionRequests: [{ name: "pay", args: { n: 55 } }] } }],
    });
    expect(agent.log).toEqual([]);
    await agent.agent.invoke(new Command({ resume }), agent.config);
    expect(agent.log).toEqual(made);
    expect(answers).toEqual([[end, "user"]]);
    expect(resultOf(agent.server.requests[1], "a")).toContain(read);
    expect(agent.guard.state().unsettled).toEqual([]);
  });

  it("comes too late after its deadline", async () => {
    let ahead = 0;
    const guard = await deskGuard({ clock: { now: () => Date.now() + ahead } });
    const server = await chatServer([{ calls: [pay("a", 55)] }, DONE]);
    const log: Log = [];
    const agent = createAgent({
      model: modelAt(server.url),
      tools: deskTools(log),
      middleware: [guardMiddleware(guard, { approver: "interrupt" })],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke(INPUT, CONFIG);
    ahead = 61_000;
    await agent.invoke(new Command({ resume: yes }), CONFIG);
    expect(log).toEqual([]);
    expect(resultOf(server.requests[1], "a")).toContain("approval_expired");
  });

  it.each([
    [yes, ["pay 55"]],
    [no, []],
  ])("is taken by a process that did not ask", async (resume, made) => {
    const store = await openStore("memory:");
    const checkpointer = new MemorySaver();
    const server = await chatServer([{ calls: [pay("a", 55)] }, DONE]);
    const log: Log = [];
    const agentOf = async () => {
      const guard = await deskGuard({ store, sessionId: "s" });
      const middleware = [guardMiddleware(guard, { approver: "interrupt" })];
      return {
        guard,
        agent: createAgent({ model: modelAt(server.url), tools: deskTools(log), middleware, checkpointer }),
      };
    };
    await (await agentOf()).agent.invoke(INPUT, CONFIG);
    const { agent, guard } = await agentOf();
    await agent.invoke(new Command({ resume }), CONFIG);
    expect(log).toEqual(made);
    expect(guard.state().unsettled).toEqual([]);
  });
});
