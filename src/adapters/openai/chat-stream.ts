import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { isCount, listAt, objectAt, objectsAt, omitted, parsedBody, textAt } from "../client/body.js";
import type { ReplyStream } from "../client/dialect.js";
import { isLast, type ServerEvent } from "../client/server-events.js";

interface CallInParts {
  id: string;
  type: string;
  name: string;
  arguments: string;
}

/** One choice of a reply, put together from its pieces. */
class ChoiceInParts {
  private content: string | null = null;
  private refusal: string | null = null;
  private finish: Json = null;
  private oldCall: JsonObject | undefined;
  private readonly calls = new Map<Json, CallInParts>();

  get isFinished(): boolean {
    return this.finish !== null;
  }

  add(choice: JsonObject): void {
    const delta = objectAt(choice, "delta");
    const { content, refusal } = delta ?? {};
    if (typeof content === "string") this.content = (this.content ?? "") + content;
    if (typeof refusal === "string") this.refusal = (this.refusal ?? "") + refusal;
    this.oldCall ??= objectAt(delta, "function_call");
    for (const call of objectsAt(delta, "tool_calls")) this.addCall(call);
    if (choice.finish_reason !== undefined && choice.finish_reason !== null) this.finish = choice.finish_reason;
  }

  body(index: number): JsonObject {
    const calls = [...this.calls.values()].map(({ id, type, name, arguments: text }) => ({
      id,
      type,
      function: { name, arguments: text },
    }));
    const message = {
      role: "assistant",
      content: this.content,
      ...(this.refusal === null ? {} : { refusal: this.refusal }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(this.oldCall === undefined ? {} : { function_call: this.oldCall }),
    };
    return { index, message, finish_reason: this.finish };
  }

  private addCall(piece: JsonObject): void {
    const index = piece.index ?? this.calls.size;
    const call = this.calls.get(index) ?? { id: "", type: "function", name: "", arguments: "" };
    this.calls.set(index, call);
    const called = objectAt(piece, "function");
    call.id = textAt(piece, "id") ?? call.id;
    call.type = textAt(piece, "type") ?? call.type;
    call.name = textAt(called, "name") ?? call.name;
    call.arguments += textAt(called, "arguments") ?? "";
  }
}

/** Whether a piece says something that must not be seen before the reply is judged. */
function isKept({ delta, finish_reason: finish }: JsonObject): boolean {
  if (finish !== undefined && finish !== null) return true;
  const { tool_calls: calls, function_call: old } = objectAt({ delta: delta ?? null }, "delta") ?? {};
  return (calls !== undefined && calls !== null) || (old !== undefined && old !== null);
}

function isStrangeChoice(choice: Json): boolean {
  if (!isJsonObject(choice)) return true;
  const { message = null, index = 0 } = choice;
  return message !== null || !isCount(index);
}

/** The helpers of the SDK take a whole message in a chunk for what its pieces have said, and other readers do not. */
function isStrange({ choices = null }: JsonObject): boolean {
  return choices !== null && (!isJsonList(choices) || choices.some(isStrangeChoice));
}

/** A chat completion that comes in chunks. Text flows on; calls, the end and what comes after it are kept. */
export class ChatStream implements ReplyStream {
  isFailed = false;
  isStrange = false;
  private readonly choices = new Map<number, ChoiceInParts>();
  private readonly kept: ServerEvent[] = [];
  /** What all chunks say of the reply. */
  private head: JsonObject = {};
  private usage: Json = null;

  constructor(private readonly isUsageAsked: boolean) {}

  get isHolding(): boolean {
    return this.kept.length > 0;
  }

  take(event: ServerEvent): readonly ServerEvent[] {
    if (isLast(event)) return this.keep(event);
    const chunk = parsedBody(event.data);
    this.isStrange ||= chunk === null || isStrange(chunk);
    if (chunk === null || this.isStrange) return [];
    // For readers, an error is one only if it says something.
    if (chunk.error) {
      this.isFailed = true;
      return [{ ...event, data: JSON.stringify(omitted(chunk, "choices")) }];
    }
    this.head = { ...this.head, ...omitted(chunk, "choices", "usage") };
    const choices = objectsAt(chunk, "choices");
    for (const choice of choices) this.choice(choice).add(choice);
    if (choices.length > 0) return choices.some(isKept) ? this.keep(event) : [event];
    const { usage = null } = chunk;
    if (usage === null) return this.isHolding ? this.keep(event) : [event];
    this.usage = usage;
    // The guard has asked for it, and the application does not expect it.
    return this.isUsageAsked ? this.keep(event) : [];
  }

  reply(): JsonObject | null {
    const choices = [...this.choices.entries()];
    if (choices.length === 0 || choices.some(([, choice]) => !choice.isFinished)) return null;
    return {
      ...this.head,
      object: "chat.completion",
      choices: choices.map(([index, choice]) => choice.body(index)),
      ...(this.usage === null ? {} : { usage: this.usage }),
    };
  }

  /** The calls are written anew, each in one piece: so every reader takes them for what was judged. */
  release(reply: JsonObject): readonly ServerEvent[] {
    const choices = objectsAt(reply, "choices");
    const calls = objectsAt(objectAt(choices[0], "message"), "tool_calls");
    // Only a guard that refuses nothing lets such a reply through: then it stays as it is.
    if (choices.length > 1 || calls.some(({ type }) => type !== "function")) return this.kept;
    const pieces = calls.map((call, index) => this.chunk({ tool_calls: [{ index, ...call }] }));
    return [...pieces, ...this.kept.flatMap((event) => this.withoutCalls(event))];
  }

  next(): ReplyStream {
    return new ChatStream(this.isUsageAsked);
  }

  private choice(choice: JsonObject): ChoiceInParts {
    const index = typeof choice.index === "number" ? choice.index : 0;
    const known = this.choices.get(index) ?? new ChoiceInParts();
    this.choices.set(index, known);
    return known;
  }

  private keep(event: ServerEvent): readonly ServerEvent[] {
    this.kept.push(event);
    return [];
  }

  private chunk(delta: JsonObject): ServerEvent {
    const choices = [{ index: 0, delta, finish_reason: null }];
    return { name: null, data: JSON.stringify({ ...this.head, choices }) };
  }

  /** What else a kept chunk says: text beside a call, the end. */
  private withoutCalls(event: ServerEvent): readonly ServerEvent[] {
    const chunk = isLast(event) ? null : parsedBody(event.data);
    if (chunk === null || listAt(chunk, "choices").length === 0) return [event];
    const choices = objectsAt(chunk, "choices").map((choice) => ({
      ...choice,
      delta: omitted(objectAt(choice, "delta") ?? {}, "tool_calls", "function_call"),
    }));
    const isSaying = choices.some((choice) => {
      return Object.keys(choice.delta).length > 0 || (Reflect.get(choice, "finish_reason") ?? null) !== null;
    });
    return isSaying ? [{ name: event.name, data: JSON.stringify({ ...chunk, choices }) }] : [];
  }
}
