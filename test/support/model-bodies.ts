/** The bodies that models answer with: chat completions, responses, messages. */
export type Wire = "chat" | "response" | "message";

export const WIRES: readonly Wire[] = ["chat", "response", "message"];

/** A call as a model asks for it; arguments that are no object make it unreadable. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

/** What a model says, whatever the body looks like. */
export interface Reply {
  readonly calls?: readonly Call[];
  readonly text?: string;
  readonly refusal?: string;
}

function chatBody({ calls = [], text, refusal }: Reply): object {
  const called = calls.map(({ id, tool, args }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
  const message = {
    role: "assistant",
    content: text ?? null,
    refusal: refusal ?? null,
    ...(calls.length === 0 ? {} : { tool_calls: called }),
  };
  const finish = calls.length === 0 ? "stop" : "tool_calls";
  return { id: "chatcmpl-1", object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }] };
}

function responseBody({ calls = [], text, refusal }: Reply): object {
  const parts = [
    ...(text === undefined ? [] : [{ type: "output_text", text, annotations: [] }]),
    ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
  ];
  const messages = parts.length === 0 ? [] : [{ type: "message", id: "msg_1", role: "assistant", content: parts }];
  const called = calls.map(({ id, tool, args }, index) => ({
    type: "function_call",
    id: `fc_${index}`,
    call_id: id,
    name: tool,
    arguments: JSON.stringify(args),
    status: "completed",
  }));
  return { id: "resp_1", object: "response", status: "completed", output: [...messages, ...called] };
}

function messageBody({ calls = [], text, refusal }: Reply): object {
  const said = text ?? refusal;
  const called = calls.map(({ id, tool, args }) => ({ type: "tool_use", id, name: tool, input: args }));
  const ending = refusal === undefined ? "end_turn" : "refusal";
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    stop_reason: calls.length === 0 ? ending : "tool_use",
    content: [...(said === undefined ? [] : [{ type: "text", text: said }]), ...called],
  };
}

/** A reply as the body that a provider sends. */
export function bodyOf(wire: Wire, reply: Reply): object {
  return { chat: chatBody, response: responseBody, message: messageBody }[wire](reply);
}

/** The body of a request that asks for a tool by name. */
export function requestFor(wire: Wire, tool: string): object {
  const choice = {
    chat: { type: "function", function: { name: tool } },
    response: { type: "function", name: tool },
    message: { type: "tool", name: tool },
  };
  return { model: "any", tool_choice: choice[wire] };
}
