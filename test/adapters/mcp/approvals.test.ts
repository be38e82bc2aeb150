import { join } from "node:path";
import { Client as NewClient } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../../src/stores/open-store.js";
import { openApprovals } from "../../../src/stores/public.js";
import { call, callsIn, deskTarget, folderOfTest, newClient, oldClient, reasonOf, served } from "./harness.js";

type Decision = "approve" | "deny" | "cancel" | "fail";

function answer(decision: Decision) {
  if (decision === "fail") throw new Error("the window is closed");
  return decision === "cancel" ? { action: "cancel" as const } : { action: "accept" as const, content: { decision } };
}

function askedOld(decision: Decision, asked: string[]): OldClient {
  const client = new OldClient({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return answer(decision);
  });
  return client;
}

function askedNew(decision: Decision, asked: string[]): NewClient {
  const client = new NewClient(
    { name: "new", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return answer(decision);
  });
  return client;
}

const CLIENTS = [
  ["older", async (server: Server, ...given: Asked) => oldClient(server, askedOld(...given))],
  ["newer", async (server: Server, ...given: Asked) => newClient(server, askedNew(...given))],
] as const;
type Server = Parameters<typeof oldClient>[0];
type Asked = [decision: Decision, asked: string[]];

describe.each(CLIENTS)("the user of a client of the %s protocol", (name, connect) => {
  it("approves a call, which is then made once", async () => {
    const asked: string[] = [];
    const log = join(folderOfTest(), "log");
    const { guard, server } = await served({ approver: "elicit", upstream: deskTarget({ DESK_LOG: log }) });
    const client = await connect(server, "approve", asked);
    expect(await call(client, "pay", { n: 55 })).toMatchObject({ structuredContent: { ok: true } });
    expect(asked).toEqual([expect.stringContaining("Allow the call of pay?")]);
    expect(await call(client, "pay", { n: 5 })).toMatchObject({ structuredContent: { ok: true } });
    expect(asked).toHaveLength(1);
    expect(callsIn(log)).toEqual([
      ["pay", { n: 55 }],
      ["pay", { n: 5 }],
    ]);
    expect(guard.state()).toMatchObject({ aggregates: { paid: 60 }, unsettled: [] });
  });

  it.each(name === "older" ? (["deny", "cancel", "fail"] as const) : (["deny", "cancel"] as const))(
    "does not approve a call: %s",
    async (decision) => {
      const { guard, server } = await served({ approver: "elicit" });
      const client = await connect(server, decision, []);
      expect(reasonOf(await call(client, "pay", { n: 55 }))).toBe("approval_denied");
      expect(guard.state()).toMatchObject({ aggregates: { paid: 0 }, unsettled: [] });
      expect(await call(client, "pay", { n: 5 })).toMatchObject({ structuredContent: { ok: true } });
    },
  );

  it("is not asked for what is refused anyway", async () => {
    const asked: string[] = [];
    const { server } = await served({ approver: "elicit" });
    const client = await connect(server, "approve", asked);
    expect(reasonOf(await call(client, "pay", { n: 61 }))).toBe("input_invariant_failed");
    expect(asked).toEqual([]);
  });
});

/** A client of the newer protocol that shows what it is asked, and brings back what a test wants. */
async function manualClient(server: Server) {
  const client = new NewClient(
    { name: "new", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      inputRequired: { autoFulfill: false },
    },
  );
  await newClient(server, client);
  return async (args: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const params = { name: "pay", arguments: args, ...more };
    const result: unknown = await client.request({ method: "tools/call", params }, { allowInputRequired: true });
    return result as Parameters<typeof reasonOf>[0] & { requestState?: string; inputRequests?: unknown };
  };
}

const YES = { approval: { action: "accept", content: { decision: "approve" } } };
const KEY = "0123456789abcdef0123456789abcdef";

describe("the state that a client brings back", () => {
  it("is of use once", async () => {
    const { guard, server } = await served({ approver: "elicit" });
    const pay = await manualClient(server);
    const { requestState } = await pay({ n: 55 });
    const again = () => pay({ n: 55 }, { requestState, inputResponses: YES });
    const both = await Promise.all([again(), again()]);
    expect(both.map(reasonOf).filter((reason) => reason === null)).toHaveLength(1);
    expect(reasonOf(await again())).toBe("approval_used");
    expect(guard.state()).toMatchObject({ aggregates: { paid: 55 }, unsettled: [] });
  });

  it("is for one call, and for one session", async () => {
    const first = await served({ approver: "elicit", stateKey: KEY });
    const second = await served({ approver: "elicit", stateKey: KEY });
    const pay = await manualClient(first.server);
    const { requestState } = await pay({ n: 55 });
    expect(await pay({ n: 56 }, { requestState, inputResponses: YES })).toMatchObject({ isError: true });
    const other = await manualClient(second.server);
    await expect(other({ n: 55 }, { requestState, inputResponses: YES })).rejects.toThrow("requestState");
    expect(await pay({ n: 55 }, { requestState, inputResponses: YES })).not.toHaveProperty("isError");
    expect([first.guard.state().aggregates, second.guard.state().aggregates]).toEqual([{ paid: 55 }, { paid: 0 }]);
  });

  it("is rejected where it was changed", async () => {
    const { server } = await served({ approver: "elicit" });
    const pay = await manualClient(server);
    const { requestState = "" } = await pay({ n: 55 });
    const forged = `${requestState.slice(0, -4)}AAAA`;
    await expect(pay({ n: 55 }, { requestState: forged, inputResponses: YES })).rejects.toThrow("requestState");
  });

  it("is enough for another process, which makes the call once", async () => {
    const store = await openStore("memory:");
    onTestFinished(() => store.close());
    const guard = { store, sessionId: "ticket-1", storeArguments: "all" } as const;
    const first = await served({ approver: "elicit", stateKey: KEY, guard });
    const { requestState } = await (await manualClient(first.server))({ n: 55 });
    await first.server.close();
    const second = await served({ approver: "elicit", stateKey: KEY, guard });
    const pay = await manualClient(second.server);
    expect(await pay({ n: 55 }, { requestState, inputResponses: YES })).toMatchObject({ structuredContent: { n: 55 } });
    expect(reasonOf(await pay({ n: 55 }, { requestState, inputResponses: YES }))).not.toBe(null);
    expect(second.guard.state()).toMatchObject({ aggregates: { paid: 55 }, unsettled: [] });
  });
});

describe("an approval that is given elsewhere", () => {
  it.each(["approve", "deny"] as const)("ends the wait of the call: %s", async (decision) => {
    const store = await openStore("memory:");
    onTestFinished(() => store.close());
    const { guard, server } = await served({ guard: { store, sessionId: "ticket-1" } });
    const client = await oldClient(server);
    const paying = call(client, "pay", { n: 55 });
    const approvals = openApprovals(store);
    await expect.poll(async () => (await approvals.list()).length).toBe(1);
    const [request] = await approvals.list();
    await approvals[decision](request?.id ?? "", { by: "ann", why: "asked her" });
    expect(reasonOf(await paying)).toBe(decision === "approve" ? null : "approval_denied");
    expect(guard.state().aggregates).toEqual({ paid: decision === "approve" ? 55 : 0 });
  });
});
