import { describe, expect, it } from "vitest";
import { readResponse } from "../../../src/adapters/client/read-response.js";

const TEXT = '{"a":"ä"}';

function made(): Response {
  const given = new Response("other", { status: 201, statusText: "Made" });
  return readResponse(given, new Headers({ "x-id": "7" }), { text: TEXT });
}

type Reading = readonly [name: string, read: (response: Response) => Promise<unknown>];

const READINGS: readonly Reading[] = [
  ["text", (response) => response.text()],
  ["json", async (response) => JSON.stringify(await response.json())],
  ["arrayBuffer", async (response) => Buffer.from(await response.arrayBuffer()).toString()],
  ["blob", async (response) => (await response.blob()).text()],
  ["body", (response) => new Response(response.body).text()],
];

describe("a response whose body was read", () => {
  it.each(READINGS)("gives its text as %s, once", async (_, read) => {
    const response = made();
    expect(response.bodyUsed).toBe(false);
    expect(await read(response)).toBe(TEXT);
    expect(response.bodyUsed).toBe(true);
    for (const [, again] of READINGS) await expect(async () => again(response)).rejects.toThrow(TypeError);
  });

  it("can be cloned before that", async () => {
    const response = made();
    const clone = response.clone();
    expect([await clone.text(), await response.json()]).toEqual([TEXT, { a: "ä" }]);
    expect(() => response.clone()).toThrow(TypeError);
  });

  it("is a response like the one of the provider", () => {
    const response = made();
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.ok, response.statusText]).toEqual([201, true, "Made"]);
    expect(response.headers.get("x-id")).toBe("7");
  });
});
