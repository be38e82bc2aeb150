import type { JsonObject } from "../../base/json.js";

/** One event of a stream, as it came or as it is written. */
export interface ServerEvent {
  readonly name: string | null;
  readonly data: string;
}

/** Whether an event says no more than that the stream of OpenAI is at its end. */
export function isLast({ data }: ServerEvent): boolean {
  return data.startsWith("[DONE]");
}

/** Reads events from bytes that may be split anywhere. */
export class EventReader {
  private readonly decoder = new TextDecoder();
  private text = "";
  private isAfterReturn = false;
  private name: string | null = null;
  private data: string[] = [];

  /** The events that these bytes complete. */
  take(bytes: Uint8Array): readonly ServerEvent[] {
    // What is left of the bytes before has no end of a line.
    const begin = this.text.length;
    this.text += this.decoder.decode(bytes, { stream: true });
    const events: ServerEvent[] = [];
    let start = 0;
    for (let at = begin; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      const isReturn = code === 13;
      if (code === 10 && this.isAfterReturn) {
        // The second half of one end of a line.
        this.isAfterReturn = false;
        start = at + 1;
        continue;
      }
      this.isAfterReturn = isReturn;
      if (!isReturn && code !== 10) continue;
      const event = this.line(this.text.slice(start, at));
      if (event !== null) events.push(event);
      start = at + 1;
    }
    this.text = this.text.slice(start);
    return events;
  }

  /** The event that nothing came after. */
  end(): readonly ServerEvent[] {
    const last = this.text === "" ? null : this.line(this.text);
    this.text = "";
    return [last, this.ended()].filter((event) => event !== null);
  }

  private line(line: string): ServerEvent | null {
    if (line === "") return this.ended();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    return null;
  }

  private ended(): ServerEvent | null {
    const event = { name: this.name, data: this.data.join("\n") };
    const isEmpty = this.data.length === 0 && this.name === null;
    this.name = null;
    this.data = [];
    return isEmpty ? null : event;
  }
}

const encoder = new TextEncoder();

/** The bytes of an event. */
export function written({ name, data }: ServerEvent): Uint8Array {
  const head = name === null ? "" : `event: ${name}\n`;
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return encoder.encode(`${head}${lines.join("")}\n`);
}

/** An event whose data is an object that names its type, as two of the formats have it. */
export function typedEvent(data: JsonObject & { readonly type: string }): ServerEvent {
  return { name: data.type, data: JSON.stringify(data) };
}
