import { isJsonList, type Json, type JsonObject } from "../../base/json.js";
import { isCount, listAt, objectAt, objectsAt, parsedBody, textAt } from "../client/body.js";
import type { ReplyStream } from "../client/dialect.js";
import { HeldParts } from "../client/held-parts.js";
import { type ServerEvent, typedEvent } from "../client/server-events.js";

/** The kinds of blocks with calls that the provider runs itself. */
const OF_PROVIDER: ReadonlySet<string> = new Set(["server_tool_use", "mcp_tool_use"]);

/** A content block, put together from its pieces. */
class BlockInParts {
  private text = "";
  private thinking = "";
  private signature: string | null = null;
  private input = "";
  private readonly citations: Json[] = [];

  constructor(private readonly start: JsonObject) {}

  /** Whether it has arguments. */
  get isOfTool(): boolean {
    return textAt(this.start, "type")?.includes("tool_use") === true;
  }

  /** Also of a kind that is not known: the reply with it is refused. */
  get isCall(): boolean {
    return this.isOfTool && !OF_PROVIDER.has(textAt(this.start, "type") ?? "");
  }

  add(delta: JsonObject): void {
    this.text += textAt(delta, "text") ?? "";
    this.thinking += textAt(delta, "thinking") ?? "";
    this.input += textAt(delta, "partial_json") ?? "";
    this.signature = textAt(delta, "signature") ?? this.signature;
    if (delta.citation !== undefined) this.citations.push(delta.citation);
  }

  body(): JsonObject {
    const { start } = this;
    const citations = [...listAt(start, "citations"), ...this.citations];
    return {
      ...start,
      ...(this.text === "" ? {} : { text: (textAt(start, "text") ?? "") + this.text }),
      ...(this.thinking === "" ? {} : { thinking: (textAt(start, "thinking") ?? "") + this.thinking }),
      ...(this.signature === null ? {} : { signature: this.signature }),
      ...(citations.length === 0 ? {} : { citations }),
      // Arguments that are not JSON stay the text that they are, which no contract accepts.
      ...(this.input === "" ? {} : { input: parsedBody(this.input) ?? this.input }),
    };
  }
}

/** A message that comes in events. Its blocks pass until the first call; from there on they are kept. */
export class MessageStream implements ReplyStream {
  isFailed = false;
  isStrange = false;
  private head: JsonObject = {};
  private readonly blocks = new Map<number, BlockInParts>();
  private readonly held: HeldParts;
  private end: JsonObject | null = null;
  private isComplete = false;

  /** `shift` is how many blocks of earlier replies the application has seen; null for the first reply. */
  constructor(private readonly shift: number | null = null) {
    this.held = new HeldParts(shift ?? 0);
  }

  get isHolding(): boolean {
    return this.held.isHolding || this.end !== null;
  }

  take(event: ServerEvent): readonly ServerEvent[] {
    const data = parsedBody(event.data);
    if (data === null) return this.unread(event);
    this.isStrange ||= isStrange(data, this.blocks.size);
    if (this.isStrange) return [];
    switch (data.type) {
      case "message_start":
        this.head = objectAt(data, "message") ?? {};
        return this.shift === null ? [event] : [];
      case "message_delta":
        this.end = mergedEnd(this.end, data);
        return [];
      case "message_stop":
        this.isComplete = true;
        return [];
      case "error":
        this.isFailed = true;
        return [event];
      default:
        return typeof data.index !== "number" ? [event] : this.part(data, data.index);
    }
  }

  /** The SDK leaves out events without a name, and takes any text for an error. */
  private unread(event: ServerEvent): readonly ServerEvent[] {
    const { name } = event;
    if (name === "error") this.isFailed = true;
    this.isStrange ||= name !== null && name !== "error" && name !== "ping";
    return this.isStrange ? [] : [event];
  }

  reply(): JsonObject | null {
    if (!this.isComplete || this.end === null) return null;
    const usage = { ...objectAt(this.head, "usage"), ...objectAt(this.end, "usage") };
    const content = [...this.blocks.values()].map((block) => block.body());
    return { ...this.head, ...objectAt(this.end, "delta"), usage, content };
  }

  /** Calls are written anew, each in one piece: so every reader takes them for what was judged. */
  release(reply: JsonObject): readonly ServerEvent[] {
    const left = new Set(objectsAt(reply, "content").map((block) => textAt(block, "id")));
    const events: ServerEvent[] = [];
    let at = this.held.shift;
    for (const [index, block] of this.blocks) {
      const body = block.body();
      if (block.isCall && !left.has(textAt(body, "id"))) continue;
      const isWhole = block.isCall && objectAt(body, "input") !== undefined;
      const kept = isWhole ? wholeCall(body) : this.held.kept(index);
      events.push(...kept.map((data) => numbered(data, at)));
      at += 1;
    }
    return [...events, numbered(this.end ?? {}), typedEvent({ type: "message_stop" })];
  }

  next(): ReplyStream {
    return new MessageStream(this.held.shift + this.held.passed(this.blocks.size));
  }

  private part(data: JsonObject, index: number): readonly ServerEvent[] {
    const block = objectAt(data, "content_block");
    if (block !== undefined) this.blocks.set(index, new BlockInParts(block));
    if (this.blocks.get(index)?.isCall === true) this.held.hold(index);
    const delta = objectAt(data, "delta");
    if (delta !== undefined) this.blocks.get(index)?.add(delta);
    this.isStrange ||= delta?.partial_json !== undefined && this.blocks.get(index)?.isOfTool !== true;
    if (this.isStrange) return [];
    if (!this.held.isHeld(index)) return [numbered(data, index + this.held.shift)];
    this.held.keep(index, data);
    return [];
  }
}

/** The SDK takes what a message begins with for blocks of it, and blocks in the order in which they come; others go by their index. */
function isStrange(data: JsonObject, blocks: number): boolean {
  const type = textAt(data, "type") ?? "";
  if (type === "message_start") {
    const { content = [] } = objectAt(data, "message") ?? {};
    return !isJsonList(content) || content.length > 0;
  }
  const isStart = type === "content_block_start";
  if (isStart !== (objectAt(data, "content_block") !== undefined)) return true;
  if (isStart) return data.index !== blocks;
  return type.startsWith("content_block_") && !isCount(data.index);
}

/** What the end of a message says may come in more than one event. */
function mergedEnd(before: JsonObject | null, data: JsonObject): JsonObject {
  const [delta, usage] = ["delta", "usage"].map((name) => ({
    ...objectAt(before ?? {}, name),
    ...objectAt(data, name),
  }));
  return { ...before, ...data, ...(delta === undefined ? {} : { delta }), ...(usage === undefined ? {} : { usage }) };
}

function numbered(data: JsonObject, index?: number): ServerEvent {
  return typedEvent({ ...data, type: textAt(data, "type") ?? "", ...(index === undefined ? {} : { index }) });
}

function wholeCall(block: JsonObject): readonly JsonObject[] {
  const text = JSON.stringify(block.input ?? {});
  return [
    { type: "content_block_start", content_block: { ...block, input: {} } },
    { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: text } },
    { type: "content_block_stop" },
  ];
}
