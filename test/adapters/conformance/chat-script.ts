import type { ChatServer, ScriptedReply } from "../chat-server.js";
import { DONE, type Scene } from "./situations.js";

/** A scene as a script for the server of chat completions. */
export function scriptOf({ replies }: Scene): readonly ScriptedReply[] {
  const calling = replies.map((calls) => ({ calls: calls.map(({ id, tool: name, args }) => ({ id, name, args })) }));
  return [...calling, { text: DONE }];
}

/** What the model read of each call: of one id that stands twice, the first result and the second. */
export function seenResults({ replies }: Scene, { requests }: ChatServer): readonly (string | null)[] {
  const read = (requests.at(-1)?.messages ?? []).flatMap(({ role, tool_call_id: id, content }) =>
    role === "tool" ? [{ id, text: typeof content === "string" ? content : JSON.stringify(content) }] : [],
  );
  return replies.flat().map(({ id }) => {
    const at = read.findIndex((each) => each.id === id);
    return at === -1 ? null : (read.splice(at, 1)[0]?.text ?? null);
  });
}
