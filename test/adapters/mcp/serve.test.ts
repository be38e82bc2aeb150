import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { askMcpServer } from "../../../src/cli/init/ask-mcp-server.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { plainContract } from "../agent-pack.js";
import {
  call,
  callsIn,
  deskTarget,
  folderOfTest,
  names,
  newClient,
  oldClient,
  PACK,
  publishedTarget,
  reasonOf,
  served,
} from "./harness.js";

/** The signal of a call: the two clients take it at different places. */
function given(client: object, signal: AbortSignal): never[] {
  return (client instanceof OldClient ? [undefined, { signal }] : [{ signal }]) as never[];
}

const CLIENTS = [
  ["older", oldClient],
  ["newer", newClient],
] as const;
const UPSTREAMS = [
  ["both protocols", {}],
  ["the newer protocol alone", { DESK_LEGACY: "reject" }],
] as const;

describe.each(CLIENTS)("a client of the %s protocol", (_, connect) => {
  it.each(UPSTREAMS)("calls tools of a server of %s under their contracts", async (__, env) => {
    const log = join(folderOfTest(), "log");
    const { guard, server } = await served({ upstream: deskTarget({ ...env, DESK_LOG: log }) });
    const client = await connect(server);
    expect(await call(client, "pay", { n: 40 })).toMatchObject({ structuredContent: { ok: true, n: 40 } });
    const refused = await call(client, "pay", { n: 61 });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0]?.text).toContain("because: Nobody pays more than 60 at once");
    expect(reasonOf(refused)).toBe("input_invariant_failed");
    expect(reasonOf(await call(client, "nothing"))).toBe("unmatched_tool");
    expect(callsIn(log)).toEqual([["pay", { n: 40 }]]);
    expect(guard.state()).toMatchObject({ aggregates: { paid: 40 }, unsettled: [] });
  });

  it("does not see an output that breaks a rule, and the effect is counted", async () => {
    const { guard, server } = await served();
    const refused = await call(await connect(server), "pay", { n: 13 });
    expect(refused.content.map(({ text }) => text).join()).not.toContain("paid");
    expect(reasonOf(refused)).toBe("output_invariant_failed");
    expect(guard.state()).toMatchObject({ aggregates: { paid: 13 }, unsettled: [] });
  });

  it("gets the error of a tool, which may have had its effect", async () => {
    const { guard, server } = await served();
    const failed = await call(await connect(server), "fail");
    expect(failed).toMatchObject({ isError: true, content: [{ text: "no such order" }] });
    expect(guard.state().unsettled).toMatchObject([{ tool: "fail", status: "indeterminate" }]);
  });

  it("gets the error of a server that rejects the call, which had no effect", async () => {
    const { guard, server } = await served();
    expect(await call(await connect(server), "reject")).toMatchObject({ isError: true });
    expect(guard.state().unsettled).toEqual([]);
  });

  it("can give up a call, which stays counted", async () => {
    const artifact = artifactOf(PACK.replace("total_ms: 300", "total_ms: 60000"));
    const { guard, server } = await served({ artifact });
    const client = await connect(server);
    const giveUp = new AbortController();
    const calling = client.callTool({ name: "hang", arguments: {} }, ...given(client, giveUp.signal));
    await expect.poll(() => guard.state().unsettled).toMatchObject([{ tool: "hang", status: "running" }]);
    giveUp.abort();
    await expect(calling).rejects.toThrow();
    await expect.poll(() => guard.state().unsettled).toMatchObject([{ tool: "hang", status: "indeterminate" }]);
  });

  it("gets an error in time where the server hangs, and the call stays counted", async () => {
    const { guard, server } = await served();
    const late = await call(await connect(server), "hang");
    expect(late).toMatchObject({ isError: true });
    expect(guard.state().unsettled).toMatchObject([{ tool: "hang", status: "indeterminate" }]);
  });

  it("gets an error where the server ends, and no call is sent after that", async () => {
    const { guard, server } = await served();
    const client = await connect(server);
    expect(await call(client, "crash")).toMatchObject({ isError: true });
    expect(guard.state().unsettled).toMatchObject([{ tool: "crash", status: "indeterminate" }]);
    expect(await call(client, "pay", { n: 1 })).toMatchObject({ isError: true });
    expect(guard.state().aggregates).toEqual({ paid: 0 });
    expect(await server.ended).toBe("upstream");
  });

  it("gets told that the server says more than can be read, which ends the connection", async () => {
    const artifact = artifactOf(`${PACK}${plainContract("flood", "side_effect: write")}`);
    const { guard, server } = await served({ artifact });
    const client = await connect(server);
    const { isError, content } = await call(client, "flood");
    expect({ isError, text: content[0]?.text }).toEqual({
      isError: true,
      text: expect.stringContaining("more than 10 MiB"),
    });
    expect(guard.state().unsettled).toMatchObject([{ tool: "flood", status: "indeterminate" }]);
    expect(await server.ended).toBe("upstream");
  });

  it("passes on the context of its trace, and nothing else of what no rule judges", async () => {
    const { server } = await served();
    const client = await connect(server);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const _meta = { traceparent, baggage: "a=1", "example.com/secret": "x" };
    const result = await client.callTool({ name: "meta", arguments: {}, _meta });
    expect(result.structuredContent).toEqual({ meta: expect.objectContaining({ traceparent, baggage: "a=1" }) });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("is told what the contract says of a tool, and not what the server says", async () => {
    const { server } = await served();
    const { tools } = await (await connect(server)).listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints).toMatchObject({
      look: { readOnlyHint: true, destructiveHint: false },
      pay: { readOnlyHint: false, destructiveHint: true },
    });
  });

  it("cannot call a tool that says something else than before, nor see it", async () => {
    const { server } = await served();
    const client = await connect(server);
    expect(await call(client, "look")).toMatchObject({ content: [{ text: "an order" }] });
    await call(client, "poison");
    expect(await names(client)).not.toContain("look");
    expect(reasonOf(await call(client, "look"))).toBe("tool_definition_changed");
  });

  it("cannot call a tool that is not the one that was compiled", async () => {
    const tools = [{ name: "look", description: "Looks at an order", inputSchema: { type: "object" } }];
    const artifact = artifactOf(`${PACK}#== tools.json\n${JSON.stringify(tools)}\n`);
    const { server } = await served({ artifact });
    expect(reasonOf(await call(await connect(server), "look"))).toBe("tool_definition_changed");
  });
});

