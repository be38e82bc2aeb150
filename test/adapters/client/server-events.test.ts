import { describe, expect, it } from "vitest";
import { EventReader, type ServerEvent } from "../../../src/adapters/client/server-events.js";
import { pay } from "./pack.js";
import { bytesOf, chatWire, messagesWire, responsesWire } from "./wire.js";

function read(...pieces: readonly Uint8Array[]): readonly ServerEvent[] {
  const reader = new EventReader();
  return [...pieces.flatMap((piece) => reader.take(piece)), ...reader.end()];
}

const TURN = { text: "Zahlung läuft … 👍 ", calls: [pay("a", 30), pay("b", 40)] };
const WIRES = [
  ["chat completions", chatWire],
  ["responses", responsesWire],
  ["messages", messagesWire],
] as const;

describe("events", () => {
  it.each(WIRES)("of %s are the same wherever their bytes are split", (_, wire) => {
    const bytes = bytesOf(wire, TURN);
    const events = wire.events(TURN).map(({ name = null, data }) => {
      return { name, data: typeof data === "string" ? data : JSON.stringify(data) };
    });
    const whole = read(bytes);
    expect(whole.map(({ name }) => name)).toEqual(events.map(({ name }) => name));
    for (let at = 0; at <= bytes.length; at++) {
      const split = read(bytes.subarray(0, at), bytes.subarray(at));
      // Compared by hand: thousands of expectations take their time.
      if (JSON.stringify(split) !== JSON.stringify(whole)) expect(split).toEqual(whole);
    }
    expect(read(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it.each([
    ["data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["data: a\r\rdata: b\r\r", ["a", "b"]],
    [": a comment\n\ndata: a\n\n", ["a"]],
    ["data: a\ndata: b\n\n", ["a\nb"]],
    ["data:a\nid: 1\nretry: 5\n\n", ["a"]],
    ["data: a\n\ndata: b", ["a", "b"]],
    ["event: ping\ndata\n\n", [""]],
  ])("are read as the standard says: %j", (text, data) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at++) {
      expect(read(bytes.subarray(0, at), bytes.subarray(at)).map((event) => event.data)).toEqual(data);
    }
  });
});
