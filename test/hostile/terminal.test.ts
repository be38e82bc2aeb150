import { describe, expect, it } from "vitest";
import { inFolder, type Pack, toolText } from "../support/hostile-pack.js";
import { waitForCli } from "../support/run-cli.js";

const ESCAPE = "\u001b";
const LINE_END = 0x0a;
const DELETE = 0x7f;

/** Packs that try to write to the terminal when they are compiled. */
const PACKS: readonly Pack[] = [
  {
    what: "an escape sequence in a key",
    files: () => ({ "t.yaml": `${toolText()}"x${ESCAPE}[2J": 1\n` }),
  },
  {
    what: "an escape sequence that YAML spells out",
    files: () => ({ "t.yaml": toolText({ side_effect: '"\\e[2J\\e]0;title\\a"' }) }),
  },
  {
    what: "an escape sequence in a comment on the line of a mistake",
    files: () => ({ "t.yaml": toolText({ side_effect: `raed # ${ESCAPE}[2K` }) }),
  },
  {
    what: "a carriage return that hides the start of a line",
    files: () => ({ "t.yaml": toolText({ side_effect: '"raed\rno errors"' }) }),
  },
  {
    what: "an escape sequence in a file name",
    files: () => ({ [`x${ESCAPE}[2J.yaml`]: toolText() }),
  },
  {
    what: "an escape sequence in a tool definition",
    files: () => ({ "t.yaml": toolText(), "tools.json": `[{ "name": "t${ESCAPE}[2J", "input_schema": {} }]` }),
  },
];

function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return (code < 0x20 && code !== LINE_END) || (code >= DELETE && code < 0xa0);
}

describe("what is printed", () => {
  it.each(PACKS.map((pack) => [pack.what, pack] as const))("holds no control characters for %s", async (_, pack) => {
    await inFolder(pack, async (folder) => {
      const { code, stdout } = await waitForCli(["check", folder], { cwd: folder });
      expect(code).toBe(1);
      expect([...stdout].filter(isControl).map((character) => JSON.stringify(character))).toEqual([]);
    });
  });

  it("keeps a file name with a line end on one line", async () => {
    const files = () => ({ "x\ny.yaml:1:1: error: forged [unknown_key].yaml": toolText() });
    await inFolder({ what: "a forged finding", files }, async (folder) => {
      const { stdout } = await waitForCli(["check", folder], { cwd: folder });
      expect(stdout.split("\n").filter((line) => line.startsWith("y.yaml"))).toEqual([]);
    });
  });

  it("gives GitHub one command a finding, whatever a file is called", async () => {
    const files = () => ({ "x\n::error::forged.yaml": toolText() });
    await inFolder({ what: "a forged command", files }, async (folder) => {
      const { stdout } = await waitForCli(["check", folder, "--format", "github"], { cwd: folder });
      expect(stdout.split("\n").filter((line) => line.startsWith("::error::forged"))).toEqual([]);
    });
  });
});
