import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import {
  inFolder,
  lines,
  makePipe,
  type RefusedPack,
  sessionText,
  testAccepted,
  testRefused,
  toolText,
} from "../support/hostile-pack.js";
import { waitForCli } from "../support/run-cli.js";

/** Names in a folder that are not readable files. */
const UNREADABLE: ReadonlyMap<string, (path: string) => void> = new Map([
  ["a symbolic link to itself", (path) => symlinkSync(path, path)],
  ["one of two symbolic links to each other", (path) => linkInCircle(path)],
  ["a dangling symbolic link", (path) => symlinkSync("nowhere", path)],
  ["a symbolic link to an endless device", (path) => symlinkSync("/dev/zero", path)],
  ["a symbolic link to a random device", (path) => symlinkSync("/dev/urandom", path)],
  ["a symbolic link to its own folder", (path) => symlinkSync(".", path)],
  ["a folder", (path) => mkdirSync(path)],
  ["a pipe without a writer", makePipe],
  ["a symbolic link to a pipe", (path) => linkToPipe(path)],
]);

function linkInCircle(path: string): void {
  symlinkSync(`${path}.other`, path);
  symlinkSync(path, `${path}.other`);
}

function linkToPipe(path: string): void {
  makePipe(`${path}.pipe`);
  symlinkSync(`${path}.pipe`, path);
}

function unreadable(name: string): readonly RefusedPack[] {
  return [...UNREADABLE].map(([what, make]) => ({
    what: `${name} that is ${what}`,
    code: "unreadable_file",
    files: () => ({ "t.yaml": toolText() }),
    special: (folder) => make(join(folder, name)),
  }));
}

describe("names that lead to no file", () => {
  testRefused(["x.yaml", "session.yaml", "workflow.yaml", "tools.json"].flatMap(unreadable));
});

describe("folders", () => {
  testRefused([
    { what: "an empty folder", code: "empty_pack" },
    { what: "a folder without YAML", code: "empty_pack", files: () => ({ "README.md": "hello\n" }) },
    { what: "a folder with tools.json alone", code: "empty_pack", files: () => ({ "tools.json": "[]" }) },
    { what: "a file with the other extension", code: "wrong_extension", files: () => ({ "t.yml": toolText() }) },
    { what: "a file with a loud extension", code: "wrong_extension", files: () => ({ "t.YAML": toolText() }) },
    {
      what: "a scenario with the other extension",
      code: "wrong_extension",
      files: () => ({ "t.yaml": toolText(), "tests/x.yml": "name: x\nsteps: []\n" }),
    },
    linkedTests("out of the pack", "/usr"),
    linkedTests("to nothing", "nowhere"),
    linkedTests("to itself", "tests"),
    {
      what: "five thousand tiny files",
      code: "missing_field",
      files: () => Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`t${index}.yaml`, "{}\n"])),
    },
    {
      what: "a hundred files of a hundred findings",
      code: "unknown_key",
      files: () => Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`t${index}.yaml`, hundredKeys()])),
    },
  ]);

  testAccepted([
    { what: "a contract behind a symbolic link", special: linkedContract },
    { what: "a file that is named like the folder of tests", files: () => ({ "t.yaml": toolText(), tests: "none" }) },
    {
      what: "a pack beside files that are none of its own",
      files: () => ({ "t.yaml": toolText(), ".git/x.yaml": "[", "sub/y.yaml": "[", "notes.txt": "\0" }),
    },
  ]);

  it("that do not exist are found unreadable, and are wrong usage of the command line", async () => {
    await inFolder({ what: "a folder" }, async (folder) => {
      const missing = join(folder, "missing");
      expect(compileFolder(missing).diagnostics).toMatchObject([{ code: "unreadable_file" }]);
      expect(await waitForCli(["check", missing])).toMatchObject({ code: 2, stdout: "" });
    });
  });

  it("that are files are found unreadable, and are wrong usage of the command line", async () => {
    await inFolder({ what: "a folder", files: () => ({ "t.yaml": toolText() }) }, async (folder) => {
      const file = join(folder, "t.yaml");
      expect(compileFolder(file).diagnostics).toMatchObject([{ code: "unreadable_file" }]);
      expect(await waitForCli(["check", file])).toMatchObject({ code: 2, stdout: "" });
    });
  });
});

/** Tests that cannot be read must not pass as if there were none. */
function linkedTests(where: string, target: string): RefusedPack {
  return {
    what: `a link ${where} in place of the tests`,
    code: "unreadable_file",
    files: () => ({ "t.yaml": toolText() }),
    special: (folder) => symlinkSync(target, join(folder, "tests")),
  };
}

function hundredKeys(): string {
  return lines(100, (index) => `key_${index}: 1`);
}

function linkedContract(folder: string): void {
  mkdirSync(join(folder, "elsewhere"));
  writeFileSync(join(folder, "elsewhere", "contract"), toolText());
  symlinkSync(join("elsewhere", "contract"), join(folder, "t.yaml"));
}

const NAMES = [
  "a b",
  " ",
  "a\nb",
  "a\rb",
  "a\tb",
  "ünïcödé",
  "工具",
  "😀",
  "e\u0301",
  "\u202etxt",
  ".hidden",
  "..",
  "-rf",
  "--format=json",
  "a%0Ab",
  "a:b,c",
  "::error::x",
  "a`b`",
  "a\\b",
  "'a\"",
  "$(reboot)",
  "*",
  "x".repeat(200),
];

describe("file names that no tool has", () => {
  testRefused(
    NAMES.flatMap((name): readonly RefusedPack[] => [
      {
        what: `${JSON.stringify(name)} as the file of another tool`,
        code: "file_name_mismatch",
        files: () => ({ [`${name}.yaml`]: toolText() }),
      },
      {
        what: `${JSON.stringify(name)} as file and tool`,
        code: "bad_tool_name",
        files: () => ({ [`${name}.yaml`]: toolText({}, JSON.stringify(name)) }),
      },
    ]),
  );

  testRefused([
    {
      what: "a file name that is no UTF-8",
      code: "unreadable_file",
      special: (folder) => {
        writeFileSync(
          Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff]), Buffer.from(".yaml")]),
          toolText(),
        );
      },
    },
    {
      what: "a role in a folder whose name has half a surrogate",
      code: "unknown_key",
      files: () => ({
        "workflow.yaml":
          'schema_version: "1.0"\nworkflow: w\nroles: [{ name: a, session_contract: "\\ud800/session.yaml" }]\n',
        "\ufffd/session.yaml": sessionText({ unknown: "1" }),
      }),
    },
  ]);
});