describe("a request whose id was used before", () => {
  it.each(["manual", "elicit"] as const)("is one call, with approvals by %s", async (approver) => {
    const { guard, server } = await served({ approver });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const answers: unknown[] = [];
    ours.onmessage = (message) => answers.push(message);
    server.stdio({ transport: theirs });
    await ours.start();
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await ours.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    await expect.poll(() => answers.length).toBe(1);
    await ours.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    for (const expected of [2, 3]) {
      await ours.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "pay", arguments: { n: 5 } } });
      await expect.poll(() => answers.length).toBe(expected);
    }
    expect(JSON.stringify(answers[2])).toContain("call_key_used");
    expect(guard.state().aggregates).toEqual({ paid: 5 });
  });
});

describe("the tools that are listed", () => {
  it("follow the phase in the older protocol, which is told when they change", async () => {
    const { server } = await served();
    const client = await oldClient(server);
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    expect(await names(client)).toContain("look");
    await call(client, "meta");
    expect(changes).toBe(0);
    await call(client, "file");
    await expect.poll(() => changes).toBe(1);
    expect(await names(client)).not.toContain("look");
    expect(reasonOf(await call(client, "look"))).toBe("phase_not_allowed");
  });

  it("do not vary in the newer protocol, where the call is refused", async () => {
    const { server } = await served();
    const client = await newClient(server);
    const before = await names(client);
    await call(client, "file");
    expect(await names(client)).toEqual(before);
    expect(before).toContain("look");
    expect(reasonOf(await call(client, "look"))).toBe("phase_not_allowed");
  });
});

