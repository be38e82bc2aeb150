import { describe } from "vitest";
import {
  type AcceptedPack,
  type RefusedPack,
  sessionText,
  testAccepted,
  testRefused,
  toolText,
  toolWithArguments,
} from "../support/hostile-pack.js";

function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

function join(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function everyByte(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => byte);
}

function utf16(bigEndian: boolean): Uint8Array {
  const buffer = Buffer.from(`\ufeff${toolText()}`, "utf16le");
  return bigEndian ? buffer.swap16() : buffer;
}

/** What no file may hold, whether it is YAML or JSON. */
const CONTENTS: ReadonlyMap<string, () => Uint8Array> = new Map([
  ["every byte there is", everyByte],
  ["a megabyte of zeros", () => new Uint8Array(1024 * 1024)],
  ["the head of an ELF binary", () => bytes(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0)],
  ["a NUL in the middle", () => join(toolText(), bytes(0), "a: b\n")],
  ["a NUL inside a quoted text", () => join(`${toolText()}x: "a`, bytes(0), 'b"\n')],
  ["Latin-1", () => join(toolText(), "x: caf", bytes(0xe9), "\n")],
  ["a lone continuation byte", () => join(toolText(), bytes(0x80), "\n")],
  ["a megabyte of continuation bytes", () => new Uint8Array(1024 * 1024).fill(0xbf)],
  ["a sequence that is cut off", () => join(toolText(), "x: ", bytes(0xf0, 0x9f, 0x98))],
  ["an overlong slash", () => join(toolText(), "x: ", bytes(0xc0, 0xaf), "\n")],
  ["a surrogate half as CESU-8", () => join(toolText(), "x: ", bytes(0xed, 0xa0, 0x80), "\n")],
  ["a code point beyond Unicode", () => join(toolText(), "x: ", bytes(0xf4, 0x90, 0x80, 0x80), "\n")],
  ["UTF-16, little-endian", () => utf16(false)],
  ["UTF-16, big-endian", () => utf16(true)],
  ["UTF-32", () => join(bytes(0xff, 0xfe, 0, 0), bytes(0x74, 0, 0, 0))],
]);

function inEachFile(what: string, content: () => Uint8Array): readonly RefusedPack[] {
  return ["t.yaml", "session.yaml", "tools.json"].map((name) => ({
    what: `${what} in ${name}`,
    code: "not_utf8",
    files: () => ({ "t.yaml": toolText(), [name]: content() }),
  }));
}

describe("files that are no UTF-8 text", () => {
  testRefused([...CONTENTS].flatMap(([what, content]) => inEachFile(what, content)));
});

function accepted(what: string, text: () => string): AcceptedPack {
  return { what, files: () => ({ "t.yaml": text() }) };
}

describe("unusual text that is fine", () => {
  testAccepted([
    accepted("a contract with a byte order mark", () => `\ufeff${toolText()}`),
    accepted("a contract with CRLF line ends", () => toolText().replaceAll("\n", "\r\n")),
    accepted("a contract with both", () => `\ufeff${toolText().replaceAll("\n", "\r\n")}`),
    accepted("a contract without a line end", () => toolText().trimEnd()),
    accepted("a contract after a document marker", () => `%YAML 1.2\n---\n${toolText()}...\n`),
    accepted("surrogate halves in arguments", () => toolWithArguments('{ "\\ud800": "\\udc00\\ud800" }')),
    accepted("NUL as an escape", () => toolWithArguments('{ "\\0": "\\0" }')),
    accepted("astral text in arguments", () => toolWithArguments('{ "😀": "𝒳\\U0001F600" }')),
    { what: "a pack without session.yaml", files: () => ({ "t.yaml": toolText() }) },
    {
      what: "a pack whose every file has a byte order mark and CRLF",
      files: () => ({
        "t.yaml": `\ufeff${toolText().replaceAll("\n", "\r\n")}`,
        "session.yaml": `\ufeff${sessionText().replaceAll("\n", "\r\n")}`,
        "tools.json": '\ufeff[\r\n{ "name": "t", "input_schema": {} }\r\n]\r\n',
      }),
    },
  ]);
});
