import { isJsonList, type JsonObject } from "../../base/json.js";
import { argumentsOf, finishOf, member, objectAt, textAt, Unreadable } from "./body.js";
import type { ModelCall } from "./public.js";
import type { Reading } from "./reading.js";
import { hasText } from "./text.js";

function callOf(block: JsonObject, where: string): ModelCall {
  return {
    id: textAt(member(block, "id"), `${where}.id`),
    tool: textAt(member(block, "name"), `${where}.name`),
    args: argumentsOf(member(block, "input"), `${where}.input`),
  };
}

/** Stop reasons of messages that may end in the middle of a block. */
const CUT_OFF: ReadonlySet<string | null> = new Set(["max_tokens", "model_context_window_exceeded", "refusal"]);

/** The kinds of blocks with calls. A call in one that is not known here would pass without a judgement. */
const CALLS: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

/** Reads the body of a message. Blocks of tools that the provider runs itself (`server_tool_use`) are not calls to judge. */
export function readMessage(body: JsonObject): Reading {
  const type = member(body, "type");
  if (type !== undefined && type !== "message") throw new Unreadable("a message", "an error, or a piece of a stream");
  const content = member(body, "content");
  if (!isJsonList(content))
    throw new Unreadable("a list in content", content === undefined ? "nothing" : "something else");
  const blocks = content.map((value, index) => {
    const where = `content[${index}]`;
    const block = objectAt(value, where);
    return { type: textAt(member(block, "type"), `${where}.type`), block, where };
  });
  const finish = finishOf(member(body, "stop_reason"), "stop_reason");
  // A model that declined gives way to the next one where its output ends.
  const isEnd = (index: number) =>
    blocks[index]?.type === "fallback" || (index === blocks.length && CUT_OFF.has(finish));
  const strange = blocks.find(({ type: kind }) => kind.includes("tool_use") && !CALLS.has(kind));
  if (strange !== undefined) throw new Unreadable(`a known kind of call in ${strange.where}`, "another one");
  return {
    calls: blocks.flatMap(({ type: kind, block, where }) => (kind === "tool_use" ? [callOf(block, where)] : [])),
    finish,
    hasText: hasText(
      content.filter((_, index) => blocks[index]?.type === "text"),
      "content",
    ),
    isCutOff: blocks.some(({ type: kind }, index) => kind === "tool_use" && isEnd(index + 1)),
  };
}
