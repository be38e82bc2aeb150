import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { DONE, pay } from "../agent-replies.js";
import type { ScriptedCall } from "../chat-server.js";
import { desk } from "./harness.js";

const BROKEN: ScriptedCall = { id: "x", name: "pay", args: "{broken" };
/** More than may be paid. */
const REFUSED = pay("a", 70);

/** What is executed of a reply whose call without arguments the application repairs. */
async function made(calls: readonly ScriptedCall[], gate: "reject_all" | "strip_partial" | "strip_blocked") {
  const agent = await desk([{ calls }, DONE], { gate });
  await generateText({
    ...agent.settings,
    prompt: "go",
    experimental_repairToolCall: async ({ toolCall }) => ({ ...toolCall, input: '{"n":5}' }),
  });
  return agent.log;
}

describe("a call that the application repairs", () => {
  it.each([
    ["reject_all", [BROKEN, REFUSED], []],
    ["reject_all", [REFUSED, BROKEN], []],
    ["reject_all", [BROKEN, pay("a", 10)], ["pay 5", "pay 10"]],
    ["strip_partial", [BROKEN, REFUSED], ["pay 5"]],
    ["strip_partial", [REFUSED, BROKEN], []],
    ["strip_blocked", [REFUSED, BROKEN], ["pay 5"]],
    ["strip_blocked", [BROKEN, pay("b", 10), pay("b", 10)], []],
  ] as const)("is made as %s has it, beside others of its reply", async (gate, calls, log) => {
    expect([...(await made(calls, gate))].sort()).toEqual([...log].sort());
  });
});
