import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createCodeRun, readCodeEnvironment } from "../../src/pipelines/dispatch/code-mode.js";
import { artifactOf } from "../support/guard-artifact.js";
import { respond } from "./platform/behaviour.js";
import { platformOf } from "./platform/platform-of.js";

beforeEach(() => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

const ARTIFACT = artifactOf("#== look.yaml (with the required fields)\n");

describe("code mode", () => {
  it("90: a run takes the task and its proxy, and gives the body of a reply", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond({ seen: true }) } });
    const start = createCodeRun({
      artifact: ARTIFACT,
      agent: async ({ userInstruction, taskInput, callTool }) => {
        const seen = await callTool("look", Object(taskInput));
        return { finalResponse: `${userInstruction}: ${JSON.stringify(seen)}`, metadata: { model: "m" } };
      },
    });
    const taskInput = { user_instruction: "Look", input: { order_id: "1" }, task_id: 7 };
    const body = await start(taskInput, { proxyUrl: run.proxyUrl, runToken: run.runToken });
    expect(body).toMatchObject({
      final_response: 'Look: {"seen":true}',
      metadata: { model: "m" },
      messages: [{ role: "user" }, { role: "assistant" }, { role: "tool" }, { role: "assistant" }],
    });
    expect(run.calls.map(({ body: sent }) => sent)).toEqual([{ order_id: "1" }]);
  });

  it("a task without a prompt and an input has empty ones", async () => {
    const platform = await platformOf();
    const { proxyUrl, runToken } = platform.openRun();
    const agent = vi.fn(async () => "done");
    await createCodeRun({ agent, artifact: "none" })({}, { proxyUrl, runToken });
    expect(agent).toHaveBeenCalledWith(expect.objectContaining({ userInstruction: "", taskInput: {}, history: [] }));
  });

  it("an agent that fails makes the run throw, without telling what it said", async () => {
    const platform = await platformOf();
    const { proxyUrl, runToken } = platform.openRun();
    const agent = async () => {
      throw new Error("secret");
    };
    await expect(createCodeRun({ agent, artifact: "none" })({}, { proxyUrl, runToken })).rejects.toThrow(
      "the agent failed (Error)",
    );
  });

  it("a run needs its proxy and its token", async () => {
    const start = createCodeRun({ agent: async () => "done", artifact: "none" });
    await expect(start({}, { proxyUrl: "", runToken: "x" })).rejects.toThrow("`proxyUrl`");
    await expect(start({}, { proxyUrl: "http://127.0.0.1:1", runToken: "" })).rejects.toThrow("`runToken`");
  });

  const ENV = {
    PIPELINES_ODYSSEY_PROXY_URL: "http://127.0.0.1:1/runs/a",
    PIPELINES_RUN_TOKEN: "t0ken",
    PIPELINES_RUN_TOKEN_JTI: "jti",
    PIPELINES_RUN_ID: "17",
    PIPELINES_TASK_ID: "42",
    _PIPELINES_TASK_INPUT_JSON: '{"user_instruction":"Look","input":{"a":1},"task_id":42}',
  };

  it("91: the six environment variables carry the same values", () => {
    expect(readCodeEnvironment(ENV)).toEqual({
      taskInput: { user_instruction: "Look", input: { a: 1 }, task_id: 42 },
      proxyUrl: "http://127.0.0.1:1/runs/a",
      runToken: "t0ken",
      runId: "17",
      taskId: "42",
      jti: "jti",
    });
  });

  it.each([["PIPELINES_ODYSSEY_PROXY_URL"], ["PIPELINES_RUN_TOKEN"], ["_PIPELINES_TASK_INPUT_JSON"]])(
    "a missing %s is named",
    (name) => {
      expect(() => readCodeEnvironment({ ...ENV, [name]: undefined })).toThrow(`variable ${name} is not set`);
    },
  );

  it("a task that is no JSON is refused without being quoted", () => {
    const env = { ...ENV, _PIPELINES_TASK_INPUT_JSON: "{secret" };
    expect(() => readCodeEnvironment(env)).toThrow("the environment variable _PIPELINES_TASK_INPUT_JSON is not JSON");
  });
});
