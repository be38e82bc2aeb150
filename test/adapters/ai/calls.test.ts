import { createOpenAI, openai } from "@ai-sdk/openai";
import { generateText, type ModelMessage, stepCountIs, type ToolSet } from "ai";
import { describe, expect, it, vi } from "vitest";
import { guardAgent, RefusedCall } from "../../../src/adapters/ai/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import { openStore } from "../../../src/stores/open-store.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { bare, DONE, endings, pay } from "../agent-replies.js";
import { chatServer, resultOf, type ScriptedReply } from "../chat-server.js";
import { desk, deskGuard, deskTools, type Log } from "./harness.js";

describe("a call that is executed", () => {
  it.each([
    ["answers", pay("a", 10), "committed", '{"ok":true}'],
    ["breaks a rule on its output", pay("a", 13), "violated", "refused by contract (output_invariant_failed)"],
    ["throws", bare("a", "fail"), "indeterminate", "no such order"],
    ["runs out of time", bare("a", "hang"), "indeterminate", "timed out"],
    ["gives several outputs", bare("a", "search"), "committed", "two"],
  ] as const)("is settled where its tool %s", async (_, call, ending, read) => {
    const agent = await desk([{ calls: [call] }, DONE]);
    const ends = endings(agent.guard);
    await agent.generate();
    expect(ends).toEqual([ending]);
    expect(resultOf(agent.server.requests[1], "a")).toContain(read);
  });

  it("is settled where the application gives up, and nothing is made after that", async () => {
    const agent = await desk([{ calls: [bare("a", "hang")] }, { calls: [pay("b", 10)] }, DONE]);
    const ends = endings(agent.guard);
    const giveUp = new AbortController();
    const running = agent.generate({ abortSignal: giveUp.signal });
    while (agent.log.length === 0) await new Promise((done) => setImmediate(done));
    giveUp.abort();
    await expect(running).rejects.toThrow("aborted");
    expect(ends).toEqual(["indeterminate"]);
    expect(agent.log).toEqual(["hang"]);
  });

  it("is released where the application gave up while its reply was judged", async () => {
    const agent = await desk([{ calls: [pay("a", 10)] }, DONE]);
    const giveUp = new AbortController();
    agent.guard.on("decision", () => giveUp.abort());
    await expect(agent.generate({ abortSignal: giveUp.signal })).rejects.toThrow();
    await vi.waitFor(() => expect(agent.guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] }));
    expect(agent.log).toEqual([]);
  });

  it("is not made after a kill, and neither are the others", async () => {
    const agent = await desk([{ calls: [pay("a", 10)] }, DONE]);
    agent.guard.on("decision", () => void agent.guard.kill("over"));
    await expect(agent.generate()).rejects.toThrow("session_killed");
    expect(agent.log).toEqual([]);
  });

  it("gives its refusal to whoever executes it", async () => {
    const guard = await deskGuard();
    const { tools } = guardAgent(guard, { tools: deskTools([]) });
    const made = tools.pay.execute?.({ n: 70 }, { toolCallId: "a", messages: [] });
    await expect(made).rejects.toThrow(RefusedCall);
    await expect(made).rejects.toMatchObject({ verdict: { reason: "input_invariant_failed" } });
  });
});

