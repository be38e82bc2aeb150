import { answerEvent } from "../../../src/adapters/hook/answer-event.js";
import { readHookEvent } from "../../../src/adapters/hook/hook-event.js";
import type { Driver, Scene, ScriptedCall } from "./situations.js";

/** How long the agent waits for a tool. */
const PATIENCE_MS = 100;

/** What the hook answers to an event, of which each has a guard of its own; null lets the agent go on. */
async function told({ opened }: Scene, name: string, call: ScriptedCall, fields: object = {}): Promise<string | null> {
  const event = { hook_event_name: name, session_id: "s", tool_name: call.tool, tool_use_id: call.id };
  const text = JSON.stringify({ ...event, tool_input: call.args, ...fields });
  return answerEvent(await opened(), readHookEvent(text), 1000);
}

/** What the model reads of a call; null if the user has interrupted the agent. */
async function made(scene: Scene, call: ScriptedCall): Promise<string | null> {
  const refused = await told(scene, "PreToolUse", call);
  if (refused !== null) return refused;
  const { signal } = scene;
  try {
    const output = await scene.tools[call.tool]?.(
      call.args,
      AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    );
    return (await told(scene, "PostToolUse", call, { tool_response: output })) ?? JSON.stringify(output);
  } catch (cause) {
    const error = String(cause);
    const answer = await told(scene, "PostToolUseFailure", call, { error, is_interrupt: signal.aborted });
    return signal.aborted ? null : (answer ?? error);
  }
}

/** A loop as coding agents have it, with the hook around each call. */
export const hook: Driver = {
  framework: "hook",
  isDurable: true,
  async play(scene) {
    const results: (string | null)[] = [];
    for (const calls of scene.replies) results.push(...(await Promise.all(calls.map((call) => made(scene, call)))));
    return { run: "ended", results };
  },
};
