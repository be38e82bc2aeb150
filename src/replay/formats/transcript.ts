import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { recordedError } from "../../guard/session/recorded-error.js";
import type { Beside, TracedCall, TracedSession } from "../traced-session.js";
import { UnreadableTrace } from "../traced-session.js";
import { checkHoldsNoCall, checkMembers, checkRole, isOfProvider, unknownType } from "./known-parts.js";
import { argumentsIn, decodedArguments, decodedOutput, given, listAt, objectAt, textAt } from "./members.js";
import { idOf, labelsOf, principalOf } from "./plain-session.js";

type OpenCall = { -readonly [K in keyof TracedCall]: TracedCall[K] } & { id: string | null };

/** Collects the calls of a transcript; results come later and refer to their call by its id. */
class Calls {
  readonly all: OpenCall[] = [];
  /** Those without a result, so that a long transcript is not searched from its beginning for each result. */
  private readonly open: OpenCall[] = [];
  private before: Beside[] = [];

  /** A turn of the model begins. */
  turn(): void {
    this.before.push({ kind: "step" });
  }

  call(id: Json | undefined, tool: string, args: Json): void {
    const { before } = this;
    const call = { id: idOf(id), tool, args, outcome: undefined, before, at: null };
    this.all.push(call);
    this.open.push(call);
    this.before = [];
  }

  /** A result without an id is that of the first call that has none yet. */
  result(id: Json | undefined, outcome: TracedCall["outcome"], where: string): void {
    const wanted = idOf(id);
    const at = this.open.findIndex((each) => wanted === null || each.id === wanted);
    const [call] = at === -1 ? [] : this.open.splice(at, 1);
    if (call === undefined) throw new UnreadableTrace(`${where} is the result of no call before it`);
    call.outcome = outcome;
  }
}

/** The text of a content: a text, or a list of blocks. */
function contentText(content: Json | undefined): Json {
  if (!isJsonList(content)) return content ?? "";
  const texts = content.map((block) => (isJsonObject(block) && typeof block.text === "string" ? block.text : null));
  return texts.every((text) => text !== null) ? texts.join("") : content;
}

function outputOf(content: Json | undefined): TracedCall["outcome"] {
  return { kind: "result", output: decodedOutput(contentText(content)) };
}

/** The text that a custom tool takes. It stays one, whatever it looks like: the guard refuses it as arguments. */
function customInput(call: JsonObject): Json {
  return given(call, "input") ?? "";
}

/** A call of a function by its name. */
function readCall(id: Json | undefined, call: JsonObject, where: string, calls: Calls): void {
  calls.call(id, textAt(given(call, "name"), `${where}.name`), decodedArguments(argumentsIn(call, where)));
}

/** A call in `tool_calls`: nested below `function` or `custom`, or flat. */
function readToolCall(value: Json, where: string, calls: Calls): void {
  const call = objectAt(value, where);
  const id = given(call, "id");
  const custom = given(call, "custom");
  if (isJsonObject(custom)) {
    calls.call(id, textAt(given(custom, "name"), `${where}.custom.name`), customInput(custom));
    return;
  }
  readCall(
    id,
    given(call, "function") === undefined ? call : objectAt(call.function, `${where}.function`),
    where,
    calls,
  );
}

/** The blocks of a content that are calls or results. */
function readBlocks(content: Json | undefined, where: string, calls: Calls): void {
  if (content === undefined || typeof content === "string") return;
  for (const [index, block] of listAt(content, where).entries()) {
    if (typeof block === "string") continue;
    const at = `${where}[${index}]`;
    if (!isJsonObject(block)) throw new UnreadableTrace(`${at} is no object`);
    if (block.type === "tool_use") {
      const args = decodedArguments(given(block, "input"));
      calls.call(given(block, "id"), textAt(given(block, "name"), `${at}.name`), args);
    } else if (block.type === "tool_result") {
      const isError = block.is_error === true;
      const outcome = isError ? recordedError(contentText(given(block, "content"))) : outputOf(given(block, "content"));
      calls.result(given(block, "tool_use_id"), outcome, at);
    } else checkHoldsNoCall(block, at);
  }
}

function readMessage(message: JsonObject, where: string, calls: Calls): void {
  const content = given(message, "content");
  checkRole(message, where);
  // Older transcripts have one call a message and a result by the name of its function, both without an id.
  if (message.role === "tool" || message.role === "function") {
    calls.result(given(message, "tool_call_id"), outputOf(content), where);
    return;
  }
  if (message.role === "assistant") calls.turn();
  readTurn(message, where, calls);
}

/** The calls of a message, beside its content and in it. */
function readTurn(message: JsonObject, where: string, calls: Calls): void {
  checkMembers(message, where);
  const only = given(message, "function_call");
  if (only !== undefined) {
    readCall(undefined, objectAt(only, `${where}.function_call`), `${where}.function_call`, calls);
  }
  const list = given(message, "tool_calls");
  for (const [index, call] of (list === undefined ? [] : listAt(list, `${where}.tool_calls`)).entries()) {
    readToolCall(call, `${where}.tool_calls[${index}]`, calls);
  }
  readBlocks(given(message, "content"), `${where}.content`, calls);
}

/** Items of the responses API: what the model gives out between two inputs is one turn. */
function readItem(item: JsonObject, where: string, calls: Calls, isFirstOfTurn: boolean): void {
  if (isFirstOfTurn) calls.turn();
  const { type } = item;
  const id = given(item, "call_id");
  if (type === "function_call") readCall(id, item, where, calls);
  else if (type === "custom_tool_call") calls.call(id, textAt(given(item, "name"), `${where}.name`), customInput(item));
  else if (type === "function_call_output") calls.result(id, outputOf(given(item, "output")), where);
  else if (type === "message") readTurn(item, where, calls);
  else if (typeof type === "string") readOtherItem({ type, id, item, where }, calls);
}

/**
 * Shells, computers and the like, which the agent runs: they have no name but their kind, and no arguments that a contract could
 * judge. What the provider runs itself has no `call_id`, and is left out.
 */
function readOtherItem(
  { type, id, item, where }: { type: string; id: Json | undefined; item: JsonObject; where: string },
  calls: Calls,
): void {
  if (id === undefined && isOfProvider(type)) return;
  if (type.endsWith("_call")) calls.call(id, type, {});
  else if (type.endsWith("_output")) calls.result(id, outputOf(given(item, "output")), where);
  else throw unknownType(type, where);
}

/** Whether an item of the responses API comes from the model. */
function isOutput({ type, role }: JsonObject): boolean {
  if (typeof type === "string" && type.endsWith("_output")) return false;
  return role === undefined || role === "assistant";
}

function isItem({ type, role }: JsonObject): boolean {
  return typeof type === "string" && (role === undefined || type === "message" || /_(?:call|output)$/.test(type));
}

/** The session of a list of messages, or of items of the responses API; `rest` may have its id, principal and labels. */
export function transcriptSession(list: readonly Json[], where: string, rest: JsonObject): TracedSession {
  const calls = new Calls();
  let wasOutput = false;
  for (const [index, value] of list.entries()) {
    const at = `${where}[${index}]`;
    const message = objectAt(value, at);
    if (isItem(message)) {
      readItem(message, at, calls, isOutput(message) && !wasOutput);
      wasOutput = isOutput(message);
    } else {
      readMessage(message, at, calls);
      wasOutput = message.role === "assistant";
    }
  }
  return {
    id: idOf(given(rest, "id")),
    principal: principalOf(given(rest, "principal")),
    labels: labelsOf(given(rest, "labels")),
    calls: calls.all.map(({ id: _, ...call }) => call),
  };
}
