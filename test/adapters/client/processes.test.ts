import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { encodeArtifact } from "../../../src/artifact/encode.js";
import { openStore } from "../../../src/stores/open-store.js";
import { storeFolder } from "../../support/store-folder.js";
import { CLIENT_ARTIFACT, counted, DONE, opened, pay, TOOLS } from "./pack.js";
import { chatWire, type Turn, wireServer } from "./wire.js";

const PROCESS = fileURLToPath(new URL("results-process.mjs", import.meta.url));
const tools = TOOLS.map((name) => ({ type: "function", function: { name } }));
const run = promisify(execFile);

/** An application that is a process for each of its requests, and keeps its messages elsewhere. */
async function application(turns: readonly Turn[]) {
  const url = `sqlite:${join(storeFolder(), "guard.db")}`;
  const server = await wireServer(chatWire, turns);
  const artifact = encodeArtifact(CLIENT_ARTIFACT);
  const messages: unknown[] = [{ role: "user", content: "go" }];
  const say = async (...results: readonly { readonly id: string; readonly content: string }[]) => {
    messages.push(...results.map(({ id, content }) => ({ role: "tool", tool_call_id: id, content })));
    const body = { model: "m-2026-01-01", messages, tools };
    const setting = { url, artifact, sessionId: "s", baseURL: `${server.url}/v1`, body };
    const { stdout } = await run(process.execPath, [PROCESS, JSON.stringify(setting)]);
    const message: OpenAI.ChatCompletionMessage = JSON.parse(stdout);
    messages.push(message);
    return message;
  };
  const session = async () => {
    const store = await openStore(url);
    const guard = await opened({ store, sessionId: "s" });
    const state = counted(guard);
    await store.close();
    return state;
  };
  return { say, session, received: server.received };
}

describe("an application that is another process for each request", () => {
  it("has the results of its calls settled by the process that brings them", async () => {
    const { say, session } = await application([{ calls: [pay("a", 30), pay("b", 20)] }, DONE]);
    expect((await say()).tool_calls).toHaveLength(2);
    expect(await session()).toMatchObject({ paid: 50, toolCalls: 2, unsettled: ["pay", "pay"] });
    await say({ id: "a", content: '{"ok":true}' }, { id: "b", content: '{"ok":true}' });
    expect(await session()).toMatchObject({ paid: 50, toolCalls: 2, unsettled: [] });
  });

  it("keeps a call unsettled whose result no process brings", async () => {
    const { say, session } = await application([{ calls: [pay("a", 30)] }, { calls: [pay("b", 90)] }, DONE]);
    await say();
    expect((await say()).content).toBe("All done.");
    expect(await session()).toMatchObject({ paid: 30, unsettled: ["pay"] });
  });

  it("gets a result that breaks a rule replaced by the process that settles it, and by no later one", async () => {
    const { say, received } = await application([{ calls: [pay("a", 30)] }, DONE, DONE]);
    await say();
    await say({ id: "a", content: '{"ok":false}' });
    expect(JSON.stringify(received[1]?.body.messages)).toContain("output_invariant_failed");
    await say();
    expect(JSON.stringify(received[2]?.body.messages)).not.toContain("output_invariant_failed");
  });
});