describe("a tool", () => {
  it("without a function is not accepted: nobody sees how its calls end", async () => {
    const guard = await deskGuard();
    const { execute: _, ...pay } = deskTools([]).pay;
    expect(() => guardAgent(guard, { tools: { pay } })).toThrow("the tool pay has no `execute`");
  });

  it("that the provider runs is accepted under the name of a contract only", async () => {
    const guard = await deskGuard();
    const tools: ToolSet = {};
    Object.assign(tools, { web_search: openai.tools.webSearch({}) });
    expect(() => guardAgent(guard, { tools })).toThrow("`providerTools`");
    expect(guardAgent(guard, { tools, providerTools: { web_search: "search" } }).tools).toEqual(tools);
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
    const model = createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o-2024-08-06");
    const { pay } = deskTools(log);
    const agent = guardAgent(guard, { tools: { pay } });
    const run = () => generateText({ model, prompt: "go", stopWhen: stepCountIs(4), ...agent, ...more });
    return { guard, log, server, run };
  }

  it("does not use the reply to a request that is incompatible", async () => {
    const { run, log } = await ruled([{ calls: [pay("a", 10)] }], { temperature: 0.5 });
    await expect(run()).rejects.toThrow("provider_incompatible");
    expect(log).toEqual([]);
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
});

/** The messages of an application whose user answered the question of the last reply. */
function answeredBy(messages: readonly ModelMessage[], approved: boolean): ModelMessage[] {
  const last = messages.at(-1);
  const parts = last?.role === "assistant" && typeof last.content !== "string" ? last.content : [];
  const asked = parts.find(({ type }) => type === "tool-approval-request");
  if (asked?.type !== "tool-approval-request") throw new Error("nothing was asked");
  const { approvalId } = asked;
  const answer = { type: "tool-approval-response", approvalId, approved, reason: "as agreed" } as const;
  return [{ role: "user", content: "go" }, ...messages, { role: "tool", content: [answer] }];
}

describe("an approval", () => {
  it("is waited for, where somebody else gives it", async () => {
    const agent = await desk([{ calls: [pay("a", 55), pay("b", 10)] }, DONE]);
    agent.guard.on("approval_requested", ({ approvalId }) => void agent.guard.approve(approvalId, { by: "ann" }));
    await agent.generate();
    expect(agent.log).toContain("pay 55");
  });

  it.each([
    [true, ["pay 55"], '{"ok":true}', "approved"],
    [false, [], "as agreed", "denied"],
  ] as const)("is the user's, where the SDK asks for it: %s", async (approved, made, read, end) => {
    const agent = await desk([{ calls: [pay("a", 55)] }, DONE], { approver: "sdk" });
    const answers: unknown[] = [];
    agent.guard.on("approval_answered", (event) => answers.push([event.end, event.by, event.note]));
    const first = await agent.generate();
    expect(agent.log).toEqual([]);
    const messages = answeredBy(first.response.messages, approved);
    const second = await generateText({ ...agent.settings, messages });
    expect(second.text).toBe("done");
    expect(agent.log).toEqual(made);
    expect(answers).toEqual([[end, "user", "as agreed"]]);
    expect(resultOf(agent.server.requests.at(-1), "a")).toContain(read);
    expect(agent.guard.state().unsettled).toEqual([]);
    // The same messages again make no second call.
    await generateText({ ...agent.settings, messages });
    expect(agent.log).toEqual(made);
  });

  it("comes too late after its deadline", async () => {
    let ahead = 0;
    const guard = await deskGuard({ clock: { now: () => Date.now() + ahead } });
    const log: Log = [];
    const server = await chatServer([{ calls: [pay("a", 55)] }, DONE]);
    const model = createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o-2024-08-06");
    const settings = { model, ...guardAgent(guard, { tools: deskTools(log), approver: "sdk" }) };
    const first = await generateText({ ...settings, prompt: "go" });
    ahead = 61_000;
    await generateText({ ...settings, messages: answeredBy(first.response.messages, true) });
    expect(log).toEqual([]);
    expect(resultOf(server.requests[1], "a")).toContain("approval_expired");
  });

  it("is not given by an application that only executes the tool", async () => {
    const agent = await desk([{ calls: [pay("a", 55)] }, DONE], { approver: "sdk" });
    await agent.generate();
    const giveUp = AbortSignal.timeout(20);
    const options = { toolCallId: "a", messages: [], abortSignal: giveUp };
    await expect(agent.settings.tools.pay.execute?.({ n: 55 }, options)).rejects.toThrow();
    expect(agent.log).toEqual([]);
  });

  it.each([true, false])("is taken by a process that did not ask: %s", async (approved) => {
    const store = await openStore("memory:");
    const asking = await deskGuard({ store, sessionId: "s" });
    const log: Log = [];
    const server = await chatServer([{ calls: [pay("a", 55)] }, DONE]);
    const model = createOpenAI({ baseURL: server.url, apiKey: "none" }).chat("gpt-4o-2024-08-06");
    const settings = (guard: Guard) => ({ model, ...guardAgent(guard, { tools: deskTools(log), approver: "sdk" }) });
    const first = await generateText({ ...settings(asking), prompt: "go" });
    const answering = await deskGuard({ store, sessionId: "s" });
    await generateText({ ...settings(answering), messages: answeredBy(first.response.messages, approved) });
    expect(log).toEqual(approved ? ["pay 55"] : []);
    expect(answering.state()).toMatchObject({ aggregates: { paid: approved ? 55 : 0 }, unsettled: [] });
  });
});