describe("published servers", () => {
  it("run behind the guard: filesystem", async () => {
    const folder = folderOfTest();
    writeFileSync(join(folder, "a.txt"), "hello");
    const pack = `
#== read_text_file.yaml (with the required fields)
#== write_file.yaml (with the required fields)
side_effect: write
assertions: { input_invariants: [{ path: $.path, regex: '[.]txt$' }], output_invariants: [] }
`;
    const upstream = publishedTarget("server-filesystem", {}, folder);
    const { guard, server } = await served({ artifact: artifactOf(pack), upstream });
    const client = await oldClient(server);
    expect((await names(client)).sort()).toEqual(["read_text_file", "write_file"]);
    const read = await call(client, "read_text_file", { path: join(folder, "a.txt") });
    expect(read.content[0]?.text).toBe("hello");
    expect(await call(client, "write_file", { path: join(folder, "b.txt"), content: "x" })).not.toHaveProperty(
      "isError",
    );
    const refused = await call(client, "write_file", { path: join(folder, "b.sh"), content: "x" });
    expect(reasonOf(refused)).toBe("input_invariant_failed");
    expect(reasonOf(await call(client, "move_file", {}))).toBe("unmatched_tool");
    expect(guard.state()).toMatchObject({ toolCalls: 2, unsettled: [] });
  });

  it("run behind the guard: everything", async () => {
    const pack = `
#== echo.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.message, length_lte: 10 }], output_invariants: [] }
`;
    const upstream = publishedTarget("server-everything", {}, "stdio");
    const { server } = await served({ artifact: artifactOf(pack), upstream });
    const client = await newClient(server);
    expect(await names(client)).toEqual(["echo"]);
    expect((await call(client, "echo", { message: "hi" })).content[0]?.text).toContain("hi");
    expect(reasonOf(await call(client, "echo", { message: "hello hello" }))).toBe("input_invariant_failed");
  });

  it("run behind the guard: memory", async () => {
    const pack = `
#== create_entities.yaml (with the required fields)
side_effect: write
assertions:
  input_invariants: [{ path: "$.entities[*].entityType", one_of: [person] }]
  output_invariants: [{ path: "$.entities[*].name", exists: true }]
#== read_graph.yaml (with the required fields)
`;
    const file = join(folderOfTest(), "memory.jsonl");
    const upstream = publishedTarget("server-memory", { MEMORY_FILE_PATH: file });
    const { guard, server } = await served({ artifact: artifactOf(pack), upstream });
    const client = await oldClient(server);
    const entity = (entityType: string) => ({ entities: [{ name: "Ann", entityType, observations: [] }] });
    expect(await call(client, "create_entities", entity("person"))).not.toHaveProperty("isError");
    expect(reasonOf(await call(client, "create_entities", entity("robot")))).toBe("input_invariant_failed");
    expect((await call(client, "read_graph")).structuredContent).toMatchObject({ entities: [{ name: "Ann" }] });
    expect(guard.state().unsettled).toEqual([]);
  });

  it.each(["server-memory", "server-everything", "server-filesystem"])(
    "offer what a pack was written from, and nothing counts as changed: %s",
    async (name) => {
      const upstream = publishedTarget(name, {}, name === "server-everything" ? "stdio" : folderOfTest());
      const tools = await askMcpServer([upstream.command, ...upstream.args], {
        cwd: ".",
        env: process.env,
        version: "1",
      });
      const offered = tools.map((tool) => String(Object(tool).name));
      const contracts = offered.map((tool) => `#== ${tool}.yaml (with the required fields)\n`).join("");
      const session = '#== session.yaml (with the required fields)\nschema_version: "1.1"\n';
      const artifact = artifactOf(`${session}${contracts}#== tools.json\n${JSON.stringify(tools)}\n`);
      expect(artifact.packs[0]?.tools.filter(({ definition }) => definition === undefined)).toEqual([]);
      const { server } = await served({ artifact, upstream });
      expect((await names(await oldClient(server))).sort()).toEqual(offered.sort());
    },
  );
});
