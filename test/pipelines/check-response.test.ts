import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckResponseArguments, checkResponseCommand } from "../../src/cli/commands/check-response.js";
import { UsageError } from "../../src/cli/exit-code.js";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "check-response-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Asked extends Partial<CheckResponseArguments> {
  readonly stdin?: readonly (string | Uint8Array)[];
}

async function run({ stdin = [], ...given }: Asked): Promise<{ readonly code: number; readonly stdout: string }> {
  let stdout = "";
  const output = {
    write(text: string) {
      stdout += text;
    },
  };
  async function* input() {
    yield* stdin;
  }
  const terminal = { cwd: folder, env: {}, stdout: output, stderr: output };
  const code = await checkResponseCommand(terminal, { file: "-", rich: false, format: "text", ...given }, input);
  return { code, stdout };
}

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

const THIN = JSON.stringify({ final_response: "Done." });

describe("contracts check-response", () => {
  it("says ok and ends with 0", async () => {
    expect(await run({ file: write("thin.json", THIN) })).toEqual({ code: 0, stdout: "thin.json: ok\n" });
  });

  it("reads standard input for a dash, in whatever pieces it comes", async () => {
    const bytes = new TextEncoder().encode('{"final_response":"Grüße"}');
    const stdin = [bytes.slice(0, 21), bytes.slice(21)];
    expect(await run({ stdin })).toEqual({ code: 0, stdout: "standard input: ok\n" });
    expect(await run({ stdin: [THIN] })).toEqual({ code: 0, stdout: "standard input: ok\n" });
  });

  it("ends with 1 by --rich when there is nothing to grade", async () => {
    const { code, stdout } = await run({ file: write("thin.json", THIN), rich: true });
    expect(code).toBe(1);
    expect(stdout).toBe(
      `$.messages: error: expected an assistant message with text: the response contract asks for one [no_assistant_text]
  help: add the answer to \`messages\` as { "role": "assistant", "content": "…" }

thin.json: response_contract_violation, 1 error
`,
    );
  });

  it("shows each soft warning with its place, what it is and how to fix it", async () => {
    const body = {
      final_response: "",
      messages: [{ role: "assistant", content: "Done.", tool_calls: [{ id: "c1" }] }],
    };
    const { code, stdout } = await run({ stdin: [JSON.stringify(body)], rich: true });
    expect(code).toBe(0);
    expect(stdout).toBe(
      `$.final_response: warning: expected text, found only blanks or none [empty_answer]
  help: return a sentence even if there is nothing to report: the judge reads it

$.messages[0].tool_calls[0]: warning: expected a string in \`name\` or \`function.name\`; the call is dropped [nameless_tool_call]
  help: name the tool in every call

standard input: ok, 2 soft warnings
`,
    );
  });

  it("ends with 1 for JSON that is no reply", async () => {
    const { code, stdout } = await run({ stdin: ["[]"] });
    expect(code).toBe(1);
    expect(stdout).toContain("$: error: expected an object, found a list [not_an_object]");
    expect(stdout).toContain("standard input: not ok, 1 error\n");
  });

  it("prints one JSON document by --format json, without the body", async () => {
    const body = { final_response: "s3cret", metadata: "s3cret" };
    const { code, stdout } = await run({ stdin: [JSON.stringify(body)], rich: true, format: "json" });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      violation: "response_contract_violation",
      softWarnings: [
        expect.objectContaining({ code: "no_assistant_text", path: "$.messages", severity: "error" }),
        {
          code: "malformed_metadata",
          path: "$.metadata",
          message: "expected an object, found a string; dropped",
          severity: "warning",
          help: "return `metadata` as an object, or leave it out",
        },
      ],
    });
    expect(stdout).not.toContain("s3cret");
  });

  it("takes a byte order mark for what it is", async () => {
    expect(await run({ stdin: [`\ufeff${THIN}`] })).toMatchObject({ code: 0 });
  });
});

describe("contracts check-response cannot read", () => {
  async function refusal(asked: Asked): Promise<string> {
    const failure: unknown = await run(asked).catch((cause: unknown) => cause);
    if (!(failure instanceof UsageError)) throw new Error("expected a mistake of usage, which ends with 2");
    return failure.message;
  }

  it("a file that is not there", async () => {
    expect(await refusal({ file: "missing.json" })).toBe("cannot read `missing.json`: ENOENT");
  });

  it("a folder", async () => {
    mkdirSync(join(folder, "replies"));
    expect(await refusal({ file: "replies" })).toBe("cannot read `replies`: EISDIR");
  });

  it("text that is not JSON, and shows the place but not the text", async () => {
    const file = write("broken.json", '{\n  "final_response": s3cret\n}');
    expect(await refusal({ file })).toBe(
      "`broken.json` is not JSON (line 2, column 21: this is not a JSON value); give the body of a reply",
    );
  });

  it.each([
    ["an empty input", ""],
    ["half a reply", '{"final_response":"s3c'],
    ["deep brackets without end", "[".repeat(200_000)],
  ])("%s", async (_, text) => {
    expect(await refusal({ stdin: [text] })).toMatch(/^standard input is not JSON/);
  });

  it("bytes that are not UTF-8", async () => {
    expect(await refusal({ file: write("latin.json", Uint8Array.of(0x22, 0xe4, 0x22)) })).toBe(
      "`latin.json` is not UTF-8",
    );
  });

  it("an input without end, and stops", async () => {
    const mebibyte = new Uint8Array(1024 * 1024);
    expect(await refusal({ stdin: Array.from({ length: 17 }, () => mebibyte) })).toBe(
      "standard input holds more than 16 MiB; give the body of one reply",
    );
  });
});
