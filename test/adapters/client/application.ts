import { describe, expect, it } from "vitest";
import { createGuard } from "../../../src/guard/guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { deskPack } from "../agent-pack.js";
import { counted, DONE, file, look, opened, pay } from "./pack.js";
import type { Talk, TalkSetting } from "./talk.js";

const given = (id: string, tool: string, args: object = {}) => ({ id, tool, args: JSON.stringify(args) });
const PAID = JSON.stringify({ ok: true });

/** What an application sees that executes the calls of the model itself, without guarded tools. */
export function describeApplications(
  talks: readonly (readonly [string, (setting: TalkSetting) => Promise<Talk>, boolean])[],
  codeOf: (cause: unknown) => unknown,
): void {
  describe.each(talks)("an application that executes calls itself, over %s", (_, talk, stream) => {
    it("gets calls that may be made, and their results are settled when the next request brings them", async () => {
      const { guard, say } = await talk({
        stream,
        turns: [{ text: "One moment.", calls: [pay("a", 30), look("b")] }, DONE],
      });
      expect(await say()).toEqual({ text: "One moment.", calls: [given("a", "pay", { n: 30 }), given("b", "look")] });
      expect(counted(guard)).toEqual({ steps: 1, toolCalls: 2, paid: 30, unsettled: ["pay", "look"] });
      expect(await say({ id: "a", content: PAID }, { id: "b", content: "an order" })).toMatchObject({
        text: "All done.",
      });
      expect(counted(guard)).toEqual({ steps: 2, toolCalls: 2, paid: 30, unsettled: [] });
    });

    it("never gets a refused call: the model reads why, until it corrects itself", async () => {
      const turns = [
        { text: "Paying. ", calls: [pay("a", 70)] },
        { calls: [pay("b", 61)] },
        { calls: [pay("c", 60 - 20)] },
        DONE,
      ];
      const { guard, say, read } = await talk({ stream, turns });
      const { calls, text } = await say();
      expect(calls).toEqual([given("c", "pay", { n: 40 })]);
      // In a stream the text had been passed on before the call was judged.
      expect(text).toBe(stream ? "Paying. " : "");
      expect(Object.keys(read())).toEqual(["a", "b"]);
      expect(read().a).toContain("because: Nobody pays more than 60 at once");
      expect(read().b).toContain("hint: change the arguments: $.n at most 60");
      expect(counted(guard)).toMatchObject({ steps: 3, paid: 40 });
    });

    it.each([
      ["reject_all", [], ["a", "b", "c"], 0],
      ["strip_partial", ["a"], ["b", "c"], 10],
      ["strip_blocked", ["a", "c"], ["b"], 30],
    ] as const)("gets what %s leaves of a reply, and the model reads of the rest", async (gate, left, told, paid) => {
      const turns = [{ calls: [pay("a", 10), pay("b", 70), pay("c", 20)] }, DONE, DONE];
      const { guard, say, read } = await talk({ stream, turns, options: { gate } });
      const { calls } = await say();
      expect(calls.map(({ id }) => id)).toEqual(left);
      if (left.length > 0) await say(...left.map((id) => ({ id, content: PAID })));
      const results = read();
      expect(Object.keys(results).sort()).toEqual(["a", "b", "c"]);
      for (const id of told) expect(results[id]).toContain("refused by contract (input_invariant_failed)");
      for (const id of left) expect(results[id]).toBe(PAID);
      expect(counted(guard)).toMatchObject({ paid, unsettled: [] });
    });

    it("hides an output that breaks a rule from the model, in every request from then on", async () => {
      const turns = [{ calls: [pay("a", 10)] }, { calls: [look("b")] }, DONE];
      const { guard, say, read } = await talk({ stream, turns });
      await say();
      await say({ id: "a", content: '{"ok":false,"iban":"DE00"}' });
      await say({ id: "b", content: "an order" });
      expect(read().a).toContain("refused by contract (output_invariant_failed)");
      expect(JSON.stringify(read())).not.toContain("DE00");
      expect(counted(guard)).toMatchObject({ paid: 10, unsettled: [] });
    });

    it("lets the model read an output that breaks a rule in shadow mode", async () => {
      const turns = [{ calls: [pay("a", 10)] }, DONE];
      const { guard, say, read } = await talk({ stream, turns, guardOptions: { mode: "shadow" } });
      await say();
      await say({ id: "a", content: '{"ok":false}' });
      expect(read().a).toBe('{"ok":false}');
      expect(counted(guard)).toMatchObject({ paid: 10, unsettled: [] });
    });

    it("gets no call whose arguments are no JSON: the model is asked for others", async () => {
      const turns = [
        { calls: [{ id: "a", tool: "pay", args: '{"n": 1' }, pay("b", 1)] },
        { calls: [pay("c", 2)] },
        DONE,
      ];
      const { guard, say, read } = await talk({ stream, turns });
      expect((await say()).calls).toEqual([given("c", "pay", { n: 2 })]);
      expect(read().a).toContain("response_unreadable");
      expect(read().b).toContain("response_unreadable");
      expect(counted(guard)).toMatchObject({ paid: 2, toolCalls: 1 });
    });

    it("counts one step for a request, however often the SDK tries it", async () => {
      const turns = [{ status: 429 }, { status: 500 }, { calls: [look("a")] }];
      const { guard, say, received } = await talk({ stream, turns });
      expect((await say()).calls).toHaveLength(1);
      expect(received.map(({ retry }) => retry)).toEqual(["0", "1", "2"]);
      expect(counted(guard)).toMatchObject({ steps: 1, toolCalls: 1 });
    });

    it("is not given a call of a reply that was cut", async () => {
      const turns = [{ text: "Let me see.", calls: [pay("a", 30)], cutAfter: stream ? -200 : 100 }, DONE];
      const { guard, say } = await talk({ stream, turns });
      const reply = await say().catch((cause: unknown) => ({ calls: [], cause }));
      expect(reply.calls).toEqual([]);
      // Without a stream the SDK may try again.
      if (stream) expect(reply).toHaveProperty("cause");
      expect(counted(guard)).toMatchObject({ toolCalls: 0, unsettled: [], paid: 0 });
    });

    it("ends where the model goes on with calls that are refused", async () => {
      const { guard, say, received } = await talk({ stream, turns: [{ calls: [pay("a", 99)] }] });
      await expect(say()).rejects.toThrow(/refused/);
      expect(received.length).toBe(10);
      expect(counted(guard)).toMatchObject({ toolCalls: 0, unsettled: [] });
    });

    it("ends by the circuit breaker where the model never corrects itself", async () => {
      const pack = deskPack("session_limits: { circuit_breaker: { consecutive_blocks: 3 } }");
      const guard = await createGuard(artifactOf(pack), { env: {} });
      const turns = Array.from({ length: 5 }, (_, at) => ({ calls: [pay(`call_${at}`, 70)] }));
      const { say, received } = await talk({ stream, guard, turns });
      const cause: unknown = await say().catch((error: unknown) => error);
      expect(codeOf(cause)).toBe("session_killed");
      expect(received).toHaveLength(3);
      expect(guard.state()).toMatchObject({ killed: true, toolCalls: 0, unsettled: [] });
    });

    it("waits for an approval, and gets the call when it is given", async () => {
      const { guard, say } = await talk({ stream, turns: [{ calls: [pay("a", 55), look("b")] }, DONE] });
      const asked = new Promise<string>((resolve) =>
        guard.on("approval_requested", ({ approvalId }) => resolve(approvalId)),
      );
      const saying = say();
      await guard.approve(await asked, { by: "ann" });
      expect((await saying).calls.map(({ id }) => id)).toEqual(["a", "b"]);
      await say({ id: "a", content: PAID }, { id: "b", content: "an order" });
      expect(counted(guard)).toMatchObject({ paid: 55, unsettled: [] });
    });

    it("never gets a call whose approval was denied", async () => {
      const { guard, say, read } = await talk({
        stream,
        turns: [{ calls: [look("x"), pay("a", 55), look("b")] }, DONE],
      });
      guard.on("approval_requested", ({ approvalId }) => void guard.deny(approvalId, { by: "ann" }));
      expect(await say()).toMatchObject({ text: "All done.", calls: [] });
      expect(read().a).toContain("approval_denied");
      expect(read().b).toContain("not made, because another call");
      expect(counted(guard)).toMatchObject({ toolCalls: 0, unsettled: [], paid: 0 });
    });

    it("can give up while a call waits for its approval, which is withdrawn then", async () => {
      const giveUp = new AbortController();
      const { guard, say } = await talk({ stream, turns: [{ calls: [pay("a", 55)] }], signal: giveUp.signal });
      guard.on("approval_requested", () => giveUp.abort());
      await expect(say()).rejects.toThrow(/abort/i);
      await expect.poll(() => counted(guard)).toMatchObject({ unsettled: [], paid: 0 });
    });

    it("is offered what can be called, and the model is told of the rest where that is wanted", async () => {
      const { say, received } = await talk({
        stream,
        turns: [{ calls: [file("a")] }, DONE],
        options: { narrowing: "explain" },
      });
      await say();
      expect(JSON.stringify(received[0]?.body.tools)).toContain("look");
      await say({ id: "a", content: "filed" });
      expect(JSON.stringify(received[1]?.body.tools)).not.toContain("look");
      expect(JSON.stringify(received[1]?.body)).toContain("look (phase_not_allowed)");
    });

    it("is counted by what replies cost", async () => {
      const prices = { m: { input: 100, output: 1000 } };
      const { guard, say } = await talk({ stream, turns: [{ calls: [look("a")] }, DONE], options: { prices } });
      await say();
      expect(guard.state().cost).toBeCloseTo(0.2);
    });

    it("gets the refusal of a session that is over, which no SDK tries again", async () => {
      const { guard, say, received } = await talk({ stream, turns: [DONE] });
      await guard.kill("enough");
      const cause: unknown = await say().catch((error: unknown) => error);
      expect(cause).toMatchObject({ status: 403 });
      expect(codeOf(cause)).toBe("session_killed");
      expect(received).toEqual([]);
    });

    it("settles calls that another process gave it", async () => {
      const guard = await opened();
      await (await talk({ stream, guard, turns: [{ calls: [pay("a", 30)] }] })).say();
      const other = await talk({ stream, guard, turns: [DONE] });
      await other.say({ id: "a", content: PAID });
      expect(counted(guard)).toMatchObject({ paid: 30, unsettled: [] });
    });
  });
}
