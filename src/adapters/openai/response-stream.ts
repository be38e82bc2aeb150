import type { JsonObject } from "../../base/json.js";
import { isCount, objectAt, objectsAt, parsedBody, textAt } from "../client/body.js";
import type { ReplyStream } from "../client/dialect.js";
import { HeldParts } from "../client/held-parts.js";
import { isLast, type ServerEvent, typedEvent } from "../client/server-events.js";
import { isCall } from "./response-items.js";

/** Events before the first item. */
const BEGIN = new Set(["response.created", "response.queued", "response.in_progress"]);
const END = new Set(["response.completed", "response.incomplete"]);
const FAILED = new Set(["error", "response.failed"]);

/** What all replies share that the application takes for one: readers check both. */
interface Joined {
  /** The number of the next event. */
  number: number;
  /** The id of the first reply. */
  id: string | null;
}

/** Whether an event says something of a call of the application. Those of tools that the provider runs are none. */
function isOfCall(type: string, item: JsonObject | undefined): boolean {
  if (type.includes("mcp_call")) return false;
  return type.includes("_call_arguments.") || type.includes("_call_input.") || (item !== undefined && isCall(item));
}

/** Before its end, a response that an event shows has calls that were not judged. */
function withoutCalls(data: JsonObject): JsonObject {
  const response = objectAt(data, "response");
  if (response === undefined || (response.output ?? null) === null) return data;
  return { ...data, response: { ...response, output: objectsAt(response, "output").filter((item) => !isCall(item)) } };
}

/** A response that comes in events. Its items pass until the first call; from there on they are kept. */
export class ResponseStream implements ReplyStream {
  isFailed = false;
  private isOdd = false;
  /** Where a call was seen. */
  private readonly calls = new Set<number>();
  private readonly items = new Map<number, JsonObject>();
  private readonly held: HeldParts;
  private end: JsonObject | null = null;

  /** `before` are the items of earlier replies that the application has seen. */
  constructor(
    private readonly before: readonly JsonObject[] | null = null,
    private readonly joined: Joined = { number: 0, id: null },
  ) {
    this.held = new HeldParts(before?.length ?? 0);
  }

  get isHolding(): boolean {
    return this.held.isHolding || this.end !== null;
  }

  /** Of a call that becomes another item, some readers have seen the call already. */
  get isStrange(): boolean {
    return this.isOdd || this.output(objectAt(this.end ?? {}, "response")).some((each) => this.isOther(...each));
  }

  take(event: ServerEvent): readonly ServerEvent[] {
    // Readers end there, and do not get what is kept. The format does not need it.
    if (isLast(event)) return [];
    const given = parsedBody(event.data);
    const type = textAt(given ?? {}, "type");
    this.isOdd ||= given === null || type === null;
    if (given === null || type === null || this.isOdd) return [];
    if (FAILED.has(type)) this.isFailed = true;
    if (BEGIN.has(type) && this.before !== null) return [];
    if (END.has(type)) {
      this.end = given;
      return [];
    }
    const data = withoutCalls(given);
    const { output_index: index } = data;
    const item = objectAt(data, "item");
    this.isOdd ||= !isCount(index) && (index !== undefined || isOfCall(type, item));
    if (this.isOdd) return [];
    if (!isCount(index)) return [this.numbered(data)];
    this.note(index, type, item);
    if (!this.held.isHeld(index)) return [this.numbered(data, index + this.held.shift)];
    this.held.keep(index, data);
    return [];
  }

  reply(): JsonObject | null {
    const response = objectAt(this.end ?? {}, "response");
    if (response === undefined) return null;
    return { ...response, output: this.output(response).map(([, item]) => item) };
  }

  /** Calls are written anew, each in one piece: so every reader takes them for what was judged. */
  release(reply: JsonObject): readonly ServerEvent[] {
    const left = new Set(objectsAt(reply, "output"));
    const events: ServerEvent[] = [];
    let at = this.held.shift;
    for (const [index, item] of this.output(objectAt(this.end ?? {}, "response"))) {
      if (!left.has(item)) continue;
      const kept = this.held.kept(index);
      if (item.type === "function_call") events.push(...this.whole(item, at));
      else events.push(...kept.map((data) => this.numbered(data, at)));
      at += 1;
    }
    const output = [...(this.before ?? []), ...left];
    return [...events, this.numbered({ ...this.end, response: { ...reply, output } })];
  }

  next(): ReplyStream {
    const items = objectsAt(this.reply() ?? {}, "output");
    const seen = items.slice(0, this.held.passed(items.length));
    return new ResponseStream([...(this.before ?? []), ...seen], this.joined);
  }

  /** The items by their index: as their own events had them, else as the end of the response does. */
  private output(response: JsonObject | undefined): readonly (readonly [number, JsonObject])[] {
    const stated = objectsAt(response, "output").map((item, index) => [index, item] as const);
    return [...new Map([...stated, ...this.items])].sort(([a], [b]) => a - b);
  }

  private isOther(index: number, item: JsonObject): boolean {
    return this.calls.has(index) && !isCall(item);
  }

  private note(index: number, type: string, item: JsonObject | undefined): void {
    if (isOfCall(type, item)) {
      this.calls.add(index);
      this.held.hold(index);
    }
    if (type === "response.output_item.done" && item !== undefined) this.items.set(index, item);
  }

  private numbered(data: JsonObject, index?: number): ServerEvent {
    const type = textAt(data, "type") ?? "";
    const numbers = { sequence_number: this.joined.number, ...(index === undefined ? {} : { output_index: index }) };
    this.joined.number += 1;
    const response = objectAt(data, "response");
    if (response === undefined) return typedEvent({ ...data, type, ...numbers });
    this.joined.id ??= textAt(response, "id");
    return typedEvent({ ...data, type, response: { ...response, id: this.joined.id ?? "" }, ...numbers });
  }

  private whole(item: JsonObject, index: number): readonly ServerEvent[] {
    const id = textAt(item, "id");
    const piece = { ...(id === null ? {} : { item_id: id }), output_index: index };
    const text = textAt(item, "arguments") ?? "";
    const begun = { ...item, arguments: "", status: "in_progress" };
    return [
      { type: "response.output_item.added", item: begun },
      { type: "response.function_call_arguments.delta", ...piece, delta: text },
      { type: "response.function_call_arguments.done", ...piece, name: item.name ?? "", arguments: text },
      { type: "response.output_item.done", item },
    ].map((data) => this.numbered(data, index));
  }
}
